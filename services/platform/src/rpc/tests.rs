//! Behaviour of servers and connections.
