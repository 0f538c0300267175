//! The parts of the server that clients are served by.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::domain::Timestamp;
use crate::server::attached_clients::AttachedClients;
use crate::server::engine_handle::EngineHandle;
use crate::server::fetch::Fetcher;
use crate::server::hub::TerminalHub;
use crate::server::in_force::ActiveSettings;
use crate::server::reload::Reloader;
use crate::server::shells::Shells;

/// What clients are shown, and what they may ask for.
pub(super) struct Services {
    pub(super) engine: EngineHandle,
    pub(super) hub: TerminalHub,
    pub(super) shells: Arc<Shells>,
    pub(super) settings: Arc<ActiveSettings>,
    pub(super) reloader: Arc<Reloader>,
    /// What views want and the board does not hold.
    pub(super) fetcher: Arc<Fetcher>,
    pub(super) clients: AttachedClients,
    /// When the server started, and what people are told of the one before it, where that was lost.
    pub(super) loss: Option<(Timestamp, String)>,
    pub(super) stop: CancellationToken,
}
