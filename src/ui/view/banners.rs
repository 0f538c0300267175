//! What is never left out of the top row: what is wrong with the connection or the work, that the board is paused, that it is a
//! rehearsal, and, where the strip is missing, how much needs a person. Where there is little room it is said in fewer words.

use super::{FrameOf, machine};
use crate::domain::Pause;
use crate::ui::arrange::Framing;
use crate::ui::canvas::{Piece, piece, pieces_width};
use crate::ui::marker::Mark;
use crate::ui::scene::SessionKind;
use crate::ui::text::{clean, cut};
use crate::ui::theme::Role;

/// How much banners say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// All of it.
    All,
    /// What it is, not who did it or why.
    Few,
}

/// Columns of a foreign text that is said in few words.
const FEW: usize = 14;

/// All banners, with spaces around them.
pub(super) fn banners(frame: &FrameOf<'_>, words: Words) -> Vec<Piece> {
    spaced(all(frame, words))
}

/// Those that fit into so many columns, in few words; how many others there are is counted behind them.
pub(super) fn that_fit(frame: &FrameOf<'_>, room: usize) -> Vec<Piece> {
    let all = all(frame, Words::Few);
    let first = |kept: usize| {
        let mut row: Vec<Piece> = all.iter().take(kept).cloned().collect();
        if kept < all.len() {
            row.push(piece(format!(" +{} ", all.len() - kept), Role::Banner));
        }
        spaced(row)
    };
    let mut rows = (0..=all.len()).rev().map(first);
    rows.find(|row| pieces_width(row) <= room).unwrap_or_default()
}

fn spaced(banners: Vec<Piece>) -> Vec<Piece> {
    let space = || piece(" ", Role::Text);
    let with_space = banners.into_iter().flat_map(|banner| [space(), banner]);
    with_space.chain([space()]).collect()
}

/// The worst first: where there is no room, the last ones go.
fn all(frame: &FrameOf<'_>, words: Words) -> Vec<Piece> {
    let scene = frame.scene;
    let needs = scene.model.attention.len();
    let needs_you = (frame.arranged.framing == Framing::Bare && needs > 0).then(|| {
        let glyph = Mark::NeedsYou.glyph(scene.theme.glyphs);
        piece(format!("{glyph}{needs}"), Role::Human)
    });
    let connection = scene.session.connection.as_deref().map(clean);
    let connection = connection.map(|text| match words {
        Words::All => banner(&text),
        Words::Few => banner(&cut(&text, FEW, scene.theme.more())),
    });
    // The strip says it in full, where it has nothing more pressing to say.
    let in_strip = needs == 0 && frame.arranged.framing == Framing::Boxed;
    let trouble = scene.model.troubles.first().filter(|_| !in_strip);
    let trouble = trouble.map(|trouble| banner(trouble.cause.word()));
    let pause = scene.model.pause.as_ref();
    let pause = pause.map(|pause| banner(&paused(frame, pause, words)));
    let rehearsal =
        (scene.session.kind == SessionKind::Rehearsal).then(|| piece(" REHEARSAL ", Role::Rehearsal));
    let all = [
        needs_you,
        connection,
        trouble,
        machine::scarce(frame),
        pause,
        rehearsal,
    ];
    all.into_iter().flatten().collect()
}

fn banner(text: &str) -> Piece {
    piece(format!(" {text} "), Role::Banner)
}

fn paused(frame: &FrameOf<'_>, pause: &Pause, words: Words) -> String {
    let now = frame.scene.now;
    match (pause, words) {
        (Pause::Operator { by, at }, Words::All) => format!("PAUSED by {by} {}", now.since(*at)),
        (Pause::Operator { .. }, Words::Few) => "PAUSED".to_owned(),
        (Pause::Quota { until, .. }, Words::All) => {
            format!("PAUSED usage limit, {} left", until.since(now))
        }
        (Pause::Quota { until, .. }, Words::Few) => format!("PAUSED {} left", until.since(now)),
    }
}
