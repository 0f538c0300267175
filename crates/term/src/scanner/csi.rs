//! The shape of escape and control sequences (ECMA-48 5.4). Must not know what any of them means.

use super::{ScanSink, StringKind};

/// Maximum number of parameters that are read; more are ignored.
const PARAMETER_LIMIT: usize = 32;

/// The kind and length of the sequence that begins at an ESC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SequenceFrame {
    /// `plain` if it has only digits, `;` and `:` before its final byte.
    Control {
        len: usize,
        plain: bool,
    },
    Escape {
        len: usize,
    },
    /// A control string, whose introducer is two bytes long.
    String {
        kind: StringKind,
    },
    /// Nothing: cancelled, or cut off by something else after `len` bytes.
    Cancelled {
        len: usize,
    },
    /// The end has not come yet.
    Unfinished,
}

/// Returns the frame of the sequence at the start of `bytes`, which is an ESC.
pub(super) fn frame(bytes: &[u8]) -> SequenceFrame {
    let mut rest = bytes.iter().enumerate().skip(1);
    for (at, &byte) in &mut rest {
        match byte {
            b'[' => return control(bytes, at + 1),
            b']' => return string_at(at, StringKind::Osc),
            b'P' => return string_at(at, StringKind::Dcs),
            b'k' => return string_at(at, StringKind::Title),
            b'_' | b'^' | b'X' => return string_at(at, StringKind::Ignored),
            0x30..=0x7e => return SequenceFrame::Escape { len: at + 1 },
            0x20..=0x2f => return escape(bytes, at + 1),
            0x18 | 0x1a => return SequenceFrame::Cancelled { len: at + 1 },
            0x1b | 0x80.. => return SequenceFrame::Cancelled { len: at },
            // Other controls act at once and do not end the sequence; DEL does nothing.
            _ => {}
        }
    }
    SequenceFrame::Unfinished
}

/// A string whose introducer has a control inside is not read.
fn string_at(at: usize, kind: StringKind) -> SequenceFrame {
    if at == 1 {
        SequenceFrame::String { kind }
    } else {
        SequenceFrame::Cancelled { len: at + 1 }
    }
}

fn control(bytes: &[u8], from: usize) -> SequenceFrame {
    let mut plain = from == 2;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            0x30..=0x3b => {}
            0x40..=0x7e => return SequenceFrame::Control { len: at + 1, plain },
            0x18 | 0x1a => return SequenceFrame::Cancelled { len: at + 1 },
            0x1b | 0x80.. => return SequenceFrame::Cancelled { len: at },
            _ => plain = false,
        }
    }
    SequenceFrame::Unfinished
}

fn escape(bytes: &[u8], from: usize) -> SequenceFrame {
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            0x30..=0x7e => return SequenceFrame::Escape { len: at + 1 },
            0x18 | 0x1a => return SequenceFrame::Cancelled { len: at + 1 },
            0x1b | 0x80.. => return SequenceFrame::Cancelled { len: at },
            _ => {}
        }
    }
    SequenceFrame::Unfinished
}

/// A control sequence taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Csi<'a> {
    /// `<`, `=`, `>` or `?` after the introducer, else 0.
    pub prefix: u8,
    pub parameters: &'a [u8],
    /// The intermediate byte, 0 if none.
    pub intermediate: u8,
    pub last: u8,
}

impl<'a> Csi<'a> {
    /// Returns the parameters as numbers: missing ones are 0, sub-parameters are left out, too large ones are cut.
    pub fn numbers(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.parameters
            .split(|&byte| byte == b';')
            .take(PARAMETER_LIMIT)
            .map(|part| {
                part.iter()
                    .take_while(|&&byte| byte != b':')
                    .fold(0u16, |number, &byte| {
                        number
                            .saturating_mul(10)
                            .saturating_add(u16::from(byte.wrapping_sub(b'0')))
                    })
            })
    }

    /// Returns the parameter at `index`, `default` when it is missing or 0.
    pub fn number(&self, index: usize, default: u16) -> u16 {
        self.numbers()
            .nth(index)
            .filter(|&number| number != 0)
            .unwrap_or(default)
    }
}

/// Reads a framed control sequence. Controls inside it act first.
pub(super) fn dispatch(raw: &[u8], sink: &mut impl ScanSink) {
    let clean;
    let mut bytes = raw;
    if raw.iter().skip(1).any(|&byte| byte < 0x20 || byte == 0x7f) {
        clean = without_controls(raw, sink);
        bytes = &clean;
    }
    let [0x1b, b'[', inner @ .., last] = bytes else {
        return;
    };
    let (prefix, inner) = match inner {
        [prefix @ b'<'..=b'?', rest @ ..] => (*prefix, rest),
        _ => (0, inner),
    };
    let end = inner
        .iter()
        .position(|byte| !(0x30..=0x3b).contains(byte))
        .unwrap_or(inner.len());
    let (parameters, intermediates) = inner.split_at(end);
    let intermediate = match intermediates {
        [] => 0,
        [one @ 0x20..=0x2f] => *one,
        _ => return,
    };
    sink.csi(&Csi {
        prefix,
        parameters,
        intermediate,
        last: *last,
    });
}

/// Reads a framed escape sequence. Controls inside it act first.
pub(super) fn dispatch_escape(raw: &[u8], sink: &mut impl ScanSink) {
    let clean = without_controls(raw, sink);
    if let [0x1b, intermediates @ .., last] = clean.as_slice() {
        sink.escape(intermediates, *last);
    }
}

fn without_controls(raw: &[u8], sink: &mut impl ScanSink) -> Vec<u8> {
    let (controls, clean): (Vec<u8>, Vec<u8>) =
        raw.iter().skip(1).partition(|&&byte| byte < 0x20 || byte == 0x7f);
    if !controls.is_empty() {
        if controls.contains(&0x07) {
            sink.bell();
        }
        sink.pass(&controls, true);
    }
    std::iter::once(0x1b).chain(clean).collect()
}
