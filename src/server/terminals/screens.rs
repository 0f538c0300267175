//! The live terminals as the interface sees them.

use std::sync::atomic::Ordering;

use crate::domain::AttemptId;
use crate::ports::holders::HolderId;
use crate::read_model::{LiveActivity, ReadModel};
use crate::server::terminals::hub::TerminalHub;
use crate::ui::{LiveScreen, ProgramReport, ScreenId, ScreenRead, Screens};

/// Returns the name of a terminal's holder.
pub(in crate::server) fn holder_of(id: ScreenId) -> HolderId {
    match id {
        ScreenId::Attempt(attempt) => HolderId::from(attempt),
        ScreenId::Shell(number) => HolderId::new(format!("shell-{number}")),
    }
}

/// Returns the name of a holder's terminal for people.
pub(in crate::server) fn pane_name(id: &HolderId, model: &ReadModel) -> String {
    match id.attempt() {
        Some(attempt) => match model.attempts.get(&attempt) {
            Some(known) => format!("{} ({})", known.task, known.worker.name()),
            None => format!("attempt {attempt}"),
        },
        None => id.as_str().replacen("shell-", "shell ", 1),
    }
}

impl Screens for TerminalHub {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let Some(pane) = self.terminal(&holder_of(id)) else {
            return false;
        };
        if !pane.caught_up.load(Ordering::Acquire) {
            return false;
        }
        let alive = pane.alive.load(Ordering::Acquire);
        let mut terminal = pane.terminal.lock();
        let mut last_output = pane.last_output.lock();
        read(&mut LiveScreen::new(&mut terminal, alive).with_last_output(&mut last_output));
        true
    }

    fn activity(&self, attempt: AttemptId) -> Option<LiveActivity> {
        self.agents().live(attempt)
    }

    fn reported(&self, id: ScreenId) -> ProgramReport {
        self.report(&holder_of(id))
    }
}
