//! Pasted text for the program in a pane. Must not let the text end the paste early or act as keys.

use crate::modes::{Modes, TermMode};

/// Returns the bytes for pasted text: between markers if the program asked for them, else with line breaks as Enter sends them. Control
/// characters but tab and line breaks are left out, so the text can neither end the paste nor act as a key.
pub fn encode_paste(text: &str, modes: &Modes) -> Vec<u8> {
    let bracketed = modes.has(TermMode::BracketedPaste);
    let clean = without_controls(&without_markers(text));
    let mut bytes = Vec::with_capacity(clean.len() + 12);
    if bracketed {
        bytes.extend_from_slice(b"\x1b[200~");
        bytes.extend_from_slice(clean.as_bytes());
        bytes.extend_from_slice(b"\x1b[201~");
    } else {
        bytes.extend_from_slice(clean.replace("\r\n", "\r").replace('\n', "\r").as_bytes());
    }
    bytes
}

/// Removes all markers. Removing one can make another out of its surroundings, so this continues until none is left.
fn without_markers(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(marker) = ["\x1b[200~", "\x1b[201~", "\u{9b}200~", "\u{9b}201~"]
        .iter()
        .find(|m| text.contains(**m))
    {
        text = text.replace(*marker, "");
    }
    text
}

fn without_controls(text: &str) -> String {
    text.chars()
        .filter(|&c| matches!(c, '\t' | '\r' | '\n') || !c.is_control())
        .collect()
}
