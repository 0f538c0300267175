//! Terminals of agents and shells: live ones, their sizes, their past and the search in it.

pub mod hub;
pub(in crate::server) mod past_screen;
pub(in crate::server) mod records;
pub(in crate::server) mod replay;
pub(in crate::server) mod screens;
pub(in crate::server) mod scrollback;
pub(in crate::server) mod search;
pub(in crate::server) mod shells;
pub(in crate::server) mod sizes;
