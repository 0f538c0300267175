//! The small grammars inside a line of a plan: status words, ids of phases, bold fields.

use super::document::Inline;
use dbs_domain::plan_entry::Risk;

use super::model::PhaseStatus;
use crate::nearest::nearest;

/// Returns the status that a text names, with emoji and marks around it left out; `None` if it is not a word of a status.
pub(super) fn status(text: &str) -> Option<PhaseStatus> {
    let letters = |sign: char| if sign.is_alphabetic() { sign } else { ' ' };
    let lower: String = text.to_lowercase().chars().map(letters).collect();
    let words: Vec<&str> = lower.split_whitespace().collect();
    Some(match words.as_slice() {
        [] if text.trim().is_ascii() && !text.trim().is_empty() => return None,
        []
        | ["pending" | "todo" | "draft" | "planned" | "open", ..]
        | ["not", "started", ..]
        | ["to", "do", ..] => PhaseStatus::Pending,
        ["running", ..] | ["in", "progress", ..] => PhaseStatus::Running,
        ["validating", ..] => PhaseStatus::Validating,
        ["complete" | "completed" | "done", ..] => PhaseStatus::Completed,
        ["failed", ..] => PhaseStatus::Failed,
        ["blocked", ..] => PhaseStatus::Blocked,
        ["awaiting", ..] => PhaseStatus::AwaitingHuman,
        _ => return None,
    })
}

/// Words that are proposed for one that is not known.
pub(super) const RISKS: [&str; 3] = ["low", "medium", "high"];
pub(super) const STATUSES: [&str; 8] = [
    "pending",
    "in progress",
    "validating",
    "completed",
    "failed",
    "blocked",
    "awaiting human",
    "done",
];

/// Returns ` (did you mean WORD?)` with the word that a mistyped one was probably meant to be; empty if none is near.
pub(super) fn meant(text: &str, known: &[&str]) -> String {
    let word = nearest(&text.trim().to_lowercase(), known);
    word.map_or_else(String::new, |word| format!(" (did you mean {word}?)"))
}

/// Returns true if a text requires an approval, false if it says that none is; `None` if it says neither.
pub(super) fn approval(text: &str) -> Option<bool> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|sign: char| !sign.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    match words.as_slice() {
        ["required" | "yes", ..] => Some(true),
        [] | ["no" | "not" | "none" | "n" | "optional", ..] => Some(false),
        _ if words.contains(&"required") => Some(true),
        _ => None,
    }
}

/// Returns the highest risk that a text names, with emoji and other words left out; `None` if there is no word of a risk in it.
pub(super) fn risk(text: &str) -> Option<Risk> {
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| sign.is_whitespace() || sign.is_ascii_punctuation());
    words
        .filter_map(|word| match word {
            "low" | "minimal" | "🟢" => Some(Risk::Low),
            "medium" | "med" | "moderate" | "🟡" | "🟠" => Some(Risk::Medium),
            "high" | "critical" | "🔴" => Some(Risk::High),
            _ => None,
        })
        .max()
}

/// Maximum number of phases that are read from one text.
const MOST_NAMED: usize = 100;

/// Returns the ids of phases that a text names by the word: `Phase 1 and Phase 2.1`, `phases 3a`. A sentence that begins with a no names
/// none.
pub(super) fn named_phases(text: &str) -> Vec<String> {
    if is_none(text) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let words = text.split(|sign: char| !(sign.is_alphanumeric() || ".-_".contains(sign)));
    let mut is_next = false;
    for word in words.filter(|word| !word.is_empty()) {
        if ["phase", "phases"].contains(&word.to_lowercase().as_str()) {
            is_next = true;
            continue;
        }
        let id = word.trim_end_matches(['.', '-', '_']);
        if std::mem::take(&mut is_next) && is_id(id) && !found.iter().any(|known| known == id) {
            found.push(id.to_owned());
        }
        if found.len() == MOST_NAMED {
            break;
        }
    }
    found
}

/// Returns true if a text says that there is nothing: `None`, `N/A`, `-`, `no dependencies`.
pub(super) fn is_none(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let first = lower
        .split(|sign: char| sign.is_whitespace() || "(,;:.".contains(sign))
        .next();
    matches!(
        first,
        Some("" | "none" | "n/a" | "na" | "-" | "–" | "—" | "no" | "nothing")
    )
}

/// Returns true if a text can be the id of a phase: short, of letters, digits, dots and dashes, with a digit in it or one letter alone.
pub(super) fn is_id(text: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || ".-_".contains(sign);
    let has_digit = text.chars().any(|sign| sign.is_ascii_digit());
    !text.is_empty() && text.len() <= 32 && text.chars().all(is_sign) && (has_digit || text.len() == 1)
}

/// Returns the id of a phase in the name of its file: `phase-2.1-writer.md`, `PHASE_3a.md`.
pub(super) fn id_in_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let at = stem.to_ascii_lowercase().rfind("phase")?;
    let rest = stem.get(at + "phase".len()..)?;
    let mut words = rest.split(['-', '_', ' ']);
    let id = words.find(|word| !word.is_empty())?;
    is_id(id).then(|| id.to_owned())
}

/// Returns the title of a phase in the first heading of its file, which has it behind the number: `Shop Phase 2.1: Writer`.
pub(super) fn title_in_heading(heading: &str) -> &str {
    let lower = heading.to_ascii_lowercase();
    let behind = lower
        .find("phase")
        .and_then(|at| heading.get(at..)?.split_once(':'));
    behind.map_or(heading, |(_, title)| title).trim()
}

/// Returns the fields of a paragraph or an item: `**Key:** value`, with the colon inside or outside of the bold, one on a line.
pub(super) fn fields(text: &Inline) -> Vec<(String, Inline)> {
    let mut found: Vec<(String, Inline)> = Vec::new();
    let mut starts_line = true;
    let mut open_key = false;
    for piece in &text.0 {
        if open_key && piece.text.trim_start().starts_with(':') {
            let mut rest = piece.clone();
            piece
                .text
                .trim_start()
                .trim_start_matches(':')
                .clone_into(&mut rest.text);
            open_key = false;
            starts_line = ends_line(&rest.text);
            push(&mut found, rest);
            continue;
        }
        let key = piece.text.trim().strip_suffix(':');
        if piece.is_bold && starts_line && (key.is_some() || !piece.text.contains('\n')) {
            let name = key.unwrap_or(piece.text.trim()).trim();
            found.push((key_name(name), Inline::default()));
            open_key = key.is_none();
            starts_line = false;
            continue;
        }
        open_key = false;
        starts_line = ends_line(&piece.text);
        push(&mut found, piece.clone());
    }
    found
}

fn ends_line(text: &str) -> bool {
    text.rsplit('\n')
        .next()
        .is_some_and(|last| last.trim().is_empty())
        && text.contains('\n')
}

/// Adds text on the line of the field at hand to it; text on the next line does not belong to it.
fn push(found: &mut [(String, Inline)], mut piece: super::document::Piece) {
    let Some((_, value)) = found.last_mut() else {
        return;
    };
    let ended = value.0.last().is_some_and(|last| last.text.ends_with('\n'));
    if ended {
        return;
    }
    if let Some((line, _)) = piece.text.split_once('\n') {
        piece.text = format!("{line}\n");
    }
    value.0.push(piece);
}

/// Returns the form in which keys with spaces, underscores and in any case are equal.
fn key_name(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], " ")
}

#[cfg(test)]
mod tests {
    use super::super::document::{Part, parts};
    use super::*;

    #[test]
    fn a_status_is_known_with_emoji_and_marks_around_it() {
        let cases = [
            ("⏳ Pending", Some(PhaseStatus::Pending)),
            ("✅ **Completed** (2024)", Some(PhaseStatus::Completed)),
            ("in_progress", Some(PhaseStatus::Running)),
            ("In Progress", Some(PhaseStatus::Running)),
            ("awaiting_human", Some(PhaseStatus::AwaitingHuman)),
            ("🔍 Validating", Some(PhaseStatus::Validating)),
            ("❌ Failed", Some(PhaseStatus::Failed)),
            ("Blocked", Some(PhaseStatus::Blocked)),
            ("🔴 Not Started", Some(PhaseStatus::Pending)),
            ("", Some(PhaseStatus::Pending)),
            ("perhaps", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(status(text), wanted, "{text}");
        }
    }

    #[test]
    fn an_approval_is_required_or_not_and_anything_else_is_not_known() {
        let cases = [
            ("required", Some(true)),
            ("Yes, required by the owner", Some(true)),
            ("🔴 **Required**", Some(true)),
            ("human approval required", Some(true)),
            ("not required", Some(false)),
            ("None", Some(false)),
            ("-", Some(false)),
            ("requird", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(approval(text), wanted, "{text}");
        }
    }

    #[test]
    fn phases_are_named_by_the_word_alone() {
        assert_eq!(
            named_phases("Phase 1 (tables), phase 2.1 and Phases 3a."),
            ["1", "2.1", "3a"]
        );
        assert_eq!(
            named_phases("None (Phase 4 may run before)"),
            Vec::<String>::new()
        );
        assert_eq!(named_phases("n/a"), Vec::<String>::new());
        assert_eq!(named_phases("No phase 2 needed"), Vec::<String>::new());
        assert_eq!(named_phases("the phase of planning"), Vec::<String>::new());
    }

    #[test]
    fn a_field_may_have_its_colon_inside_or_outside_of_the_bold() {
        let text = "**Status:** Pending\n**Master Plan**: [m](m.md)\nmore\n**depends_on:** Phase 1\n**just bold** and text";
        let parts = parts(text);
        let [Part::Paragraph { text, .. }] = parts.as_slice() else {
            panic!("one paragraph")
        };
        let found: Vec<(String, String)> = fields(text)
            .into_iter()
            .map(|(key, value)| (key, value.plain()))
            .collect();
        let wanted = [
            ("status", "Pending"),
            ("master plan", "m"),
            ("depends on", "Phase 1"),
        ];
        for (key, value) in wanted {
            assert!(
                found.contains(&(key.to_owned(), value.to_owned())),
                "{key}: {found:?}"
            );
        }
    }
}
