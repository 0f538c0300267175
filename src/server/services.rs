//! The parts of the server one attached client is served by.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::server::attached_clients::AttachedClients;
use crate::server::engine_handle::EngineHandle;
use crate::server::fetch::Fetcher;
use crate::server::hub::TerminalHub;
use crate::server::in_force::ActiveSettings;
use crate::server::permissions::Approvals;
use crate::server::reload::Reloader;
use crate::server::session_identity::SessionIdentity;
use crate::server::shells::Shells;

/// What is shown to an attached client, and what it may ask for.
pub(in crate::server) struct Services {
    pub(in crate::server) engine: EngineHandle,
    pub(in crate::server) hub: TerminalHub,
    pub(in crate::server) shells: Arc<Shells>,
    pub(in crate::server) identity: Arc<SessionIdentity>,
    pub(in crate::server) settings: Arc<ActiveSettings>,
    pub(in crate::server) reloader: Arc<Reloader>,
    /// What views want and the board does not hold.
    pub(in crate::server) fetcher: Arc<Fetcher>,
    pub(in crate::server) approvals: Arc<Approvals>,
    pub(in crate::server) clients: Arc<AttachedClients>,
    pub(in crate::server) stop: CancellationToken,
}
