//! Notifies a person who looks elsewhere, and names the window of their terminal. `TerminalAlerts` of `ui` decides on what.

use std::sync::Arc;

use crate::adapters::clock::{self, Zone};
use crate::adapters::ipc::FrameSender;
use crate::config::appearance::Appearance;
use crate::config::notify_style::NotifyStyle;
use crate::domain::{DailyHours, Timestamp};
use crate::protocol::wire::{FromServer, TerminalNotice};
use crate::read_model::ReadModel;
use crate::server::attached_client::AttachedClient;
use crate::server::peer::{ConnectionError, say};
use crate::ui::DisplayCaps;
use crate::ui::{TerminalAlerts, TerminalUpdate};

/// Decides which notifications and window title a client's terminal gets.
pub(super) struct ClientNotifier {
    pub(super) alerts: TerminalAlerts,
    style: Option<NotifyStyle>,
    quiet: DailyHours,
    /// The board as it was looked at last.
    last_board: Option<Arc<ReadModel>>,
}

impl ClientNotifier {
    pub(super) fn new(appearance: &Appearance, looks: DisplayCaps) -> ClientNotifier {
        let (rules, style) = appearance.alert_rules(looks);
        ClientNotifier {
            alerts: TerminalAlerts::new(rules),
            style,
            quiet: appearance.quiet_hours.clone(),
            last_board: None,
        }
    }

    pub(super) fn apply_settings(&mut self, appearance: &Appearance, looks: DisplayCaps) {
        let (rules, style) = appearance.alert_rules(looks);
        self.alerts.set_rules(rules);
        (self.style, self.quiet) = (style, appearance.quiet_hours.clone());
        self.last_board = None;
    }

    /// When there is something to send even if nothing more happens.
    pub(super) fn due(&self) -> Option<Timestamp> {
        self.alerts.next_due()
    }

    fn updates(&mut self, model: Arc<ReadModel>, project: &str) -> Vec<TerminalUpdate> {
        let now = clock::now();
        let is_known = self
            .last_board
            .as_ref()
            .is_some_and(|seen| Arc::ptr_eq(seen, &model));
        if is_known && self.due().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let quiet = Zone::local().end_of(&self.quiet, now);
        let calls = self.alerts.update((now, quiet), &model, project);
        self.last_board = Some(model);
        calls
    }
}

impl AttachedClient {
    pub(super) async fn send_notifications(
        &mut self,
        sender: &mut FrameSender,
    ) -> Result<(), ConnectionError> {
        self.send_mouse_capture(sender).await?;
        let model = self.services.engine.read_model();
        let project = self.services.settings.name();
        for call in self.notifier.updates(model, &project) {
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
