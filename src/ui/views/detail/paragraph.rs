//! What the lines of a task are made of: sections and wrapped paragraphs.

use crate::ui::canvas::{Piece, piece};
use crate::ui::text::wrap;
use crate::ui::theme::Role;

/// Lines, each as the pieces it is drawn from.
pub(super) type Lines = Vec<Vec<Piece>>;

/// Begins a section: an empty line and its title.
pub(super) fn section(title: &str, lines: &mut Lines) {
    lines.push(Vec::new());
    lines.push(vec![piece(title, Role::Strong)]);
}

/// Adds a text, wrapped.
pub(super) fn paragraph(text: &str, role: Role, room: usize, lines: &mut Lines) {
    lines.extend(
        wrap(text, room.max(8))
            .into_iter()
            .map(|line| vec![piece(line, role)]),
    );
}
