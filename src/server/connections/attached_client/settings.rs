//! Screen settings of a person, when they attach and when the settings change: keys, mouse, theme.

use std::sync::Arc;

use tokio::sync::watch;

use crate::adapters::clock;
use crate::adapters::ipc::FrameSender;
use crate::config::Config;
use crate::config::appearance;
use crate::config::project_paths::ProjectPaths;
use crate::config::themes::own_themes;
use crate::display::Appearance;
use crate::display::{MouseCapture, UserTheme};
use crate::domain::{NoticeLevel, Span};
use crate::keymap::Keymap;
use crate::protocol::wire::{AttachRequest, FromServer, TerminalColour};
use crate::server::clients::arrangements;
use crate::server::clients::frame::StaleScope;
use crate::server::connections::attached_client::AttachedClient;
use crate::server::connections::attached_client::goodbye::ClientFlow;
use crate::server::connections::peer::{ConnectionError, say};
use crate::server::notifier;
use crate::server::services::Services;
use crate::server::settings::first_start;
use crate::server::settings::reload::NOTICE_KIND;
use crate::ui::Themes;
use crate::ui::{ClientLocation, LogLine, UiState, UiStateError};

/// Time after a start in which people who attach are shown that the server before was lost. Later it is in the log.
const LOSS_IS_NEWS: Span = Span::minutes(1);

impl AttachedClient {
    /// Shows that the server before this one was lost to a person who attaches, or whose screen came back, soon after.
    pub(super) fn say_what_was_lost(&mut self) {
        let services = Arc::clone(&self.services);
        if let Some((started, text)) = &services.loss
            && clock::now().since(*started) < LOSS_IS_NEWS
        {
            self.toast(NoticeLevel::Warning, text.clone());
        }
    }

    /// Applies changed settings to this client.
    pub(super) fn apply_settings(&mut self) -> ClientFlow {
        let (appearance, problems) = appearance_of(&self.services.settings.paths, &mut self.settings);
        for problem in problems {
            self.toast(NoticeLevel::Warning, problem);
        }
        // Keys that contradict each other never come into force.
        if let Ok(keymap) = Keymap::with_overrides(&appearance.keys) {
            self.state.keymap = Arc::new(keymap);
        }
        self.state.pastes = appearance.paste_preview;
        self.state.mouse = appearance.mouse;
        self.notifier.apply_settings(&appearance, self.display.caps);
        self.state
            .set_themes(Themes::new(appearance.own_themes.clone()).names());
        self.display.appearance = appearance;
        self.apply_theme();
        self.frame.reset(self.state.size);
        ClientFlow::On
    }

    /// Applies the theme in force; a theme that cannot be loaded is reported and replaced by the plain one.
    pub(super) fn apply_theme(&mut self) {
        if let Err(problem) = self.display.apply_theme(self.state.theme()) {
            self.toast(NoticeLevel::Warning, format!("could not {problem}"));
        }
        self.frame.mark_stale(StaleScope::Everything);
    }

    /// Takes a colour that the client's terminal reported: the answers to programs may change, and the theme that follows the background.
    pub(super) fn on_colour(&mut self, colour: TerminalColour) {
        let has_other_background = self.display.add_colour(colour);
        self.publish_colours();
        if has_other_background {
            self.apply_theme();
        }
    }

    /// Publishes the colours of this client's terminal to programs.
    pub(super) fn publish_colours(&self) {
        let colours = self.display.colours;
        self.services.clients.has_colours(self.number, colours);
    }

    /// Sends the terminal the state of mouse capture, whenever that changes.
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
}

/// Returns true if a line of the watcher log is about settings or notification channels, which a person should see at once.
pub(super) fn is_settings_notice(line: &LogLine) -> bool {
    [NOTICE_KIND, notifier::NOTICE_KIND].contains(&line.notice.kind.as_str())
}

/// Returns the appearance by the settings in force, and the problems of the person's own themes.
pub(super) fn appearance_of(
    paths: &ProjectPaths,
    settings: &mut watch::Receiver<Arc<Config>>,
) -> (Appearance, Vec<String>) {
    read_appearance(settings, || own_themes(paths))
}

/// Returns the same with those themes. Settings that come into force meanwhile are still reported by `settings`, so that a client that is
/// just being made does not miss them.
fn read_appearance(
    settings: &mut watch::Receiver<Arc<Config>>,
    read_themes: impl FnOnce() -> (Vec<UserTheme>, Vec<String>),
) -> (Appearance, Vec<String>) {
    let config = Arc::clone(&settings.borrow_and_update());
    let (own, problems) = read_themes();
    (appearance::read(&config, own), problems)
}

/// Returns the first state of a client. Contradicting keys are reported and skipped, so that they do not keep people out.
pub(super) fn first_state(
    appearance: &Appearance,
    attach: &AttachRequest,
    services: &Services,
) -> Result<UiState, UiStateError> {
    let mut state = fresh(appearance, (attach.cols.max(1), attach.rows.max(1)))?;
    let (settings, facts, model) = (
        &services.settings,
        services.settings.facts(),
        services.engine.read_model(),
    );
    let running = services.shells.running();
    arrangements::restore(settings, &facts, &model, &running, &mut state, clock::now());
    state.pastes = appearance.paste_preview;
    state.mouse = appearance.mouse;
    if let Some(theme) = &attach.theme {
        state.request_theme(theme.clone());
    }
    if attach.remote {
        state.location = ClientLocation::Remote;
    }
    let environment = services.shells.environment();
    match first_start::detect(
        &settings.paths,
        &facts,
        &model,
        &environment,
        attach.outer.clone(),
    ) {
        // The second question of the welcome does so, and offers another key.
        Some(found) => state.show_welcome(found),
        None => state.hint_prefix_in_multiplexer(clock::now(), attach.outer.as_deref()),
    }
    Ok(state)
}

fn fresh(appearance: &Appearance, size: (u16, u16)) -> Result<UiState, UiStateError> {
    match Keymap::with_overrides(&appearance.keys) {
        Ok(keymap) => UiState::new(size, Arc::new(keymap)),
        Err(wrong) => {
            let mut state = UiState::builtin(size)?;
            let text = format!("could not {wrong}; the default keys hold");
            state.show_toast(clock::now(), NoticeLevel::Error, text);
            Ok(state)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_come_into_force_while_a_client_is_made_are_not_missed() {
        let (sender, mut settings) = watch::channel(Arc::new(Config::default()));
        read_appearance(&mut settings, || {
            sender.send_replace(Arc::new(Config::default()));
            (Vec::new(), Vec::new())
        });
        assert!(
            settings.has_changed().unwrap(),
            "they came after those that were read"
        );
        read_appearance(&mut settings, || (Vec::new(), Vec::new()));
        assert!(!settings.has_changed().unwrap(), "they were read");
    }
}
