//! Input of a person, read on a thread of its own: the reader of a terminal that has gone may be kept busy for ever, and everything else
//! has to continue, and to end, all the same.

use std::io;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use futures::{Stream, StreamExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::client::colours::{ColourReplyParser, QUERY, TerminalInput};
use crate::client::input_event::input_event;
use crate::client::key_source;
use crate::client::tty::{is_enhanced, write_all};
use crate::protocol::wire::FromClient;

/// Maximum number of events that wait to be sent; when there are more, further keys wait in the terminal.
const MAX_QUEUED: usize = 256;
/// Time in which a reply of the terminal is expected, so that even its first byte alone is not taken for the key Escape.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which a terminal that answers is queried again: its colours may change with the hour. It could report that by itself (mode
/// 2031), but the reader of keys would take the report for an incomplete key, and swallow the next ones.
const QUERY_INTERVAL: Duration = Duration::from_secs(30);

/// Converts an input event to a message for the server; `None` for a key that has no meaning.
pub(super) fn message_of(heard: TerminalInput) -> Option<FromClient> {
    let event = match heard {
        TerminalInput::Event(Event::Key(key)) => Event::Key(normalize_key(key, is_enhanced())),
        TerminalInput::Event(event) => event,
        TerminalInput::Colour(colour) => return Some(FromClient::Colour(colour)),
    };
    input_event(event).map(FromClient::Input)
}

/// Returns a key by its usual name. An old terminal sends one character for `C-4` and `C-\\`, and so on to `C-7` and `C-_`; the reader uses
/// the digit, and programs that get keys by name expect the other.
fn normalize_key(mut key: KeyEvent, is_enhanced: bool) -> KeyEvent {
    if !is_enhanced && key.modifiers.contains(KeyModifiers::CONTROL) {
        key.code = match key.code {
            KeyCode::Char('4') => KeyCode::Char('\\'),
            KeyCode::Char('5') => KeyCode::Char(']'),
            KeyCode::Char('6') => KeyCode::Char('^'),
            KeyCode::Char('7') => KeyCode::Char('_'),
            other => other,
        };
    }
    key
}

/// Thread that reads keys, mouse and resizes from the terminal.
pub(super) struct InputReader {
    events: mpsc::Receiver<io::Result<TerminalInput>>,
    stop: Option<DropGuard>,
    can_query: bool,
}

impl InputReader {
    /// Begins to read; queries the colours of the terminal, if `may_ask` is set.
    pub(super) fn open(may_ask: bool) -> io::Result<InputReader> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (sender, events) = mpsc::channel(MAX_QUEUED);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        // Its end is not waited for: the process may end before it.
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                let ask = || may_ask && write_all(QUERY).is_ok();
                // The stream starts with the runtime that polls it.
                runtime.block_on(async { read(key_source::events(), ask, &sender, &stopped).await });
            })?;
        Ok(InputReader {
            events,
            stop: Some(stop.drop_guard()),
            can_query: may_ask,
        })
    }

    /// Returns the next input; `None` if the terminal has gone.
    pub(super) async fn next(&mut self) -> Option<io::Result<TerminalInput>> {
        self.events.recv().await
    }

    /// Leaves the terminal to another program; returns when nothing reads it here any more.
    pub(super) async fn pause(&mut self) {
        self.stop = None;
        while self.events.recv().await.is_some() {}
    }

    pub(super) fn resume(&mut self) -> io::Result<()> {
        *self = InputReader::open(self.can_query)?;
        Ok(())
    }
}

/// Passes on the input of the terminal, and queries its colours now and then, if `ask` can.
async fn read(
    mut events: impl Stream<Item = io::Result<Event>> + Unpin,
    ask: impl Fn() -> bool,
    sender: &mpsc::Sender<io::Result<TerminalInput>>,
    stopped: &CancellationToken,
) {
    let expect = || Instant::now() + if ask() { REPLY_TIMEOUT } else { Duration::ZERO };
    let mut answer = ColourReplyParser::default();
    let mut listen_until = expect();
    let mut ask_again = Instant::now() + QUERY_INTERVAL;
    // A terminal that was silent the last time is not queried by the clock: it would not answer.
    let mut answers = false;
    loop {
        let event = async {
            match answer.gap() {
                Some(gap) => timeout(gap, events.next()).await,
                None => Ok(events.next().await),
            }
        };
        let event = tokio::select! {
            event = event => event,
            () = sleep_until(ask_again), if answers => {
                answers = false;
                listen_until = expect();
                ask_again = Instant::now() + QUERY_INTERVAL;
                continue;
            }
            () = stopped.cancelled() => return,
        };
        let heard = match event {
            Err(_silence) => answer.take_held(),
            Ok(None) => return,
            Ok(Some(Err(error))) => {
                if sender.send(Err(error)).await.is_err() {
                    return;
                }
                continue;
            }
            Ok(Some(Ok(event))) => {
                // A person who comes back may have changed the colours meanwhile.
                if event == Event::FocusGained {
                    listen_until = expect();
                }
                answer.feed(event, Instant::now() < listen_until)
            }
        };
        for heard in heard {
            answers |= matches!(heard, TerminalInput::Colour(_));
            if sender.send(Ok(heard)).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;
    use crate::protocol::wire::TerminalColour;

    #[tokio::test]
    async fn an_answer_nobody_waits_for_any_more_presses_no_keys_and_a_persons_alt_does() {
        let key = |code, modifiers| Ok(Event::Key(KeyEvent::new(code, modifiers)));
        let alt = |c| key(KeyCode::Char(c), KeyModifiers::ALT);
        let plain = "11;rgb:fafa/aaaa/dddd".chars();
        let late = std::iter::once(alt(']'))
            .chain(plain.map(|c| key(KeyCode::Char(c), KeyModifiers::NONE)))
            .chain([alt('\\'), alt(']')]);
        let events = stream::iter(late).chain(stream::pending());
        let (sender, mut heard) = mpsc::channel::<io::Result<TerminalInput>>(MAX_QUEUED);
        let stopped = CancellationToken::new();
        let expected = async {
            let colour = TerminalColour::Background((0xfa, 0xaa, 0xdd));
            assert_eq!(
                heard.recv().await.unwrap().unwrap(),
                TerminalInput::Colour(colour)
            );
            let pressed = heard.recv().await.unwrap().unwrap();
            assert_eq!(pressed, TerminalInput::Event(alt(']').unwrap()));
        };
        tokio::select! {
            () = read(events, || false, &sender, &stopped) => panic!("the terminal goes on"),
            () = expected => {}
        }
    }

    #[test]
    fn the_control_characters_of_an_old_terminal_have_their_usual_names() {
        let control = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        for (read, meant) in [
            ('4', '\\'),
            ('5', ']'),
            ('6', '^'),
            ('7', '_'),
            ('b', 'b'),
            ('8', '8'),
        ] {
            assert_eq!(normalize_key(control(read), false), control(meant), "{read}");
            // A terminal that tells keys apart means what it says.
            assert_eq!(normalize_key(control(read), true), control(read), "{read}");
        }
        let plain = KeyEvent::new(KeyCode::Char('5'), KeyModifiers::NONE);
        assert_eq!(normalize_key(plain, false), plain);
    }
}
