//! Banners that are never dropped from the top row: problems of the connection or the work, the paused board, the demo, and, where the
//! strip is missing, the number of tasks that need a person. Where there is little room they are shortened.

use super::{FrameContext, machine};
use crate::display::text::{clean, cut};
use crate::domain::{PauseReason, UsageLimit};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::SessionKind;
use crate::ui::screen_layout::BorderMode;
use crate::ui::status::DisplayStatus;

/// Length of the texts of the banners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Full text.
    All,
    /// The fact alone, without its author and reason.
    Few,
}

/// Width from which a demo has its full banner.
const WIDE: u16 = 120;
/// Columns of a foreign text in a short banner.
const FEW: usize = 14;

/// Returns all banners, with spaces around them.
pub(super) fn banners(frame: &FrameContext<'_>, words: Words) -> Vec<StyledText> {
    spaced(all(frame, words))
}

/// Returns the banners that fit into that many columns, in few words; the number of the others is added behind them.
pub(super) fn that_fit(frame: &FrameContext<'_>, room: usize) -> Vec<StyledText> {
    let all = all(frame, Words::Few);
    let first = |kept: usize| {
        let mut row: Vec<StyledText> = all.iter().take(kept).cloned().collect();
        if kept < all.len() {
            row.push(piece(format!(" +{} ", all.len() - kept), StyleRole::Banner));
        }
        spaced(row)
    };
    let mut rows = (0..=all.len()).rev().map(first);
    rows.find(|row| pieces_width(row) <= room).unwrap_or_default()
}

fn spaced(banners: Vec<StyledText>) -> Vec<StyledText> {
    let space = || plain(" ");
    let with_space = banners.into_iter().flat_map(|banner| [space(), banner]);
    with_space.chain([space()]).collect()
}

/// Returns all banners, the worst first: if there is no room, the last ones are dropped.
fn all(frame: &FrameContext<'_>, words: Words) -> Vec<StyledText> {
    let scene = frame.scene;
    let needs = scene.model.attention.len();
    let needs_you = (frame.layout.framing == BorderMode::Borderless && needs > 0).then(|| {
        let glyph = DisplayStatus::NeedsYou.glyph(scene.theme.glyphs);
        piece(format!("{glyph}{needs}"), StyleRole::Human)
    });
    let connection = scene.session.notice.as_deref().map(clean);
    let connection = connection.map(|text| match words {
        Words::All => banner(&text),
        Words::Few => banner(&cut(&text, FEW, scene.theme.ellipsis())),
    });
    // The strip has the full text, where it has nothing more pressing to show.
    let in_strip = needs == 0 && frame.layout.framing == BorderMode::Bordered;
    let trouble = scene.model.troubles.first().filter(|_| !in_strip);
    let trouble = trouble.map(|trouble| banner(trouble.kind.word()));
    let pause = scene.model.pause.as_ref();
    let pause = pause.map(|pause| banner(&paused(frame, pause, words)));
    let limits = scene.model.limits.iter();
    let limits: Vec<StyledText> = limits
        .map(|(account, limit)| banner(&limited(frame, account, limit)))
        .collect();
    let demo = (scene.session.kind == SessionKind::Rehearsal).then(|| {
        let is_wide = frame.layout.top_bar.width >= WIDE;
        let text = match (words, scene.theme.glyphs) {
            (Words::Few, _) => " DEMO ",
            (Words::All, _) if !is_wide => " DEMO ",
            (Words::All, Glyphs::Unicode) => " DEMO · scripted agents ",
            (Words::All, Glyphs::Ascii) => " DEMO - scripted agents ",
        };
        piece(text, StyleRole::Rehearsal)
    });
    let all = [
        needs_you,
        connection,
        trouble,
        machine::scarce(frame),
        pause,
        demo,
    ];
    all.into_iter().flatten().chain(limits).collect()
}

fn banner(text: &str) -> StyledText {
    piece(format!(" {text} "), StyleRole::Banner)
}

fn limited(frame: &FrameContext<'_>, account: &str, limit: &UsageLimit) -> String {
    format!(
        "{account} usage limit, {} left",
        limit.until.since(frame.scene.now)
    )
}

fn paused(frame: &FrameContext<'_>, pause: &PauseReason, words: Words) -> String {
    let now = frame.scene.now;
    match (pause, words) {
        (PauseReason::Operator { by, at }, Words::All) => format!("PAUSED by {by} {}", now.since(*at)),
        (PauseReason::Operator { .. }, Words::Few) => "PAUSED".to_owned(),
        (PauseReason::Quota { until, .. }, Words::All) => {
            format!("PAUSED usage limit, {} left", until.since(now))
        }
        (PauseReason::Quota { until, .. }, Words::Few) => format!("PAUSED {} left", until.since(now)),
    }
}
