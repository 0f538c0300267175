//! Notifies a person who looks elsewhere, and sets the title of their terminal's window. `TerminalAlerts` of `ui` decides the contents.

use std::sync::Arc;

use crate::adapters::clock::{self, Zone};
use crate::adapters::ipc::FrameSender;
use crate::config::clipboard_policy::ClipboardPolicy;
use crate::config::schema;
use crate::display::{Appearance, DisplayCaps, NotifyStyle};
use crate::domain::{DailyHours, NoticeLevel, Timestamp};
use crate::keymap::Action;
use crate::protocol::wire::{FromServer, TerminalNotice};
use crate::read_model::ReadModel;
use crate::server::clients::frame::StaleScope;
use crate::server::connections::attached_client::AttachedClient;
use crate::server::connections::peer::{ConnectionError, say};
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::screens::{holder_of, pane_name};
use crate::ui::{AlertRules, ScreenId, TerminalAlerts, TerminalUpdate};

/// Sender of notifications and window titles to a client's terminal.
pub(super) struct ClientNotifier {
    pub(super) alerts: TerminalAlerts,
    style: Option<NotifyStyle>,
    quiet: DailyHours,
    /// The terminal that had the focus before the last input.
    pub(super) last_focused: Option<ScreenId>,
    /// A text that a program offers for the clipboard and that the person may take.
    pub(super) offer: Option<String>,
    /// The number of the last call of a program that was taken in.
    calls_seen: u64,
    /// The last board that was read.
    last_board: Option<Arc<ReadModel>>,
}

impl ClientNotifier {
    /// Creates a notifier; calls up to that number do not belong to this client.
    pub(super) fn new(appearance: &Appearance, caps: DisplayCaps, calls_seen: u64) -> ClientNotifier {
        ClientNotifier {
            alerts: TerminalAlerts::new(AlertRules::of(appearance, caps)),
            style: appearance.notify_style,
            quiet: appearance.quiet_hours.clone(),
            last_focused: None,
            offer: None,
            calls_seen,
            last_board: None,
        }
    }

    pub(super) fn apply_settings(&mut self, appearance: &Appearance, caps: DisplayCaps) {
        self.alerts.set_rules(AlertRules::of(appearance, caps));
        (self.style, self.quiet) = (appearance.notify_style, appearance.quiet_hours.clone());
        self.last_board = None;
    }

    /// Returns the time at which something has to be sent even if nothing more happens.
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.alerts.next_due()
    }

    /// Takes in the calls of programs since the last time.
    fn take_calls(&mut self, hub: &TerminalHub, model: &ReadModel) {
        let (last, calls) = hub.calls_after(self.calls_seen);
        self.calls_seen = last;
        for (id, call) in calls {
            self.alerts.add_call(&pane_name(&id, model), &call);
        }
    }

    fn updates(&mut self, now: Timestamp, model: Arc<ReadModel>, project: &str) -> Vec<TerminalUpdate> {
        self.alerts.set_time(now);
        let is_known = self
            .last_board
            .as_ref()
            .is_some_and(|seen| Arc::ptr_eq(seen, &model));
        if is_known && self.due().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let quiet = Zone::local().end_of(&self.quiet, now);
        let calls = self.alerts.update(now, quiet, &model, project);
        self.last_board = Some(model);
        calls
    }
}

impl AttachedClient {
    /// Copies the text that the program in focus offers to the clipboard, or shows the key for that, depending on the settings.
    async fn take_offer(&mut self, id: ScreenId, sender: &mut FrameSender) -> Result<(), ConnectionError> {
        let Some(text) = self.services.hub.take_offer(&holder_of(id)) else {
            return Ok(());
        };
        let pane = pane_name(&holder_of(id), &self.services.engine.read_model());
        let size = text.chars().count();
        match self
            .services
            .settings
            .config()
            .choice(&schema::TERMINAL_CLIPBOARD)
        {
            ClipboardPolicy::Deny => {}
            ClipboardPolicy::Allow => {
                self.toast(NoticeLevel::Info, format!("{pane} copied {size} characters"));
                say(sender, &FromServer::Clipboard(text)).await?;
            }
            ClipboardPolicy::Ask => {
                let key = self.state.key_hint(Action::TakeOffer).unwrap_or_default();
                self.toast(
                    NoticeLevel::Warning,
                    format!("{pane} wants to copy {size} characters to your clipboard: {key} does it"),
                );
                self.notifier.offer = Some(text);
            }
        }
        self.frame.mark_stale(StaleScope::Everything);
        Ok(())
    }

    pub(super) async fn send_notifications(
        &mut self,
        sender: &mut FrameSender,
    ) -> Result<(), ConnectionError> {
        self.send_mouse_capture(sender).await?;
        let model = self.services.engine.read_model();
        self.notifier.take_calls(&self.services.hub, &model);
        self.notifier.last_focused = self.state.focused_screen();
        if !self.notifier.alerts.is_away()
            && let Some(id) = self.notifier.last_focused
        {
            self.services.hub.attend(&holder_of(id));
            self.take_offer(id, sender).await?;
        }
        let project = self.services.settings.name();
        for call in self.notifier.updates(clock::now(), model, &project) {
            let word = match (call, self.notifier.style) {
                (TerminalUpdate::Title(title), _) => FromServer::Title(title),
                (TerminalUpdate::Progress(progress), _) => FromServer::Progress(progress),
                (TerminalUpdate::Notification(text), Some(style)) => FromServer::Notify(TerminalNotice {
                    heading: format!("dbs {project}"),
                    text,
                    manner: style,
                }),
                (TerminalUpdate::Notification(_), None) => continue,
            };
            say(sender, &word).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::{AlertWhen, Glyphs, ProgramCalls};
    use crate::domain::Span;
    use crate::read_model::{AttentionItem, AttentionKind};
    use crate::ui::AlertRules;

    fn board(tasks: &[&str]) -> Arc<ReadModel> {
        let waits = |task: &&str| AttentionItem {
            task: (*task).into(),
            attempt: None,
            kind: AttentionKind::Question,
            text: "which one?".to_owned(),
            since: Timestamp(1),
            ask: None,
        };
        Arc::new(ReadModel {
            attention: tasks.iter().map(waits).collect(),
            ..ReadModel::default()
        })
    }

    #[test]
    fn a_call_that_is_due_by_a_clock_that_was_set_back_is_sent_though_nothing_else_changes() {
        const HOUR: u64 = 3_600_000;
        let rules = AlertRules {
            when: AlertWhen::Always,
            events: crate::display::AlertEvents::Needs,
            programs: ProgramCalls::None,
            min_interval: Span(5_000),
            title: false,
            progress: false,
            glyphs: Glyphs::Unicode,
        };
        let mut notifier = ClientNotifier {
            alerts: TerminalAlerts::new(rules),
            style: None,
            quiet: DailyHours::default(),
            last_focused: None,
            offer: None,
            calls_seen: 0,
            last_board: None,
        };
        let mut sent = |at: u64, board: &Arc<ReadModel>| {
            let updates = notifier.updates(Timestamp(at), Arc::clone(board), "shop");
            (updates.len(), notifier.due())
        };
        let both = board(&["t-1", "t-2"]);
        assert_eq!(sent(2 * HOUR - 1, &board(&[])), (0, None));
        assert_eq!(sent(2 * HOUR, &board(&["t-1"])), (1, None));
        assert_eq!(sent(2 * HOUR + 1, &both), (0, Some(Timestamp(2 * HOUR + 5_000))));
        assert_eq!(sent(HOUR, &both), (0, Some(Timestamp(HOUR + 5_000))));
        assert_eq!(sent(HOUR + 5_000, &both), (1, None));
    }
}
