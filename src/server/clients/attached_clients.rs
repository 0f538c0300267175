//! The attached clients together: the people who look, the terminal that decides sizes and colours, and the number of clients.

use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::ports::holders::{HolderId, PaneSize};
use crate::protocol::wire::InputEvent;
use crate::server::clients::colours::{ClientColours, ReportedColours};
use crate::server::clients::presence::Presence;
use crate::server::terminals::hub::TerminalHub;
use crate::server::terminals::sizes::TerminalSizes;
use crate::term::ColorPalette;
use crate::term::keys::MouseKind;

/// All attached clients, and what they decide together about the terminals.
pub(in crate::server) struct AttachedClients {
    pub(in crate::server) presence: Presence,
    hub: TerminalHub,
    /// Changes of size that are delayed.
    waiting: TaskTracker,
    sizes: TerminalSizes,
    colours: ClientColours,
}

impl AttachedClients {
    /// Creates the set without clients. Delayed changes of size are tasks of that tracker.
    pub(in crate::server) fn new(hub: TerminalHub, waiting: TaskTracker) -> AttachedClients {
        AttachedClients {
            presence: Presence::default(),
            hub,
            waiting,
            sizes: TerminalSizes::default(),
            colours: ClientColours::default(),
        }
    }

    /// Returns the number of clients that draw.
    pub(in crate::server) fn count(&self) -> usize {
        self.presence.count()
    }

    /// Notes the use of that client by an event, and the typing of its person.
    pub(in crate::server) fn received(&self, client: u64, event: &InputEvent) {
        let by_hand = match event {
            InputEvent::Key(_) | InputEvent::Paste(_) => true,
            InputEvent::Mouse(mouse) => mouse.kind != MouseKind::Motion(None),
            InputEvent::Focus(_) | InputEvent::Resize(..) => false,
        };
        if by_hand {
            self.presence.note_key();
        }
        if by_hand || *event == InputEvent::Focus(true) {
            self.used(client);
        }
    }

    pub(in crate::server) fn used(&self, client: u64) {
        self.sizes.touch(client);
        self.show(self.colours.touch(client));
    }

    /// Notes that a person typed into that terminal at that client. Returns true if another client did so before.
    pub(in crate::server) fn typed(&self, client: u64, id: &HolderId) -> bool {
        self.sizes.typed(client, id)
    }

    /// Notes that the client shows these terminals at these sizes, and no others.
    pub(in crate::server) fn shows(&self, client: u64, shown: &[(HolderId, PaneSize)]) {
        self.resize(self.sizes.set_shown(client, shown));
    }

    pub(in crate::server) fn has_colours(&self, client: u64, colours: ReportedColours) {
        self.show(self.colours.report(client, colours));
    }

    pub(in crate::server) fn left(&self, client: u64) {
        self.resize(self.sizes.remove(client));
        self.show(self.colours.remove(client));
        self.presence.remove(client);
    }

    /// Sets the colours of programs, if they have changed.
    fn show(&self, palette: Option<ColorPalette>) {
        if let Some(palette) = palette {
            self.hub.set_palette(palette);
        }
    }

    /// Sets the sizes of terminals, each at its pace.
    fn resize(&self, sizes: Vec<(HolderId, PaneSize)>) {
        for (id, size) in sizes {
            let Some(at) = self.hub.resize(&id, size, Instant::now()) else {
                continue;
            };
            let hub = self.hub.clone();
            self.waiting.spawn(async move {
                tokio::time::sleep_until(at).await;
                hub.apply_pending_size(&id, Instant::now());
            });
        }
    }
}
