//! Reports of a program to its terminal about itself: OSC 7501 states and the title. Text in, bytes out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::formats::scenario::{ScenarioAskKind, ScenarioState};
use crate::formats::tag::tag_and_content;

/// The OSC 7501 record of a state.
pub(super) fn state(state: ScenarioState, kind: Option<ScenarioAskKind>, text: Option<&str>) -> String {
    let mut record = format!("\x1b]7501;state={}:app=rehearsal", word(state));
    if let Some(kind) = kind {
        record.push_str(":kind=");
        record.push_str(&word(kind));
    }
    if let Some(text) = text {
        record.push_str(":msg=");
        record.push_str(&STANDARD.encode(text));
    }
    record.push_str("\x1b\\");
    record
}

/// The word OSC 7501 uses, which is that of scenario files.
fn word(value: impl Serialize) -> String {
    tag_and_content(&value).unwrap_or_default().0
}

/// The sequence that sets the title; control characters are dropped, they would end it early.
pub(super) fn title(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\x1b]0;{clean}\x07")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_names_what_is_asked_for() {
        let record = state(
            ScenarioState::Blocked,
            Some(ScenarioAskKind::Permission),
            Some("foo"),
        );
        assert_eq!(
            record,
            "\x1b]7501;state=blocked:app=rehearsal:kind=permission:msg=Zm9v\x1b\\"
        );
    }

    #[test]
    fn a_title_cannot_break_out_of_its_sequence() {
        assert_eq!(title("a\x07\x1b]b"), "\x1b]0;a]b\x07");
    }
}
