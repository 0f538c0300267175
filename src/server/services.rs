//! The parts of the server that clients are served by.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::domain::Timestamp;
use crate::server::clients::attached_clients::AttachedClients;
use crate::server::clients::fetch::Fetcher;
use crate::server::engine_handle::EngineHandle;
use crate::server::settings::in_force::ActiveSettings;
use crate::server::settings::reload::Reloader;
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::shells::Shells;

/// Services for clients: the data they are shown, and the requests they may make.
pub(super) struct Services {
    pub(super) engine: EngineHandle,
    pub(super) hub: TerminalHub,
    pub(super) shells: Arc<Shells>,
    pub(super) settings: Arc<ActiveSettings>,
    pub(super) reloader: Arc<Reloader>,
    /// Fetcher of data that views need and the board does not hold.
    pub(super) fetcher: Arc<Fetcher>,
    pub(super) clients: AttachedClients,
    /// Time at which the server started, and the message to people about the one before it, if that was lost.
    pub(super) loss: Option<(Timestamp, String)>,
    pub(super) stop: CancellationToken,
}
