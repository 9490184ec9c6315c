//! A scripted web site.
