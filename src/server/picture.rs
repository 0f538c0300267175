//! One client's picture: what became stale since it was drawn, and the bytes that make it fresh. Must not draw everything when
//! only terminals wrote something, and must give the same bytes' worth of screen as if it did.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::server::canvas::Canvas;
use crate::ui::{Frame, Layouted, Scene, ScreenId, State, Want};

/// What is not up to date, from nothing to everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stale {
    /// Nothing.
    Nothing,
    /// The output of terminals, perhaps.
    Terminals,
    /// Anything.
    Everything,
}

/// What a client sees.
pub(super) struct Picture {
    canvas: Canvas,
    frame: Frame,
    stale: Stale,
    is_whole: bool,
}

impl Picture {
    /// Nothing is drawn yet.
    pub(super) fn new(size: (u16, u16)) -> Picture {
        Picture {
            canvas: Canvas::new(size),
            frame: Frame::default(),
            stale: Stale::Everything,
            is_whole: false,
        }
    }

    /// Begins anew, on a terminal of which nothing is known.
    pub(super) fn anew(&mut self, size: (u16, u16)) {
        self.canvas = Canvas::new(size);
        self.stale = Stale::Everything;
    }

    /// Notes that something changed.
    pub(super) fn mark(&mut self, stale: Stale) {
        self.stale = self.stale.max(stale);
    }

    /// What is not up to date.
    pub(super) fn stale(&self) -> Stale {
        self.stale
    }

    /// Whether a program is in the middle of a frame of its own, which is waited for a little.
    pub(super) fn is_held(&self) -> bool {
        self.frame.is_held()
    }

    /// Whether everything was drawn the last time, so that things may be elsewhere.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Where things are.
    pub(super) fn layout(&self) -> &Layouted {
        &self.frame.layout
    }

    /// What must be fetched for what is shown; told once.
    pub(super) fn take_wants(&mut self) -> Vec<Want> {
        std::mem::take(&mut self.frame.layout.wants)
    }

    /// The terminals whose output is on it.
    pub(super) fn watched(&self) -> impl Iterator<Item = ScreenId> + '_ {
        self.frame.watched()
    }

    /// Draws what one terminal wrote and leaves the rest as it is; answers the bytes for that, nothing when more must be drawn.
    pub(super) fn draw_alone(
        &mut self,
        state: &State,
        scene: &Scene<'_>,
        terminal: ScreenId,
    ) -> Option<Vec<u8>> {
        if self.stale == Stale::Everything || self.canvas.is_fresh() {
            return None;
        }
        let (_, next) = self.canvas.buffers();
        let patch = || self.frame.patch(state, scene, next, Some(terminal));
        let rows = catch_unwind(AssertUnwindSafe(patch)).ok().flatten()?;
        Some(self.canvas.rows(&rows, self.frame.layout.cursor))
    }

    /// Draws what is stale; answers the bytes that bring the client's terminal there, none when it is there.
    pub(super) fn draw(&mut self, state: &State, scene: &Scene<'_>) -> Vec<u8> {
        let what = std::mem::replace(&mut self.stale, Stale::Nothing);
        let fresh = self.canvas.is_fresh();
        let (shown, next) = self.canvas.buffers();
        let patched = (what == Stale::Terminals && !fresh)
            // What breaks here breaks its pane alone when everything is drawn.
            .then(|| catch_unwind(AssertUnwindSafe(|| self.frame.patch(state, scene, next, None))).ok())
            .flatten()
            .flatten();
        self.is_whole = patched.is_none();
        if let Some(rows) = patched {
            return self.canvas.rows(&rows, self.frame.layout.cursor);
        }
        self.frame = Frame::whole(&self.frame, shown, state, scene, next);
        self.canvas.all(self.frame.layout.cursor)
    }
}

#[cfg(test)]
mod tests;
