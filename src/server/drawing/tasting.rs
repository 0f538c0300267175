//! How a person wants the screen, when they come and when the settings change under them.

use std::sync::Arc;

use crate::adapters::clock;
use crate::adapters::ipc::Sender;
use crate::config::taste::Taste;
use crate::config::themes::own_themes;
use crate::domain::Level;
use crate::protocol::wire::{Attach, FromServer};
use crate::server::drawing::Client;
use crate::server::drawing::services::Services;
use crate::server::peer::{TalkError, say};
use crate::server::picture::Stale;
use crate::server::reloading::KIND;
use crate::server::{arranging, first_start, summoning};
use crate::ui::{LogLine, MouseUse, Seat, State};

impl Client {
    /// Draws and heeds keys as the settings say by now.
    pub(super) fn take_settings(&mut self) {
        let config = Arc::clone(&self.settings.borrow_and_update());
        let (own, problems) = own_themes(&self.services.settings.place);
        let taste = Taste::of(&config).with(own);
        for problem in problems {
            self.state.tell(clock::now(), Level::Warning, problem);
        }
        // Keys that contradict each other never come into force.
        if let Ok(keymap) = taste.keymap() {
            self.state.keymap = keymap;
        }
        self.state.pastes = taste.pastes();
        self.state.mouse = taste.mouse();
        self.calling.take_settings(&taste, self.looks);
        self.state.offer_themes(taste.themes());
        self.taste = taste;
        self.dress();
        self.picture.anew(self.state.size);
        self.picture.mark(Stale::Everything);
    }

    /// Tells the terminal whether its mouse is ours, once and whenever that changes.
    pub(super) async fn tell_mouse(&mut self, sender: &mut Sender) -> Result<(), TalkError> {
        let is_ours = self.state.mouse != MouseUse::Nothing;
        if self.mouse.replace(is_ours) != Some(is_ours) {
            say(sender, &FromServer::Mouse(is_ours)).await?;
        }
        Ok(())
    }

    /// What is said about the settings, and about the ways out to people, while somebody looks is told where they look.
    pub(super) fn tell_of_settings(&mut self, line: &LogLine) {
        if [KIND, summoning::KIND].contains(&line.notice.kind.as_str()) && line.at >= self.began {
            self.state
                .tell(clock::now(), line.notice.level, line.notice.text.clone());
        }
    }
}

/// What a client begins with. Keys that contradict each other are told and left out: nobody is kept out by them.
pub(super) fn first_state(taste: &Taste, attach: &Attach, services: &Services) -> Result<State, String> {
    let mut state = fresh(taste, (attach.cols.max(1), attach.rows.max(1)))?;
    let (settings, facts, model) = (
        &services.settings,
        services.identity.facts(),
        services.engine.read_model(),
    );
    let running = services.shells.running();
    arranging::prepare((settings, &facts), (&model, &running), &mut state, clock::now());
    state.pastes = taste.pastes();
    state.mouse = taste.mouse();
    if let Some(theme) = &attach.theme {
        state.wish_theme(theme.clone());
    }
    if attach.remote {
        state.seat = Seat::Remote;
    }
    let path = services.shells.path();
    match first_start::found(&settings.place, (&facts, &model), (path, attach.outer.clone())) {
        // Its second question says it, and takes another key.
        Some(found) => state.welcome(found),
        None => state.hint_at_outer(clock::now(), attach.outer.as_deref()),
    }
    Ok(state)
}

fn fresh(taste: &Taste, size: (u16, u16)) -> Result<State, String> {
    let failed = |error: &dyn std::fmt::Display| format!("could not {error}");
    match taste.keymap() {
        Ok(keymap) => State::new(size, keymap).map_err(|error| failed(&error)),
        Err(wrong) => {
            let mut state = State::builtin(size).map_err(|error| failed(&error))?;
            let text = format!("could not {wrong}; the default keys hold");
            state.tell(clock::now(), Level::Error, text);
            Ok(state)
        }
    }
}
