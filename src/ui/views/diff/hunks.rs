//! The differing lines of one file: numbers, a mark, the text. Draws them, nothing else.

use super::{NUMBERS_FROM, ViewContext};
use crate::read_model::{DiffLine, DiffLineKind, FileChange, FileDiff};
use crate::ui::canvas::prelude::*;

/// Draws as many lines as there is room for, scrolled as the pane is.
pub(super) fn lines(ctx: &ViewContext<'_>, file: &FileDiff, area: Rect, canvas: &mut Canvas<'_>) {
    let height = usize::from(area.height);
    let first = ctx.pane.scroll.min(file.lines.len().saturating_sub(height));
    let numbers = area.width >= NUMBERS_FROM;
    for (at, line) in file.lines.iter().skip(first).take(height).enumerate() {
        canvas.line(row_of(area, at), &drawn(line, numbers, ctx.scene.theme.glyphs));
    }
    if file.lines.is_empty() {
        let text = match file.kind {
            FileChange::Moved => "Moved; its content is the same.",
            FileChange::Added => "New and empty.",
            FileChange::Deleted | FileChange::Changed => "No lines to show.",
        };
        canvas.line(row_of(area, 0), &[dim(format!(" {text}"))]);
    }
}

/// Returns the numbers, the mark and the text of one line; the mark alone has the meaning of the colour.
fn drawn(line: &DiffLine, numbers: bool, glyphs: Glyphs) -> Vec<StyledText> {
    let (mark, role) = match line.kind {
        DiffLineKind::Hunk => return vec![piece(format!(" {}", line.text), StyleRole::Verifying)],
        DiffLineKind::Note => return vec![dim(format!("   {}", line.text))],
        DiffLineKind::Context => (" ", StyleRole::Text),
        DiffLineKind::Added => ("+", StyleRole::Done),
        DiffLineKind::Removed => ("-", StyleRole::Failed),
    };
    let number = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
    let mut pieces = Vec::new();
    if numbers {
        let gutter = glyphs.pick("│", "|");
        let text = format!("{:>5} {:>5} {gutter}", number(line.old), number(line.new));
        pieces.push(dim(text));
    }
    let text = line.text.replace('\t', "    ");
    pieces.push(piece(format!("{mark}{text}"), role));
    pieces
}
