//! Reads a program's bytes before any emulator does. Must pass on only complete sequences and valid text, so that an
//! emulator never holds a part of one, and must use bounded memory for any input.

mod cluster;
mod csi;
mod strings;

use memchr::memchr;

use cluster::ClusterFilter;
pub(crate) use cluster::stay_apart;
pub use csi::Csi;
pub use strings::StringKind;
use strings::{StringProgress, StringReader};

/// Maximum length of a control sequence that is read; a longer one is skipped.
const SEQUENCE_LIMIT: usize = 1024;

/// Switches the mode for grapheme clusters on.
pub(crate) const CLUSTERS_ON: &str = "\x1b[?2027h";

/// Switches the mode for grapheme clusters off: every character with a width takes a cell of its own.
pub(crate) const CLUSTERS_OFF: &str = "\x1b[?2027l";

/// Receives text and sequences from the scanner, in the order of the bytes.
pub trait ScanSink {
    /// Takes bytes that the emulator may be given as they are. `pure`: they hold no escape sequence.
    fn pass(&mut self, bytes: &[u8], pure: bool);

    /// Returns true if text must come apart from sequences at present.
    fn splits_runs(&self) -> bool;

    /// Returns true if a control sequence without prefix and intermediates may be passed on unread. `parameters` are the bytes between
    /// `CSI` and the final byte.
    fn is_plain(&self, parameters: &[u8], last: u8) -> bool;

    /// Takes a control sequence.
    fn csi(&mut self, csi: &Csi<'_>);

    /// Takes an escape sequence: intermediates and the final byte.
    fn escape(&mut self, intermediates: &[u8], last: u8);

    /// Takes a complete control string.
    fn string(&mut self, kind: StringKind, body: &[u8], ended_by_bell: bool);

    /// Takes a `BEL` outside of a string.
    fn bell(&mut self);
}

/// The scanner of one terminal; keeps the unfinished end of a chunk of bytes.
#[derive(Debug, Default)]
pub struct Scanner {
    /// A sequence or character whose end has not come yet.
    unfinished: Vec<u8>,
    string: Option<StringReader>,
    skipping: bool,
    clusters: ClusterFilter,
}

impl Scanner {
    /// Reads bytes and passes their text and sequences to `sink`.
    pub fn scan(&mut self, bytes: &[u8], sink: &mut impl ScanSink) {
        if self.unfinished.is_empty() {
            return self.read(bytes, sink);
        }
        let mut joined = std::mem::take(&mut self.unfinished);
        joined.extend_from_slice(bytes);
        self.read(&joined, sink);
    }

    fn read(&mut self, mut rest: &[u8], sink: &mut impl ScanSink) {
        while !rest.is_empty() {
            rest = if self.skipping {
                self.skip(rest)
            } else if self.string.is_some() {
                self.read_string(rest, sink)
            } else {
                self.read_ground(rest, sink)
            };
        }
    }

    fn read_string<'a>(&mut self, bytes: &'a [u8], sink: &mut impl ScanSink) -> &'a [u8] {
        let Some(mut reader) = self.string.take() else {
            return bytes;
        };
        let (progress, used) = reader.read(bytes);
        match progress {
            StringProgress::Unfinished => self.string = Some(reader),
            StringProgress::Abandoned => {}
            StringProgress::CutOff => {
                let mut joined = vec![0x1b];
                joined.extend_from_slice(bytes);
                self.read(&joined, sink);
                return &[];
            }
            StringProgress::Complete { bell } => sink.string(reader.kind(), reader.body(), bell),
        }
        bytes.get(used..).unwrap_or_default()
    }

    /// Leaves out the rest of a control sequence that is too long.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes
            .iter()
            .position(|&byte| matches!(byte, 0x18 | 0x1a | 0x1b | 0x40..))
        {
            None => &[],
            Some(at) => {
                self.skipping = false;
                let own_end = matches!(bytes.get(at), Some(0x18 | 0x1a | 0x40..=0x7e));
                bytes.get(at + usize::from(own_end)..).unwrap_or_default()
            }
        }
    }

    /// Reads text and sequences up to the start of a string or the end of the bytes. Bytes that may be passed on as they are stay one run.
    fn read_ground<'a>(&mut self, bytes: &'a [u8], sink: &mut impl ScanSink) -> &'a [u8] {
        let mut run = PassRun { bytes, start: 0 };
        let mut at = 0;
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let escape = memchr(0x1b, rest);
            let text = rest.get(..escape.unwrap_or(rest.len())).unwrap_or_default();
            let tail = if escape.is_none() {
                unfinished_character(text)
            } else {
                0
            };
            let text = text.get(..text.len() - tail).unwrap_or_default();
            self.text(text, at, &mut run, sink);
            at += text.len();
            if escape.is_none() {
                run.flush_to(at, sink);
                self.unfinished
                    .extend_from_slice(bytes.get(at..).unwrap_or_default());
                return &[];
            }
            match self.sequence(at, &mut run, sink) {
                ScanStep::Next(next) => at = next,
                ScanStep::String(next) => return bytes.get(next..).unwrap_or_default(),
                ScanStep::Unfinished => return &[],
            }
        }
        run.flush_to(bytes.len(), sink);
        &[]
    }

    fn text(&mut self, text: &[u8], at: usize, run: &mut PassRun<'_>, sink: &mut impl ScanSink) {
        if text.is_empty() {
            return;
        }
        if memchr(0x07, text).is_some() {
            sink.bell();
        }
        let rewritten = self.clusters.clean(text);
        if sink.splits_runs() || rewritten.is_some() {
            run.flush_to(at, sink);
            sink.pass(rewritten.as_deref().map_or(text, str::as_bytes), true);
            run.start = at + text.len();
        }
    }

    /// Reads the escape sequence that begins at `at`.
    fn sequence(&mut self, at: usize, run: &mut PassRun<'_>, sink: &mut impl ScanSink) -> ScanStep {
        let rest = run.bytes.get(at..).unwrap_or_default();
        let len = match csi::frame(rest) {
            csi::SequenceFrame::Control { len, plain } => {
                let raw = rest.get(..len).unwrap_or_default();
                let last = raw.last().copied().unwrap_or(0);
                let is_read = len <= SEQUENCE_LIMIT && (last != b'b' || self.clusters.may_repeat());
                let stays = matches!(last, b'm' | b'b') || switches_clusters(raw);
                if is_read && !stays {
                    self.clusters.reset();
                }
                let inner = raw.get(2..len - 1).unwrap_or_default();
                if is_read && plain && !sink.splits_runs() && sink.is_plain(inner, last) {
                    return ScanStep::Next(at + len);
                }
                run.flush_to(at, sink);
                if is_read {
                    csi::dispatch(raw, sink);
                }
                len
            }
            csi::SequenceFrame::Escape { len } => {
                self.clusters.reset();
                run.flush_to(at, sink);
                csi::dispatch_escape(rest.get(..len).unwrap_or_default(), sink);
                len
            }
            csi::SequenceFrame::String { kind } => {
                self.clusters.reset();
                run.flush_to(at, sink);
                self.string = Some(StringReader::new(kind));
                return ScanStep::String(at + 2);
            }
            csi::SequenceFrame::Cancelled { len } => {
                run.flush_to(at, sink);
                len
            }
            csi::SequenceFrame::Unfinished => {
                run.flush_to(at, sink);
                if rest.len() > SEQUENCE_LIMIT {
                    self.skipping = true;
                } else {
                    self.unfinished.extend_from_slice(rest);
                }
                return ScanStep::Unfinished;
            }
        };
        run.start = at + len;
        ScanStep::Next(at + len)
    }
}

enum ScanStep {
    Next(usize),
    String(usize),
    Unfinished,
}

/// Bytes that may be passed on unchanged and have not been yet.
struct PassRun<'a> {
    bytes: &'a [u8],
    start: usize,
}

impl PassRun<'_> {
    fn flush_to(&mut self, end: usize, sink: &mut impl ScanSink) {
        if let Some(bytes) = self.bytes.get(self.start..end).filter(|bytes| !bytes.is_empty()) {
            sink.pass(bytes, false);
        }
        self.start = end;
    }
}

/// Returns true if a sequence does nothing but switch the mode for grapheme clusters.
fn switches_clusters(sequence: &[u8]) -> bool {
    [CLUSTERS_ON, CLUSTERS_OFF]
        .iter()
        .any(|switch| switch.as_bytes() == sequence)
}

/// Number of bytes at the end that begin a character whose rest may still come.
fn unfinished_character(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let Some(&byte) = text.get(text.len() - back) else {
            return 0;
        };
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        let tail = text.get(text.len() - back..).unwrap_or_default();
        let open = std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none());
        return if needed > back && open { back } else { 0 };
    }
    0
}
