//! What is said about a session as a whole: its name, its kind and when it started.

use std::sync::Arc;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock;
use crate::domain::Timestamp;
use crate::server::in_force::ActiveSettings;
use crate::ui::{SessionFacts, SessionKind};

pub(super) struct SessionIdentity {
    pub(super) settings: Arc<ActiveSettings>,
    pub(super) agents: Arc<LocalAgents>,
    pub(super) started: Timestamp,
}

impl SessionIdentity {
    /// What a frame says about the session as a whole.
    pub(super) fn facts(&self) -> SessionFacts {
        SessionFacts {
            project: self.settings.name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: if self.agents.kinds.read().has_rehearsal() {
                SessionKind::Rehearsal
            } else {
                SessionKind::Real
            },
            started: self.started,
            utc_offset: clock::utc_offset(),
            connection_notice: None,
        }
    }
}
