//! Control strings (OSC, DCS, APC, PM, SOS). Must not keep more than their limits.

use memchr::{memchr, memchr2};

/// Maximum length of an OSC string that is used. A longer one (an image, say) is skipped to its end.
const MAX_OSC_BYTES: usize = 1 << 20;
/// Bytes kept of a DCS string; the rest is skipped to its end.
const MAX_DCS_BYTES: usize = 64 << 10;

/// Kinds of control strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringKind {
    Osc,
    Dcs,
    /// The title as screen and tmux take it (`ESC k`).
    Title,
    /// Application program command, privacy message, start of string: skipped.
    Ignored,
}

/// Progress of reading a control string.
pub(super) enum StringProgress {
    Unfinished,
    /// Cancelled, cut off by another sequence, or too long and at its end.
    Abandoned,
    /// Cut off by a sequence whose ESC was in the bytes before.
    CutOff,
    Complete {
        bell: bool,
    },
}

/// Reads one control string over any number of chunks of bytes.
#[derive(Debug)]
pub(super) struct StringReader {
    kind: StringKind,
    body: Vec<u8>,
    is_too_long: bool,
    after_escape: bool,
}

impl StringReader {
    pub(super) fn new(kind: StringKind) -> Self {
        Self {
            kind,
            body: Vec::new(),
            is_too_long: false,
            after_escape: false,
        }
    }

    pub(super) fn kind(&self) -> StringKind {
        self.kind
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Reads from `bytes` and returns how many of them belong to the string.
    pub(super) fn read(&mut self, bytes: &[u8]) -> (StringProgress, usize) {
        if self.after_escape {
            return match bytes.first() {
                Some(b'\\') => (self.complete(false), 1),
                _ => (StringProgress::CutOff, 0),
            };
        }
        let end = self.end(bytes);
        self.keep(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default());
        let Some(end) = end else {
            return (StringProgress::Unfinished, bytes.len());
        };
        match (bytes.get(end), bytes.get(end + 1)) {
            (Some(0x07), _) => (self.complete(true), end + 1),
            (Some(0x1b), Some(b'\\')) => (self.complete(false), end + 2),
            // The ESC begins the next sequence.
            (Some(0x1b), Some(_)) => (StringProgress::Abandoned, end),
            (Some(0x1b), None) => {
                self.after_escape = true;
                (StringProgress::Unfinished, end + 1)
            }
            _ => (StringProgress::Abandoned, end + 1),
        }
    }

    fn end(&self, bytes: &[u8]) -> Option<usize> {
        let end = match self.kind {
            StringKind::Osc => memchr2(0x1b, 0x07, bytes),
            _ => memchr(0x1b, bytes),
        };
        // Searched only as far as needed: many short strings must not each search all bytes that follow.
        let before = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        memchr2(0x18, 0x1a, before).or(end)
    }

    fn complete(&self, bell: bool) -> StringProgress {
        if self.is_too_long {
            StringProgress::Abandoned
        } else {
            StringProgress::Complete { bell }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let limit = match self.kind {
            StringKind::Osc => MAX_OSC_BYTES,
            StringKind::Dcs | StringKind::Title => MAX_DCS_BYTES,
            StringKind::Ignored => 0,
        };
        let room = limit - self.body.len();
        if self.kind == StringKind::Osc && (bytes.len() > room || self.is_too_long) {
            self.is_too_long = true;
            self.body = Vec::new();
        } else {
            self.body
                .extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        }
    }
}
