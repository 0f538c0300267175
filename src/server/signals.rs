//! Signals and hooks of agents, over the socket or as files.

pub(in crate::server) mod comment_limit;
pub(in crate::server) mod hooks;
pub(in crate::server) mod inbox_folder;
pub(in crate::server) mod intake;
pub(in crate::server) mod socket_reach;
pub(in crate::server) mod waiting_hooks;
