//! The colour of a project: always the same one for the same name. It carries no information beyond the name beside it.

use ratatui::style::{Color, Modifier, Style};

use super::Theme;
use crate::display::ColourDepth;

/// Colours from the part of the table that people do not change: far apart from each other, and 3 to 1 against the ground of every built-in
/// theme, black and white (WCAG 2, non-text contrast).
pub(super) const OF_256: [u8; 16] = [
    28, 29, 30, 31, 32, 33, 63, 100, 130, 132, 134, 165, 167, 196, 197, 199,
];
/// The person's own colours, except black, white and the greys.
pub(super) const OF_16: [u8; 12] = [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14];

impl Theme {
    /// Returns the style of the cell that marks the project of that name; like any other if there are no colours.
    pub(crate) fn accent(&self, project: &str) -> Style {
        let colours: &[u8] = match self.palette {
            ColourDepth::Mono => &[],
            ColourDepth::Sixteen => &OF_16,
            ColourDepth::Indexed | ColourDepth::True => &OF_256,
        };
        let many = u64::try_from(colours.len()).unwrap_or(u64::MAX).max(1);
        let nth = usize::try_from(hash(project) % many).unwrap_or_default();
        colours
            .get(nth)
            .map(|colour| Style::new().bg(Color::Indexed(*colour)))
            .map(|style| style.remove_modifier(Modifier::REVERSED))
            .unwrap_or_default()
    }
}

/// FNV-1a, folded: the same on every machine and in every version, and the letters at the end count as much as the first.
fn hash(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash ^ (hash >> 32)
}
