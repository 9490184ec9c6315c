//! crawler
