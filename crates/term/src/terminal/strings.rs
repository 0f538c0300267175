//! Control strings. Only those listed here are used: the rest is dropped.

use super::state::TerminalState;
use crate::base64;
use crate::dump;
use crate::emulator::MissingFeatures;
use crate::event::{DesktopNotification, ProgressReport, PromptMark, TermEvent};
use crate::modes::TermMode;
use crate::sanitize::sanitize;
use crate::status_record::StatusRecord;

/// Maximum length of a title, in characters.
const TITLE_LIMIT: usize = 256;
/// Maximum length of a text of a notification or a path, in characters.
const TEXT_LIMIT: usize = 4096;
/// The states and kinds we take (OSC 7501).
const STATUS_CAPABILITIES: &str =
    "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";

impl TerminalState {
    pub(super) fn osc(&mut self, body: &[u8], bell: bool) {
        let text = String::from_utf8_lossy(body);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        match number {
            "0" | "2" => self.set_title(clean_title(rest)),
            "4" => self.palette_entries(rest, bell),
            "7" => self.folder(&limited(rest, TEXT_LIMIT)),
            "8" => self.hyperlink(rest),
            "9" => self.osc_9(rest),
            "10" | "11" | "12" => self.dynamic_colors(number, rest, bell),
            "52" => self.clipboard(rest),
            "99" => self.osc_99(rest),
            "133" => self.prompt(rest),
            "777" => self.osc_777(rest),
            "7501" if rest == "?" => self.reply(STATUS_CAPABILITIES),
            "7501" => {
                if let Some(record) = StatusRecord::parse(&limited(rest, TEXT_LIMIT)) {
                    self.event(TermEvent::AgentState(record));
                }
            }
            _ => {}
        }
    }

    pub(super) fn dcs(&mut self, body: &[u8]) {
        if let Some(names) = body.strip_prefix(b"+q") {
            self.report_capabilities(names);
        } else if let Some(setting) = body.strip_prefix(b"$q") {
            self.report_setting(setting);
        }
    }

    /// Sets the title from `ESC k`, the title of screen and tmux.
    pub(super) fn title_string(&mut self, body: &[u8]) {
        self.set_title(clean_title(&String::from_utf8_lossy(body)));
    }

    pub(super) fn set_title(&mut self, title: String) {
        if title != self.title {
            self.title.clone_from(&title);
            self.event(TermEvent::Title(title));
        }
    }

    /// Reports palette colours for pairs of number and colour; setting a colour is not done.
    fn palette_entries(&mut self, rest: &str, bell: bool) {
        let mut parts = rest.split(';');
        while let (Some(number), Some(color)) = (parts.next(), parts.next()) {
            if let (Ok(index), "?") = (number.parse::<u8>(), color) {
                let color = self.palette.indexed(index);
                self.report_color(&format!("4;{index}"), color, bell);
            }
        }
    }

    /// Reports one or more of foreground, background, cursor, from the one named on.
    fn dynamic_colors(&mut self, number: &str, rest: &str, bell: bool) {
        let colors = [
            ("10", self.palette.foreground),
            ("11", self.palette.background),
            ("12", self.palette.cursor),
        ];
        let named = colors.into_iter().skip_while(|(known, _)| *known != number);
        for ((known, color), asked) in named.zip(rest.split(';')) {
            if asked == "?" {
                self.report_color(known, color, bell);
            }
        }
    }

    /// Reports the working directory. Only the address of a file counts: anything else names no folder.
    fn folder(&mut self, address: &str) {
        let Some(rest) = address.strip_prefix("file://") else {
            return;
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        self.event(TermEvent::Cwd {
            host: host.to_owned(),
            path: decoded(path),
        });
    }

    fn hyperlink(&mut self, rest: &str) {
        if self.lacks(MissingFeatures::HYPERLINKS) {
            return;
        }
        let Some((parameters, target)) = rest.split_once(';') else {
            return;
        };
        let allowed = ["http://", "https://", "file://"]
            .iter()
            .any(|scheme| target.starts_with(scheme));
        let clean = !rest.chars().any(char::is_control) && rest.len() <= TEXT_LIMIT;
        // A target that is not allowed ends the link before it.
        let (parameters, target) = if allowed && clean {
            (parameters, target)
        } else {
            ("", "")
        };
        self.linked |= !target.is_empty();
        // A semicolon in the target would be taken for its end.
        let target = target.replace(';', "%3B");
        self.draw(format!("\x1b]8;{parameters};{target}\x1b\\").as_bytes());
    }

    /// Reports a notification, or `4;state;percent` as progress. Other numbers belong to one terminal for Windows.
    fn osc_9(&mut self, rest: &str) {
        let mut parts = rest.split(';');
        match parts.next().map(|first| (first, first.parse::<u8>())) {
            Some(("4", _)) => {
                let state = parts.next().unwrap_or_default();
                let percent = parts
                    .next()
                    .and_then(|text| text.parse::<u8>().ok())
                    .unwrap_or(0)
                    .min(100);
                self.event(TermEvent::Progress(match state {
                    "1" => ProgressReport::Percent(percent),
                    "2" => ProgressReport::Error(percent),
                    "3" => ProgressReport::Indeterminate,
                    "4" => ProgressReport::Paused(percent),
                    _ => ProgressReport::None,
                }));
            }
            Some((_, Ok(1..=12))) if rest.contains(';') => {}
            _ => self.notify("", rest),
        }
    }

    /// Reports kitty's notifications: `metadata ; payload`. Each piece and update is a notification of its own.
    fn osc_99(&mut self, rest: &str) {
        let (metadata, payload) = rest.split_once(';').unwrap_or((rest, ""));
        let field = |wanted: &str| {
            metadata
                .split(':')
                .filter_map(|part| part.split_once('='))
                .find(|(key, _)| *key == wanted)
                .map(|(_, v)| v)
        };
        let payload = match field("e") {
            Some("1") => base64::decode_text(payload).unwrap_or_default(),
            _ => payload.to_owned(),
        };
        match field("p") {
            None | Some("title") => self.notify(&payload, ""),
            Some("body") => self.notify("", &payload),
            Some(_) => {}
        }
    }

    fn osc_777(&mut self, rest: &str) {
        if let Some(text) = rest.strip_prefix("notify;") {
            let (title, body) = text.split_once(';').unwrap_or((text, ""));
            self.notify(title, body);
        }
    }

    fn notify(&mut self, title: &str, body: &str) {
        let (title, body) = (limited(title, TITLE_LIMIT), limited(body, TEXT_LIMIT));
        if !(title.is_empty() && body.is_empty()) {
            self.event(TermEvent::Notification(DesktopNotification { title, body }));
        }
    }

    fn prompt(&mut self, rest: &str) {
        let mut parts = rest.split(';');
        let mark = match parts.next() {
            Some("A") => {
                self.mark_prompt();
                PromptMark::PromptStart
            }
            Some("B") => PromptMark::CommandStart,
            Some("C") => PromptMark::OutputStart,
            Some("D") => PromptMark::CommandEnd(parts.next().and_then(|code| code.parse().ok())),
            _ => return,
        };
        self.event(TermEvent::Prompt(mark));
    }

    /// Marks the line of the cursor, where people look for prompts: not on the screen of a full-screen program.
    fn mark_prompt(&mut self) {
        if !self.modes.has(TermMode::AlternateScreen) {
            self.draw(dump::PROMPT.as_bytes());
        }
    }

    /// Reports a write to the clipboard. Writing only: a question is never answered.
    fn clipboard(&mut self, rest: &str) {
        let Some((_, content)) = rest.split_once(';') else {
            return;
        };
        if let Some(bytes) = base64::decode(content.as_bytes()).filter(|_| content != "?") {
            self.event(TermEvent::Clipboard(bytes));
        }
    }
}

fn clean_title(text: &str) -> String {
    sanitize(&limited(text, TITLE_LIMIT)).into_owned()
}

fn limited(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

/// Returns a path with its percent signs decoded.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let decoded = match (first, tail) {
            (b'%', [high, low, ..]) => hex_digit(*high)
                .zip(hex_digit(*low))
                .map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() {
            tail.get(2..).unwrap_or_default()
        } else {
            tail
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}
