//! Figures: use of tokens, load of the machine, measures of the board and of this session.

pub(in crate::server) mod disk;
pub(in crate::server) mod machine;
pub(in crate::server) mod metrics;
pub(in crate::server) mod session_figures;
pub(in crate::server) mod usage;
