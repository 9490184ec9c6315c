//! Behaviour of the wire.
