//! Control strings (OSC, DCS, APC, PM, SOS). Must not keep more than their limits.

use memchr::{memchr, memchr2};

/// After this many bytes a string without an end is given up, and what follows is text again.
const MAX_STRING_BYTES: usize = 1 << 20;
/// Bytes kept of a DCS, APC, PM or SOS string (`M8`); the rest is only skipped.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Kinds of control strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringKind {
    Osc,
    Dcs,
    /// Application program command, privacy message, start of string: skipped.
    Ignored,
}

/// How far reading a control string has come.
pub(super) enum StringProgress {
    Unfinished,
    /// Cancelled, cut off by another sequence, or too long.
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
    seen: usize,
    after_escape: bool,
}

impl StringReader {
    pub(super) fn new(kind: StringKind) -> Self {
        Self {
            kind,
            body: Vec::new(),
            seen: 0,
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
                Some(b'\\') => (StringProgress::Complete { bell: false }, 1),
                _ => (StringProgress::CutOff, 0),
            };
        }
        let end = self.end(bytes);
        self.keep(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default());
        if self.seen > MAX_STRING_BYTES {
            return (StringProgress::Abandoned, end.unwrap_or(bytes.len()));
        }
        let Some(end) = end else {
            return (StringProgress::Unfinished, bytes.len());
        };
        match (bytes.get(end), bytes.get(end + 1)) {
            (Some(0x07), _) => (StringProgress::Complete { bell: true }, end + 1),
            (Some(0x1b), Some(b'\\')) => (StringProgress::Complete { bell: false }, end + 2),
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
        // Looked for only as far as needed: many short strings must not each search all that follows.
        let before = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        memchr2(0x18, 0x1a, before).or(end)
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.seen += bytes.len();
        let limit = match self.kind {
            StringKind::Osc => MAX_STRING_BYTES,
            StringKind::Dcs => MAX_KEPT_BYTES,
            StringKind::Ignored => 0,
        };
        let room = limit.saturating_sub(self.body.len()).min(bytes.len());
        self.body.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }
}
