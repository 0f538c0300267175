//! Connections: the listener, who may call, what a call does, and the conversation with a client.

pub(in crate::server) mod attached_client;
pub(in crate::server) mod callers;
pub(in crate::server) mod calls;
pub(in crate::server) mod connection_places;
pub(in crate::server) mod conversations;
pub(in crate::server) mod idle_connections;
pub(in crate::server) mod listener;
pub(in crate::server) mod peer;
pub(in crate::server) mod plan_orders;
