//! How a person wants the screen, when they come and when the settings change under them.

use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::ipc::FrameSender;
use crate::config::appearance::Appearance;
use crate::config::themes::own_themes;
use crate::domain::NoticeLevel;
use crate::protocol::wire::{AttachRequest, FromServer};
use crate::server::attached_client::AttachedClient;
use crate::server::frame::StaleScope;
use crate::server::peer::{ConnectionError, say};
use crate::server::reload::NOTICE_KIND;
use crate::server::services::Services;
use crate::server::{arrangements, first_start, notifier};
use crate::ui::{ClientLocation, LogLine, MouseCapture, UiState};

impl AttachedClient {
    /// Applies changed settings to this client.
    pub(super) fn apply_settings(&mut self) {
        let config = Arc::clone(&self.settings.borrow_and_update());
        let (own, problems) = own_themes(&self.services.settings.place);
        let appearance = Appearance::of(&config).with(own);
        for problem in problems {
            self.state.show_toast(clock::now(), NoticeLevel::Warning, problem);
        }
        // Keys that contradict each other never come into force.
        if let Ok(keymap) = appearance.keymap() {
            self.state.keymap = keymap;
        }
        self.state.pastes = appearance.paste_preview();
        self.state.mouse = appearance.mouse();
        self.notifier.apply_settings(&appearance, self.looks);
        self.state.set_themes(appearance.themes());
        self.appearance = appearance;
        self.apply_theme();
        self.frame.reset(self.state.size);
        self.frame.mark_stale(StaleScope::Everything);
    }

    /// Tells the terminal whether the mouse is captured, whenever that changes.
    pub(super) async fn send_mouse_capture(
        &mut self,
        sender: &mut FrameSender,
    ) -> Result<(), ConnectionError> {
        let is_ours = self.state.mouse != MouseCapture::Off;
        if self.mouse_captured.replace(is_ours) != Some(is_ours) {
            say(sender, &FromServer::Mouse(is_ours)).await?;
        }
        Ok(())
    }

    /// What is said about the settings, and about the ways out to people, while somebody looks is told where they look.
    pub(super) fn toast_settings_notice(&mut self, line: &LogLine) {
        if [NOTICE_KIND, notifier::NOTICE_KIND].contains(&line.notice.kind.as_str())
            && line.at >= self.attached_at
        {
            self.state
                .show_toast(clock::now(), line.notice.level, line.notice.text.clone());
        }
    }
}

/// The first state of a client. Contradicting keys are reported and skipped, so that they keep nobody out.
pub(super) fn first_state(
    appearance: &Appearance,
    attach: &AttachRequest,
    services: &Services,
) -> Result<UiState, String> {
    let mut state = fresh(appearance, (attach.cols.max(1), attach.rows.max(1)))?;
    let (settings, facts, model) = (
        &services.settings,
        services.settings.facts(),
        services.engine.read_model(),
    );
    let running = services.shells.running();
    arrangements::restore((settings, &facts), (&model, &running), &mut state, clock::now());
    state.pastes = appearance.paste_preview();
    state.mouse = appearance.mouse();
    if let Some(theme) = &attach.theme {
        state.request_theme(theme.clone());
    }
    if attach.remote {
        state.location = ClientLocation::Remote;
    }
    let path = services.shells.path();
    match first_start::detect(&settings.place, (&facts, &model), (path, attach.outer.clone())) {
        // Its second question says it, and takes another key.
        Some(found) => state.show_welcome(found),
        None => state.hint_prefix_in_multiplexer(clock::now(), attach.outer.as_deref()),
    }
    Ok(state)
}

fn fresh(appearance: &Appearance, size: (u16, u16)) -> Result<UiState, String> {
    let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
    match appearance.keymap() {
        Ok(keymap) => UiState::new(size, keymap).map_err(|error| failed(&error)),
        Err(wrong) => {
            let mut state = UiState::builtin(size).map_err(|error| failed(&error))?;
            let text = format!("could not {wrong}; the default keys hold");
            state.show_toast(clock::now(), NoticeLevel::Error, text);
            Ok(state)
        }
    }
}
