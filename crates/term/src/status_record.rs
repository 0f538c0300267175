//! Program status records (OSC 7501): the state an agent reports about itself. Must not decide what a record means for a task.

use super::base64;

/// A status record (OSC 7501) in which a program reports its own state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusRecord {
    pub state: ReportedState,
    /// The program that reports, such as `claude-code`.
    pub app: Option<String>,
    /// Id of the owner of the record; `None` for the program itself.
    pub id: Option<String>,
    /// Reason for a block: `permission`, `question`, `auth`.
    pub kind: Option<String>,
    /// Message about the state.
    pub text: Option<String>,
    /// A name for the work.
    pub title: Option<String>,
}

/// The state a program reports about itself in a status record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReportedState {
    /// Waiting for the next prompt.
    #[default]
    Idle,
    Working,
    Done,
    /// Waits for a human.
    Blocked,
    Error,
    /// The record with this id is withdrawn.
    Clear,
}

impl StatusRecord {
    /// Reads the text behind `7501;`. Unknown keys are ignored; none without a known state.
    pub fn parse(text: &str) -> Option<Self> {
        let mut record = Self::default();
        let mut state = None;
        for field in text.split(':') {
            let Some((key, value)) = field.split_once('=') else {
                continue;
            };
            match key {
                "state" => state = ReportedState::parse(value),
                "app" => record.app = Some(value.to_owned()),
                "id" => record.id = Some(value.to_owned()),
                "kind" => record.kind = Some(value.to_owned()),
                "msg" => record.text = base64::decode_text(value),
                "title" => record.title = base64::decode_text(value),
                _ => {}
            }
        }
        record.state = state?;
        Some(record)
    }
}

impl ReportedState {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "idle" => Self::Idle,
            "working" => Self::Working,
            "done" => Self::Done,
            "blocked" => Self::Blocked,
            "error" => Self::Error,
            "clear" => Self::Clear,
            _ => return None,
        })
    }
}
