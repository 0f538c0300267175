//! What size a terminal has when clients of different sizes look at it: one decides, the others see it cut. And how often that
//! may change.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::ports::holders::{HolderId, PaneSize};

/// Between two changes of one terminal's size: every change makes its program draw everything anew.
const PACE: Duration = Duration::from_millis(50);

/// Who shows which terminal at which size. A terminal follows the client that last typed into it; as long as that one does not
/// show it, the one among those that do which was used last.
#[derive(Debug, Default)]
pub(super) struct Sizes(Mutex<Wishes>);

#[derive(Debug, Default)]
struct Wishes {
    /// Clients, the one used last at the end.
    clients: Vec<u64>,
    terminals: BTreeMap<HolderId, Wish>,
}

#[derive(Debug, Default)]
struct Wish {
    typed: Option<u64>,
    shown: BTreeMap<u64, PaneSize>,
}

impl Sizes {
    /// A person did something at that client.
    pub(super) fn used(&self, client: u64) {
        let mut wishes = self.0.lock();
        wishes.clients.retain(|other| *other != client);
        wishes.clients.push(client);
    }

    /// A person typed into that terminal at that client. Answers whether another one did so before.
    pub(super) fn typed(&self, client: u64, id: &HolderId) -> bool {
        let mut wishes = self.0.lock();
        let wish = wishes.terminals.get_mut(id);
        wish.is_some_and(|wish| wish.typed.replace(client) != Some(client))
    }

    /// That client shows these terminals at these sizes, and no other. Answers the sizes of all it concerns.
    pub(super) fn shows(&self, client: u64, shown: &[(HolderId, PaneSize)]) -> Vec<(HolderId, PaneSize)> {
        let mut wishes = self.0.lock();
        if !wishes.clients.contains(&client) {
            wishes.clients.insert(0, client);
        }
        let mut concerned = wishes.forget(client, |id| shown.iter().all(|(other, _)| other != id));
        for (id, size) in shown {
            let wish = wishes.terminals.entry(id.clone()).or_default();
            wish.shown.insert(client, *size);
            concerned.push(id.clone());
        }
        wishes.decide(concerned)
    }

    /// That client has gone. Answers the sizes of the terminals it showed and others still show.
    pub(super) fn left(&self, client: u64) -> Vec<(HolderId, PaneSize)> {
        let mut wishes = self.0.lock();
        wishes.clients.retain(|other| *other != client);
        let concerned = wishes.forget(client, |_| true);
        wishes.decide(concerned)
    }
}

impl Wishes {
    /// Takes back what a client wished for some terminals; answers which those were.
    fn forget(&mut self, client: u64, gone: impl Fn(&HolderId) -> bool) -> Vec<HolderId> {
        let mut forgotten = Vec::new();
        self.terminals.retain(|id, wish| {
            if gone(id) && wish.shown.remove(&client).is_some() {
                forgotten.push(id.clone());
            }
            !wish.shown.is_empty()
        });
        forgotten
    }

    fn decide(&self, concerned: Vec<HolderId>) -> Vec<(HolderId, PaneSize)> {
        let sizes = concerned.into_iter().filter_map(|id| {
            let wish = self.terminals.get(&id)?;
            let typed = wish.typed.and_then(|client| wish.shown.get(&client));
            let used = || {
                self.clients
                    .iter()
                    .rev()
                    .find_map(|client| wish.shown.get(client))
            };
            let size = *typed.or_else(used)?;
            Some((id, size))
        });
        sizes.collect()
    }
}

/// One terminal's size: changed at once, but not again before [`PACE`] is over, and not before it is known what size its program
/// really has: until its holder has answered, and what came before has been shown again, a wish waits.
#[derive(Debug)]
pub(super) struct Paced {
    size: PaneSize,
    is_known: bool,
    changed: Option<Instant>,
    next: Option<PaneSize>,
}

/// What is to be done about a wished size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing: it has that size, or it will get it at its time.
    None,
    /// Change it.
    Now(PaneSize),
    /// Ask again then, with [`Paced::due`].
    At(Instant),
}

impl Paced {
    /// A terminal whose holder has not been heard yet.
    pub(super) fn new(size: PaneSize) -> Paced {
        Paced {
            size,
            is_known: false,
            changed: None,
            next: None,
        }
    }

    /// Its holder says that it has that size; or its program has ended, and nothing but its picture has a size any more.
    pub(super) fn found(&mut self, size: PaneSize, now: Instant) -> Turn {
        self.size = size;
        self.is_known = true;
        self.due(now)
    }

    /// Its holder is not heard any more; it may never have got the last size.
    pub(super) fn lost(&mut self) {
        if self.is_known {
            self.is_known = false;
            self.next.get_or_insert(self.size);
        }
    }

    /// It is wished to have that size.
    pub(super) fn wish(&mut self, size: PaneSize, now: Instant) -> Turn {
        if self.next.is_some() || !self.is_known {
            self.next = Some(size);
            return Turn::None;
        }
        if self.size == size {
            return Turn::None;
        }
        match self.changed.map(|at| at + PACE).filter(|at| *at > now) {
            Some(at) => {
                self.next = Some(size);
                Turn::At(at)
            }
            None => self.change(size, now),
        }
    }

    /// The time it had to wait for has come.
    pub(super) fn due(&mut self, now: Instant) -> Turn {
        if !self.is_known {
            return Turn::None;
        }
        match self.next.take() {
            Some(size) if size != self.size => self.change(size, now),
            Some(_) | None => Turn::None,
        }
    }

    fn change(&mut self, size: PaneSize, now: Instant) -> Turn {
        self.size = size;
        self.changed = Some(now);
        Turn::Now(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: PaneSize = PaneSize::cells(120, 40);
    const SMALL: PaneSize = PaneSize::cells(80, 24);

    fn shell() -> HolderId {
        HolderId::new("shell-1")
    }

    fn agent() -> HolderId {
        HolderId::new("7")
    }

    #[test]
    fn of_two_clients_nobody_has_used_the_first_decides_and_they_do_not_quarrel() {
        let sizes = Sizes::default();
        for _ in 0..3 {
            assert_eq!(sizes.shows(1, &[(shell(), BIG)]), [(shell(), BIG)]);
            assert_eq!(sizes.shows(2, &[(shell(), SMALL)]), [(shell(), BIG)]);
        }
    }

    #[test]
    fn the_client_that_was_used_last_decides_among_those_that_show_it() {
        let sizes = Sizes::default();
        sizes.shows(1, &[(shell(), BIG)]);
        sizes.used(2);
        assert_eq!(sizes.shows(2, &[(shell(), SMALL)]), [(shell(), SMALL)]);
        // It turns to something else: the other one gets its size back.
        assert_eq!(
            sizes.shows(2, &[(agent(), SMALL)]),
            [(shell(), BIG), (agent(), SMALL)]
        );
    }

    #[test]
    fn a_terminal_follows_the_client_that_last_typed_into_it() {
        let sizes = Sizes::default();
        sizes.shows(1, &[(shell(), BIG)]);
        sizes.shows(2, &[(shell(), SMALL)]);
        sizes.used(2);
        sizes.typed(2, &shell());
        sizes.used(1);
        assert_eq!(sizes.shows(1, &[(shell(), BIG)]), [(shell(), SMALL)]);
        sizes.typed(1, &shell());
        assert_eq!(sizes.shows(2, &[(shell(), SMALL)]), [(shell(), BIG)]);
    }

    #[test]
    fn when_one_leaves_the_other_gets_its_size() {
        let sizes = Sizes::default();
        sizes.shows(1, &[(shell(), BIG)]);
        sizes.shows(2, &[(shell(), SMALL)]);
        sizes.used(1);
        sizes.typed(1, &shell());
        assert_eq!(sizes.left(1), [(shell(), SMALL)]);
        assert_eq!(sizes.left(2), []);
    }

    #[test]
    fn the_first_change_is_made_at_once_and_of_many_after_it_only_the_last() {
        let began = Instant::now();
        let at = |millis| began + Duration::from_millis(millis);
        let size = |cols| PaneSize::cells(cols, 24);
        let mut paced = Paced::new(size(70));
        assert_eq!(paced.found(size(80), at(0)), Turn::None);
        assert_eq!(paced.wish(size(80), at(0)), Turn::None);
        assert_eq!(paced.wish(size(81), at(0)), Turn::Now(size(81)));
        assert_eq!(paced.wish(size(82), at(10)), Turn::At(at(50)));
        assert_eq!(paced.wish(size(83), at(20)), Turn::None);
        assert_eq!(paced.wish(size(84), at(49)), Turn::None);
        assert_eq!(paced.due(at(50)), Turn::Now(size(84)));
        assert_eq!(paced.wish(size(85), at(60)), Turn::At(at(100)));
        // Back again before it was changed: nothing is left to do.
        assert_eq!(paced.wish(size(84), at(70)), Turn::None);
        assert_eq!(paced.due(at(100)), Turn::None);
        assert_eq!(paced.wish(size(80), at(101)), Turn::Now(size(80)));
    }

    #[test]
    fn a_size_wished_before_the_holder_answers_is_not_lost() {
        let now = Instant::now();
        let mut paced = Paced::new(SMALL);
        assert_eq!(paced.wish(BIG, now), Turn::None);
        assert_eq!(paced.due(now), Turn::None);
        assert_eq!(paced.found(SMALL, now), Turn::Now(BIG));
        assert_eq!(paced.wish(BIG, now), Turn::None);
    }

    #[test]
    fn a_size_that_may_not_have_reached_a_lost_holder_is_sent_again() {
        let now = Instant::now();
        let mut paced = Paced::new(SMALL);
        paced.found(SMALL, now);
        assert_eq!(paced.wish(BIG, now), Turn::Now(BIG));
        paced.lost();
        assert_eq!(paced.due(now), Turn::None);
        assert_eq!(paced.found(SMALL, now), Turn::Now(BIG));
        // It has it, and nobody wished for another one.
        paced.lost();
        paced.lost();
        assert_eq!(paced.found(BIG, now), Turn::None);
    }
}
