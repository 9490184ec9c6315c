//! The real binary, as a person or a script meets it: what it leaves behind, and what it says when something is wrong.

mod bad_input;
<<<<<<< HEAD
mod coverage;
=======
mod comparing;
>>>>>>> 69dc1d5 (Compare two versions of a site by what became of each state, and go again to what a run did not reach before anything is said of it)
mod exploring;
mod kit;
mod lifetimes;
