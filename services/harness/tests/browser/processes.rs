//! No browser outlives its owner, however the owner ends. (In progress.)
