//! Calls a person who looks elsewhere, and names the window of their terminal. What is told is decided by `ui`'s herald.

use std::sync::Arc;

use crate::adapters::clock::{self, Zone};
use crate::adapters::ipc::Sender;
use crate::config::taste::Manner;
use crate::config::taste::Taste;
use crate::domain::{Hours, Timestamp};
use crate::protocol::wire::{FromServer, Notify};
use crate::read_model::ReadModel;
use crate::server::drawing::Client;
use crate::server::peer::{TalkError, say};
use crate::ui::Looks;
use crate::ui::{Call, Herald};

/// What one client's terminal was told.
pub(super) struct Calling {
    herald: Herald,
    manner: Option<Manner>,
    quiet: Hours,
    /// The board as it was looked at last.
    seen: Option<Arc<ReadModel>>,
}

impl Calling {
    pub(super) fn new(taste: &Taste, looks: Looks) -> Calling {
        let (rules, manner) = taste.calls(looks);
        Calling {
            herald: Herald::new(rules),
            manner,
            quiet: taste.quiet().clone(),
            seen: None,
        }
    }

    /// The settings changed.
    pub(super) fn take_settings(&mut self, taste: &Taste, looks: Looks) {
        let (rules, manner) = taste.calls(looks);
        self.herald.set_rules(rules);
        self.manner = manner;
        self.quiet = taste.quiet().clone();
        self.seen = None;
    }

    /// The terminal says whether the person looks at it.
    pub(super) fn looked_at(&mut self, here: bool) {
        self.herald.looked_at(here);
    }

    /// When there is something to tell even if nothing more happens.
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.herald.due()
    }

    /// What is to be said now.
    fn look(&mut self, model: Arc<ReadModel>, project: &str) -> Vec<Call> {
        let now = clock::now();
        let is_known = self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &model));
        if is_known && self.due().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let quiet = Zone::local().end_of(&self.quiet, now);
        let calls = self.herald.look((now, quiet), &model, project);
        self.seen = Some(model);
        calls
    }
}

impl Client {
    /// Tells the terminal what is to be told now.
    pub(super) async fn call_person(&mut self, sender: &mut Sender) -> Result<(), TalkError> {
        self.tell_mouse(sender).await?;
        let model = self.services.engine.read_model();
        let project = self.services.settings.name();
        for call in self.calling.look(model, &project) {
            let word = match (call, self.calling.manner) {
                (Call::Title(title), _) => FromServer::Title(title),
                (Call::Progress(progress), _) => FromServer::Progress(progress),
                (Call::Notice(text), Some(manner)) => FromServer::Notify(Notify {
                    heading: format!("dbs {project}"),
                    text,
                    manner,
                }),
                (Call::Notice(_), None) => continue,
            };
            say(sender, &word).await?;
        }
        Ok(())
    }
}
