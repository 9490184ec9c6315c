//! A scripted language-model server.
