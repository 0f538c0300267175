//! Presence of people at the screens of this server, as far as terminals report it.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Attached screens that are being looked at, as far as terminals report it.
#[derive(Debug)]
pub(in crate::server) struct Presence {
    screens: Mutex<BTreeMap<u64, bool>>,
    away: watch::Sender<bool>,
    at_keys: watch::Sender<bool>,
}

impl Default for Presence {
    fn default() -> Presence {
        Presence {
            screens: Mutex::default(),
            away: watch::Sender::new(true),
            at_keys: watch::Sender::new(false),
        }
    }
}

impl Presence {
    /// Notes that a screen was attached or reports its focus. A screen that never reports counts as looked at.
    pub(in crate::server) fn set_focused(&self, client: u64, here: bool) {
        self.update(|screens| {
            screens.insert(client, here);
        });
    }

    pub(in crate::server) fn remove(&self, client: u64) {
        self.update(|screens| {
            screens.remove(&client);
        });
    }

    /// Returns the number of attached screens.
    pub(in crate::server) fn count(&self) -> usize {
        self.screens.lock().len()
    }

    /// Returns a receiver that changes when a person starts or stops looking at any screen; true if none is known to look.
    pub(in crate::server) fn away(&self) -> watch::Receiver<bool> {
        self.away.subscribe()
    }

    /// Notes that a person pressed a key, clicked or pasted.
    pub(in crate::server) fn note_key(&self) {
        self.at_keys
            .send_if_modified(|before| !std::mem::replace(before, true));
    }

    /// Returns a receiver that becomes true with the first key, click or paste of a person.
    pub(in crate::server) fn at_keys(&self) -> watch::Receiver<bool> {
        self.at_keys.subscribe()
    }

    fn update(&self, change: impl FnOnce(&mut BTreeMap<u64, bool>)) {
        let mut screens = self.screens.lock();
        change(&mut screens);
        let away = !screens.values().any(|here| *here);
        // While it is held, so that the last value is that of the last change.
        self.away
            .send_if_modified(|before| std::mem::replace(before, away) != away);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_at_the_keys_from_the_first_one_on() {
        let presence = Presence::default();
        let at_keys = presence.at_keys();
        presence.set_focused(1, true);
        assert!(!*at_keys.borrow(), "only looks");
        presence.note_key();
        presence.note_key();
        assert!(*at_keys.borrow());
    }

    #[test]
    fn nobody_is_there_when_no_screen_is_attached_or_all_say_that_they_are_not_looked_at() {
        let presence = Presence::default();
        let away = presence.away();
        assert!(*away.borrow(), "no client is attached");
        presence.set_focused(1, true);
        assert!(!*away.borrow());
        presence.set_focused(2, true);
        presence.set_focused(1, false);
        assert!(!*away.borrow(), "one looks");
        presence.set_focused(2, false);
        assert!(*away.borrow());
        presence.set_focused(1, true);
        presence.remove(1);
        assert!(*away.borrow());
    }
}
