//! Things kept on disk: backups, old logs and kept work, notices that were delivered.

pub(in crate::server) mod backups;
pub(in crate::server) mod delivered;
pub(in crate::server) mod retention;
