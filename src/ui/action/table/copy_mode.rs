//! The rows about taking text from a terminal. Data only.

use super::row;
use crate::ui::action::{Action, ActionEntry, ActionGroup, Availability, TextMove};
use crate::ui::scrollback::SelectionMode;

pub(super) const ROWS: &[ActionEntry] = &[
    row(
        Action::CopyMode,
        "copy_mode",
        (
            "copy mode",
            "Hold the terminal still to move over it, search it and copy from it.",
        ),
        &["yank", "scrollback", "select", "history"],
        (ActionGroup::Copying, Availability::TerminalFocus),
    ),
    row(
        Action::Select(SelectionMode::Text),
        "select",
        ("select", "Begin to select, letter by letter; again: stop."),
        &["visual", "mark text"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Select(SelectionMode::Lines),
        "select_lines",
        ("select lines", "Begin to select whole lines; again: stop."),
        &["visual line"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Select(SelectionMode::Block),
        "select_block",
        ("select block", "Begin to select a rectangle; again: stop."),
        &["rectangle", "column"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::OtherEnd,
        "other_end",
        (
            "other end",
            "To the other end of the selection; without one, open the link under the cursor.",
        ),
        &["swap ends"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::CopySelection,
        "yank",
        (
            "copy",
            "Copy what is selected, or the line; wrapped lines are joined.",
        ),
        &["clipboard", "take"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::FindBackward,
        "find_back",
        ("find above", "Search upward."),
        &["search back", "reverse"],
        (ActionGroup::Copying, Availability::TerminalFocus),
    ),
    row(
        Action::Text(TextMove::WordNext),
        "word_next",
        ("next word", "To the beginning of the next word."),
        &["word"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::WordBack),
        "word_back",
        ("word back", "To the beginning of the word, or of the one before."),
        &["word"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::WordEnd),
        "word_end",
        ("word end", "To the end of the word, or of the next one."),
        &["word"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::LineStart),
        "line_start",
        ("line start", "To the first column."),
        &["column", "begin"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::LineFirst),
        "line_first",
        ("first letter", "To the first letter of the line."),
        &["indent"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::LineEnd),
        "line_end",
        ("line end", "To the last letter of the line."),
        &["column"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::Top),
        "screen_top",
        ("top line", "To the first line that is seen."),
        &["high"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::Middle),
        "screen_middle",
        ("middle line", "To the line in the middle."),
        &["centre"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::Bottom),
        "screen_bottom",
        ("bottom line", "To the last line that is seen."),
        &["low"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::HalfUp),
        "half_up",
        ("half page up", "Half a page back."),
        &["scroll"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Text(TextMove::HalfDown),
        "half_down",
        ("half page down", "Half a page on."),
        &["scroll"],
        (ActionGroup::Copying, Availability::CopyMode),
    ),
    row(
        Action::Paste,
        "paste",
        ("paste", "Type what was copied last into the terminal."),
        &["insert", "put"],
        (ActionGroup::Copying, Availability::Terminal),
    ),
    row(
        Action::EditScrollback,
        "edit_text",
        (
            "in editor",
            "Open what is selected, or all that the terminal has shown, in your editor; it can be saved there as a file.",
        ),
        &["editor", "file", "save", "export"],
        (ActionGroup::Copying, Availability::TerminalFocus),
    ),
    row(
        Action::OpenLink,
        "open_link",
        (
            "open link",
            "Open the link under the cursor, or one of those on the screen; shows where it leads, and asks. Control and a click do the same.",
        ),
        &["url", "browser", "web", "address"],
        (ActionGroup::Copying, Availability::TerminalFocus),
    ),
];
