//! What the lines of a task are made of: sections and wrapped paragraphs.

use crate::ui::canvas::{StyledText, piece};
use crate::ui::text::wrap;
use crate::ui::theme::StyleRole;

/// Lines, each as the pieces it is drawn from.
pub(super) type Lines = Vec<Vec<StyledText>>;

/// Begins a section: an empty line and its title.
pub(super) fn section(title: &str, lines: &mut Lines) {
    lines.push(Vec::new());
    lines.push(vec![piece(title, StyleRole::Strong)]);
}

/// Adds a text, wrapped.
pub(super) fn paragraph(text: &str, role: StyleRole, room: usize, lines: &mut Lines) {
    lines.extend(
        wrap(text, room.max(8))
            .into_iter()
            .map(|line| vec![piece(line, role)]),
    );
}
