//! The attached clients together: who looks, whose terminal decides sizes and colours, and how many there are.

use crossterm::event::{Event as InputEvent, MouseEventKind};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::ports::holders::{HolderId, PaneSize};
use crate::server::colours::{ClientColours, ReportedColours};
use crate::server::hub::TerminalHub;
use crate::server::presence::Presence;
use crate::server::sizes::TerminalSizes;
use crate::term::ColorPalette;

/// All attached clients, and what they decide together about the terminals.
pub(super) struct AttachedClients {
    pub(super) presence: Presence,
    hub: TerminalHub,
    /// Changes of size that wait for their time.
    waiting: TaskTracker,
    sizes: TerminalSizes,
    colours: ClientColours,
}

impl AttachedClients {
    /// Nobody is attached yet. Changes of size that wait are tasks of that tracker.
    pub(super) fn new(hub: TerminalHub, waiting: TaskTracker) -> AttachedClients {
        AttachedClients {
            presence: Presence::default(),
            hub,
            waiting,
            sizes: TerminalSizes::default(),
            colours: ClientColours::default(),
        }
    }

    /// How many clients draw.
    pub(super) fn count(&self) -> usize {
        self.presence.count()
    }

    /// Notes what an event tells of the person at that client: whether it is used, and whether keys are pressed.
    pub(super) fn received(&self, client: u64, event: &InputEvent) {
        let by_hand = match event {
            InputEvent::Key(_) | InputEvent::Paste(_) => true,
            InputEvent::Mouse(mouse) => mouse.kind != MouseEventKind::Moved,
            InputEvent::FocusGained | InputEvent::FocusLost | InputEvent::Resize(..) => false,
        };
        if by_hand {
            self.presence.note_key();
        }
        if by_hand || *event == InputEvent::FocusGained {
            self.used(client);
        }
    }

    pub(super) fn used(&self, client: u64) {
        self.sizes.touch(client);
        self.show(self.colours.touch(client));
    }

    /// A person typed into that terminal at that client. Answers whether another client did so before.
    pub(super) fn typed(&self, client: u64, id: &HolderId) -> bool {
        self.sizes.typed(client, id)
    }

    /// That client shows these terminals at these sizes, and no other.
    pub(super) fn shows(&self, client: u64, shown: &[(HolderId, PaneSize)]) {
        self.resize(self.sizes.set_shown(client, shown));
    }

    pub(super) fn has_colours(&self, client: u64, known: ReportedColours) {
        self.show(self.colours.report(client, known));
    }

    pub(super) fn left(&self, client: u64) {
        self.resize(self.sizes.remove(client));
        self.show(self.colours.remove(client));
        self.presence.remove(client);
    }

    /// Gives programs these colours, if they have changed.
    fn show(&self, palette: Option<ColorPalette>) {
        if let Some(palette) = palette {
            self.hub.set_palette(palette);
        }
    }

    /// Gives terminals their sizes, each at its pace.
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
