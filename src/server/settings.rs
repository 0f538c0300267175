//! Settings in force, their changes, and the trust they need.

pub(in crate::server) mod first_start;
pub(in crate::server) mod in_force;
pub(in crate::server) mod reload;
pub(in crate::server) mod settings_changes;
pub(in crate::server) mod trust_overview;
