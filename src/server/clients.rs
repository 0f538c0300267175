//! Attached clients: one screen each, drawn here and sent as frames.

pub(in crate::server) mod arrangements;
pub(in crate::server) mod attached_clients;
pub(in crate::server) mod colours;
pub(in crate::server) mod fetch;
pub(in crate::server) mod frame;
pub(in crate::server) mod frame_buffer;
pub(in crate::server) mod frame_pacer;
pub(in crate::server) mod presence;
