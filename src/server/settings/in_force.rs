//! The settings in force and the facts of the session that follow from them.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::adapters::agents::LocalAgents;
use crate::adapters::clock;
use crate::config::Config;
use crate::config::file_stamps::FileStamps;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup::SessionSetup;
use crate::display::{LeaveEffect, NextSteps};
use crate::domain::{SettingFault, Timestamp};
use crate::ui::{SessionFacts, SessionKind};

/// The settings in use, and the problem with the files if newer ones could not be taken over.
pub(in crate::server) struct ActiveSettings {
    pub(in crate::server) paths: ProjectPaths,
    /// The agents, whose kinds are settings, too.
    pub(in crate::server) agents: Arc<LocalAgents>,
    pub(in crate::server) started: Timestamp,
    on_leave: LeaveEffect,
    next_steps: NextSteps,
    notice: Mutex<Option<String>>,
    config: watch::Sender<Arc<Config>>,
    /// Stamps of the files before the first of them were read.
    pub(in crate::server) stamps: FileStamps,
    /// Problem with the files as they are now. Locked for the length of a reading: one at a time.
    pub(in crate::server) problem: Mutex<Option<String>>,
    /// Settings that were reported to the board as unusable.
    pub(in crate::server) faults: Mutex<Vec<SettingFault>>,
}

impl ActiveSettings {
    /// Creates the settings with which a session started at that time.
    pub(in crate::server) fn new(
        paths: ProjectPaths,
        agents: Arc<LocalAgents>,
        setup: &SessionSetup,
        started: Timestamp,
    ) -> ActiveSettings {
        ActiveSettings {
            config: watch::Sender::new(Arc::new(setup.config.clone())),
            stamps: setup.stamps.clone(),
            problem: Mutex::new(fault_text(&setup.settings.faults)),
            faults: Mutex::new(setup.settings.faults.clone()),
            notice: Mutex::new(None),
            paths,
            agents,
            started,
            on_leave: setup.on_leave,
            next_steps: setup.next_steps,
        }
    }

    /// Returns the settings in force.
    pub(in crate::server) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.borrow())
    }

    pub(in crate::server) fn replace(&self, config: Config) {
        self.config.send_replace(Arc::new(config));
    }

    /// Returns the present name of the session: the one that was set, else that of its folder.
    pub(in crate::server) fn name(&self) -> String {
        self.paths.session_name(&self.config())
    }

    /// Returns the facts that a frame shows about the session as a whole.
    pub(in crate::server) fn facts(&self) -> SessionFacts {
        SessionFacts {
            project: self.name(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: if self.agents.kinds.read().has_rehearsal() {
                SessionKind::Rehearsal
            } else {
                SessionKind::Real
            },
            on_leave: self.on_leave,
            next_steps: self.next_steps,
            started: self.started,
            utc_offset: clock::utc_offset(),
            notice: self.notice.lock().clone(),
        }
    }

    /// Sets the notice that every frame shows, until it is set otherwise.
    pub(in crate::server) fn set_notice(&self, text: Option<String>) {
        *self.notice.lock() = text;
    }

    /// Returns true if any of the settings cannot be used.
    pub(in crate::server) fn has_faults(&self) -> bool {
        !self.faults.lock().is_empty()
    }

    /// Returns a receiver that changes whenever other settings come into force.
    pub(in crate::server) fn changes(&self) -> watch::Receiver<Arc<Config>> {
        self.config.subscribe()
    }

    /// Returns the reason why the files as they are now are not in force, if they are not; for people.
    pub(in crate::server) fn problem(&self) -> Option<String> {
        self.problem.lock().clone()
    }
}

/// Returns the text for people about faults in the settings, a line each; `None` if there is none.
pub(in crate::server) fn fault_text(faults: &[SettingFault]) -> Option<String> {
    let lines: Vec<&str> = faults.iter().map(|fault| fault.text.as_str()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
