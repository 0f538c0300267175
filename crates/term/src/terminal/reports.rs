//! Answers to queries: only constants and numbers, never text a program supplied.

use super::state::TerminalState;
use crate::emulator::Emulator;
use crate::modes::TermMode;
use crate::palette::x_color;
use crate::size::Size;

/// Size of a cell in pixels as it is reported: width and height.
const CELL: (u32, u32) = (8, 16);
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl TerminalState {
    /// DA1: a VT220 with colour and the clipboard.
    pub(super) fn report_attributes(&mut self) {
        self.reply("\x1b[?62;22;52c");
    }

    /// DA2, with the version as one number.
    pub(super) fn report_secondary_attributes(&mut self) {
        let number = VERSION
            .split('.')
            .fold(0u32, |number, part| number * 100 + part.parse().unwrap_or(0));
        self.reply(format!("\x1b[>0;{number};1c"));
    }

    /// XTVERSION.
    pub(super) fn report_version(&mut self) {
        self.reply(format!("\x1bP>|dbs({VERSION})\x1b\\"));
    }

    /// DSR.
    pub(super) fn report_status(&mut self, what: u16) {
        match what {
            5 => self.reply("\x1b[0n"),
            6 => {
                let (row, col) = self.reported_position();
                self.reply(format!("\x1b[{row};{col}R"));
            }
            _ => {}
        }
    }

    /// DSR with `?`.
    pub(super) fn report_private_status(&mut self, what: u16) {
        match what {
            6 => {
                let (row, col) = self.reported_position();
                self.reply(format!("\x1b[?{row};{col};1R"));
            }
            // No printer, keys locked, North American keyboard, no locator.
            15 => self.reply("\x1b[?13n"),
            25 => self.reply("\x1b[?21n"),
            26 => self.reply("\x1b[?27;1;0;0n"),
            53 | 55 => self.reply("\x1b[?50n"),
            996 => self.report_color_scheme(),
            _ => {}
        }
    }

    /// Dark is 1, light is 2.
    pub(super) fn report_color_scheme(&mut self) {
        let scheme = if self.palette.is_dark() { 1 } else { 2 };
        self.reply(format!("\x1b[?997;{scheme}n"));
    }

    fn reported_position(&self) -> (u16, u16) {
        let at = self.emulator.write_position();
        let top = if self.modes.has(TermMode::Origin) {
            self.margins.top
        } else {
            0
        };
        (at.row.saturating_sub(top) + 1, at.col + 1)
    }

    /// XTWINOPS that ask.
    pub(super) fn report_window(&mut self, what: u16) {
        let Size { cols, rows } = self.emulator.size();
        let (width, height) = CELL;
        match what {
            11 => self.reply("\x1b[1t"),
            14 => {
                let (high, wide) = (u32::from(rows) * height, u32::from(cols) * width);
                self.reply(format!("\x1b[4;{high};{wide}t"));
            }
            16 => self.reply(format!("\x1b[6;{height};{width}t")),
            18 => self.reply(format!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(format!("\x1b[9;{rows};{cols}t")),
            _ => {}
        }
    }

    /// The report of mode 2048.
    pub(super) fn report_size(&mut self) {
        let Size { cols, rows } = self.emulator.size();
        let (width, height) = CELL;
        let (high, wide) = (u32::from(rows) * height, u32::from(cols) * width);
        self.reply(format!("\x1b[48;{rows};{cols};{high};{wide}t"));
    }

    /// OSC 4 and 10 to 12 with `?`, ended the way the question was.
    pub(super) fn report_color(&mut self, what: &str, color: crate::palette::Rgb, bell: bool) {
        let end = if bell { "\x07" } else { "\x1b\\" };
        self.reply(format!("\x1b]{what};{}{end}", x_color(color)));
    }

    /// XTGETTCAP: every known name is answered, an unknown one ends the answer.
    pub(super) fn report_capabilities(&mut self, names: &[u8]) {
        for name in names.split(|&byte| byte == b';') {
            let known = CAPABILITIES
                .iter()
                .find(|(known, _)| hex::encode(known).as_bytes().eq_ignore_ascii_case(name));
            match known {
                Some((name, value)) => self.reply(format!(
                    "\x1bP1+r{}={}\x1b\\",
                    hex::encode(name),
                    hex::encode(value)
                )),
                None => return self.reply("\x1bP0+r\x1b\\"),
            }
        }
    }

    /// DECRQSS: margins and cursor shape, which are numbers; anything else is invalid.
    pub(super) fn report_setting(&mut self, setting: &[u8]) {
        match setting {
            b"r" => {
                let (top, bottom) = (self.margins.top + 1, self.margins.bottom + 1);
                self.reply(format!("\x1bP1$r{top};{bottom}r\x1b\\"));
            }
            b" q" => self.reply(format!("\x1bP1$r{} q\x1b\\", self.cursor_shape.parameter())),
            _ => self.reply("\x1bP0$r\x1b\\"),
        }
    }
}

/// Capabilities by their terminfo names.
const CAPABILITIES: [(&str, &str); 4] = [
    ("TN", "xterm-256color"),
    ("Co", "256"),
    ("colors", "256"),
    ("RGB", "8"),
];
