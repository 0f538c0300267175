//! Who looks at a screen of this server, as far as terminals tell.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Attached screens, and whether their person may be looking.
#[derive(Debug)]
pub(super) struct Presence {
    seats: Mutex<BTreeMap<u64, bool>>,
    away: watch::Sender<bool>,
}

impl Default for Presence {
    fn default() -> Presence {
        Presence {
            seats: Mutex::default(),
            away: watch::Sender::new(true),
        }
    }
}

impl Presence {
    /// A screen was attached, or its terminal said whether it is looked at. One that never says so is looked at.
    pub(super) fn looks(&self, client: u64, here: bool) {
        self.change(|seats| {
            seats.insert(client, here);
        });
    }

    /// A screen is gone.
    pub(super) fn left(&self, client: u64) {
        self.change(|seats| {
            seats.remove(&client);
        });
    }

    /// Changes with whether nobody is known to look at any screen.
    pub(super) fn away(&self) -> watch::Receiver<bool> {
        self.away.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<u64, bool>)) {
        let mut seats = self.seats.lock();
        change(&mut seats);
        let away = !seats.values().any(|here| *here);
        // While it is held, so that the last word is the last change's.
        self.away
            .send_if_modified(|before| std::mem::replace(before, away) != away);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_there_when_no_screen_is_attached_or_all_say_that_they_are_not_looked_at() {
        let presence = Presence::default();
        let away = presence.away();
        assert!(*away.borrow(), "nobody is attached");
        presence.looks(1, true);
        assert!(!*away.borrow());
        presence.looks(2, true);
        presence.looks(1, false);
        assert!(!*away.borrow(), "one looks");
        presence.looks(2, false);
        assert!(*away.borrow());
        presence.looks(1, true);
        presence.left(1);
        assert!(*away.borrow());
    }
}
