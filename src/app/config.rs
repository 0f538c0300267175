//! The settings of a project: where each value comes from, and what it is. Must not decide anything about tasks.
