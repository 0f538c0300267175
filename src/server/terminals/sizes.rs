//! Size of a terminal that clients of different sizes look at: one decides, the others see it cut. And the rate at which it may change.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::ports::holders::{HolderId, PaneSize};

/// Minimum time between two changes of one terminal's size: every change makes its program redraw everything.
const MIN_RESIZE_INTERVAL: Duration = Duration::from_millis(50);

/// Decider on the size of each terminal when clients of different sizes show it. A terminal follows the client that last typed into it; as
/// long as that one does not show it, the last used client among those that do.
#[derive(Debug, Default)]
pub(in crate::server) struct TerminalSizes(Mutex<SizeTable>);

#[derive(Debug, Default)]
struct SizeTable {
    /// Clients, the one used last at the end.
    clients: Vec<u64>,
    terminals: BTreeMap<HolderId, SizeRequests>,
}

#[derive(Debug, Default)]
struct SizeRequests {
    last_typed_by: Option<u64>,
    sizes: BTreeMap<u64, PaneSize>,
}

impl TerminalSizes {
    pub(in crate::server) fn touch(&self, client: u64) {
        let mut table = self.0.lock();
        table.clients.retain(|other| *other != client);
        table.clients.push(client);
    }

    /// Notes that a person typed into that terminal at that client. Returns true if another one did so before.
    pub(in crate::server) fn typed(&self, client: u64, id: &HolderId) -> bool {
        let mut table = self.0.lock();
        let requests = table.terminals.get_mut(id);
        requests.is_some_and(|requests| requests.last_typed_by.replace(client) != Some(client))
    }

    /// Notes that the client shows these terminals at these sizes, and no others. Returns the sizes of all affected terminals.
    pub(in crate::server) fn set_shown(
        &self,
        client: u64,
        shown: &[(HolderId, PaneSize)],
    ) -> Vec<(HolderId, PaneSize)> {
        let mut table = self.0.lock();
        if !table.clients.contains(&client) {
            table.clients.insert(0, client);
        }
        let mut concerned = table.forget(client, |id| shown.iter().all(|(other, _)| other != id));
        for (id, size) in shown {
            let requests = table.terminals.entry(id.clone()).or_default();
            requests.sizes.insert(client, *size);
            concerned.push(id.clone());
        }
        table.decide(concerned)
    }

    /// Removes a client that has left. Returns the sizes of the terminals it showed and others still show.
    pub(in crate::server) fn remove(&self, client: u64) -> Vec<(HolderId, PaneSize)> {
        let mut table = self.0.lock();
        table.clients.retain(|other| *other != client);
        let concerned = table.forget(client, |_| true);
        table.decide(concerned)
    }
}

impl SizeTable {
    /// Removes the requests of a client for some terminals; returns these terminals.
    fn forget(&mut self, client: u64, gone: impl Fn(&HolderId) -> bool) -> Vec<HolderId> {
        let mut forgotten = Vec::new();
        self.terminals.retain(|id, requests| {
            if gone(id) && requests.sizes.remove(&client).is_some() {
                forgotten.push(id.clone());
            }
            !requests.sizes.is_empty()
        });
        forgotten
    }

    fn decide(&self, concerned: Vec<HolderId>) -> Vec<(HolderId, PaneSize)> {
        let sizes = concerned.into_iter().filter_map(|id| {
            let requests = self.terminals.get(&id)?;
            let typed = requests
                .last_typed_by
                .and_then(|client| requests.sizes.get(&client));
            let used = || {
                self.clients
                    .iter()
                    .rev()
                    .find_map(|client| requests.sizes.get(client))
            };
            let size = *typed.or_else(used)?;
            Some((id, size))
        });
        sizes.collect()
    }
}

/// Limiter of the rate at which one terminal is resized.
#[derive(Debug)]
pub(in crate::server) struct ResizeThrottle {
    size: PaneSize,
    is_known: bool,
    changed: Option<Instant>,
    pending: Option<PaneSize>,
}

/// Action for a requested size: nothing, resize now, or ask again later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum ResizeAction {
    /// Nothing to do: it has that size, or it will get it at its time.
    None,
    Now(PaneSize),
    /// Time to ask again, with [`ResizeThrottle::due`].
    At(Instant),
}

impl ResizeThrottle {
    /// Creates the throttle of a terminal whose holder has not reported yet.
    pub(in crate::server) fn new(size: PaneSize) -> ResizeThrottle {
        ResizeThrottle {
            size,
            is_known: false,
            changed: None,
            pending: None,
        }
    }

    /// Takes the size that the holder reports; or the size of the frame, after its program has ended.
    pub(in crate::server) fn confirm(&mut self, size: PaneSize, now: Instant) -> ResizeAction {
        self.size = size;
        self.is_known = true;
        self.due(now)
    }

    /// Forgets the holder, which is not connected any more; it may never have got the last size.
    pub(in crate::server) fn forget(&mut self) {
        if self.is_known {
            self.is_known = false;
            self.pending.get_or_insert(self.size);
        }
    }

    pub(in crate::server) fn request(&mut self, size: PaneSize, now: Instant) -> ResizeAction {
        if self.pending.is_some() || !self.is_known {
            self.pending = Some(size);
            return ResizeAction::None;
        }
        if self.size == size {
            return ResizeAction::None;
        }
        match self
            .changed
            .map(|at| at + MIN_RESIZE_INTERVAL)
            .filter(|at| *at > now)
        {
            Some(at) => {
                self.pending = Some(size);
                ResizeAction::At(at)
            }
            None => self.change(size, now),
        }
    }

    pub(in crate::server) fn due(&mut self, now: Instant) -> ResizeAction {
        if !self.is_known {
            return ResizeAction::None;
        }
        match self.pending.take() {
            Some(size) if size != self.size => self.change(size, now),
            Some(_) | None => ResizeAction::None,
        }
    }

    fn change(&mut self, size: PaneSize, now: Instant) -> ResizeAction {
        self.size = size;
        self.changed = Some(now);
        ResizeAction::Now(size)
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
    fn of_two_clients_nobody_has_used_the_first_decides_and_the_size_does_not_change_back_and_forth() {
        let sizes = TerminalSizes::default();
        for _ in 0..3 {
            assert_eq!(sizes.set_shown(1, &[(shell(), BIG)]), [(shell(), BIG)]);
            assert_eq!(sizes.set_shown(2, &[(shell(), SMALL)]), [(shell(), BIG)]);
        }
    }

    #[test]
    fn the_client_that_was_used_last_decides_among_those_that_show_it() {
        let sizes = TerminalSizes::default();
        sizes.set_shown(1, &[(shell(), BIG)]);
        sizes.touch(2);
        assert_eq!(sizes.set_shown(2, &[(shell(), SMALL)]), [(shell(), SMALL)]);
        // It turns to something else: the other one gets its size back.
        assert_eq!(
            sizes.set_shown(2, &[(agent(), SMALL)]),
            [(shell(), BIG), (agent(), SMALL)]
        );
    }

    #[test]
    fn a_terminal_follows_the_client_that_last_typed_into_it() {
        let sizes = TerminalSizes::default();
        sizes.set_shown(1, &[(shell(), BIG)]);
        sizes.set_shown(2, &[(shell(), SMALL)]);
        sizes.touch(2);
        sizes.typed(2, &shell());
        sizes.touch(1);
        assert_eq!(sizes.set_shown(1, &[(shell(), BIG)]), [(shell(), SMALL)]);
        sizes.typed(1, &shell());
        assert_eq!(sizes.set_shown(2, &[(shell(), SMALL)]), [(shell(), BIG)]);
    }

    #[test]
    fn when_one_leaves_the_other_gets_its_size() {
        let sizes = TerminalSizes::default();
        sizes.set_shown(1, &[(shell(), BIG)]);
        sizes.set_shown(2, &[(shell(), SMALL)]);
        sizes.touch(1);
        sizes.typed(1, &shell());
        assert_eq!(sizes.remove(1), [(shell(), SMALL)]);
        assert_eq!(sizes.remove(2), []);
    }

    #[test]
    fn the_first_change_is_made_at_once_and_of_many_after_it_only_the_last() {
        let began = Instant::now();
        let at = |millis| began + Duration::from_millis(millis);
        let size = |cols| PaneSize::cells(cols, 24);
        let mut paced = ResizeThrottle::new(size(70));
        assert_eq!(paced.confirm(size(80), at(0)), ResizeAction::None);
        assert_eq!(paced.request(size(80), at(0)), ResizeAction::None);
        assert_eq!(paced.request(size(81), at(0)), ResizeAction::Now(size(81)));
        assert_eq!(paced.request(size(82), at(10)), ResizeAction::At(at(50)));
        assert_eq!(paced.request(size(83), at(20)), ResizeAction::None);
        assert_eq!(paced.request(size(84), at(49)), ResizeAction::None);
        assert_eq!(paced.due(at(50)), ResizeAction::Now(size(84)));
        assert_eq!(paced.request(size(85), at(60)), ResizeAction::At(at(100)));
        // Back again before it was changed: nothing is left to do.
        assert_eq!(paced.request(size(84), at(70)), ResizeAction::None);
        assert_eq!(paced.due(at(100)), ResizeAction::None);
        assert_eq!(paced.request(size(80), at(101)), ResizeAction::Now(size(80)));
    }

    #[test]
    fn a_size_requested_before_the_holder_answers_is_not_lost() {
        let now = Instant::now();
        let mut paced = ResizeThrottle::new(SMALL);
        assert_eq!(paced.request(BIG, now), ResizeAction::None);
        assert_eq!(paced.due(now), ResizeAction::None);
        assert_eq!(paced.confirm(SMALL, now), ResizeAction::Now(BIG));
        assert_eq!(paced.request(BIG, now), ResizeAction::None);
    }

    #[test]
    fn a_size_that_may_not_have_reached_a_lost_holder_is_sent_again() {
        let now = Instant::now();
        let mut paced = ResizeThrottle::new(SMALL);
        paced.confirm(SMALL, now);
        assert_eq!(paced.request(BIG, now), ResizeAction::Now(BIG));
        paced.forget();
        assert_eq!(paced.due(now), ResizeAction::None);
        assert_eq!(paced.confirm(SMALL, now), ResizeAction::Now(BIG));
        // It has that size, and no client requested another one.
        paced.forget();
        paced.forget();
        assert_eq!(paced.confirm(BIG, now), ResizeAction::None);
    }
}
