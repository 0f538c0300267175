//! Keys in the list of everything that a project's files would start.

use crate::term::keys::Key;

use super::prompts::{ListKey, list_step};
use super::{UiRequest, UpdateContext};
use crate::keymap::Chord;
use crate::ui::state::{Overlay, TrustReview};

impl UpdateContext<'_, '_> {
    /// Handles a key; returns the overlay afterwards.
    pub(super) fn trust_key(&mut self, mut review: TrustReview, chord: Chord) -> Option<Overlay> {
        let texts = self
            .scene
            .cache
            .trust(review.opened)
            .map_or(&[][..], |overview| &overview.texts);
        let is_view_key = chord.code() == Key::Char('v');
        if chord.code() == Key::Char('t') {
            return self.trust_shown(review);
        }
        match (list_step(chord), &mut review.reading) {
            (ListKey::Close, None) => return None,
            (ListKey::Close, reading) => *reading = None,
            (ListKey::By(rows), Some(first)) => {
                let all = texts.get(review.marked).map_or(0, |text| text.lines.len());
                *first = first.saturating_add_signed(rows).min(all.saturating_sub(1));
            }
            (ListKey::By(rows), None) => {
                let last = texts.len().saturating_sub(1);
                review.marked = review.marked.saturating_add_signed(rows).min(last);
            }
            (ListKey::Take, reading) => *reading = Some(0),
            (ListKey::Other, reading) if is_view_key => *reading = reading.is_none().then_some(0),
            (ListKey::Other, _) => {}
        }
        Some(Overlay::Trust(review))
    }

    /// Trusts exactly the shown texts: the server refuses when the files have changed by now.
    fn trust_shown(&mut self, review: TrustReview) -> Option<Overlay> {
        let overview = self.scene.cache.trust(review.opened);
        match overview.map(|overview| (overview.is_trusted, overview.hash.clone())) {
            Some((false, Some(hash))) => {
                self.ask(UiRequest::Trust(hash));
                None
            }
            Some((true, _)) => {
                self.inform("all of it is trusted already");
                Some(Overlay::Trust(review))
            }
            Some((false, None)) | None => {
                self.warn("it could not be read, so it cannot be trusted");
                Some(Overlay::Trust(review))
            }
        }
    }
}
