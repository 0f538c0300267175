//! Source of input events: on Unix the bytes of standard input, elsewhere the records of the console.

use std::io;

use crossterm::event::Event;
use futures::Stream;

/// Returns all input of a person at the terminal, until it is gone. Begins with the bytes that were read while the terminal was queried for
/// its features.
#[cfg(unix)]
pub(super) fn events() -> impl Stream<Item = io::Result<Event>> + Unpin {
    Box::pin(futures::stream::unfold(None, async |source| {
        let mut source = match source.map_or_else(unix::Source::open, Ok) {
            Ok(source) => source,
            Err(error) => return Some((Err(error), None)),
        };
        Some((source.next().await?, Some(source)))
    }))
}

#[cfg(not(unix))]
pub(super) fn events() -> impl Stream<Item = io::Result<Event>> + Unpin {
    crossterm::event::EventStream::new()
}

#[cfg(unix)]
mod unix {
    use std::collections::VecDeque;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::time::Duration;

    use crossterm::event::Event;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use crate::client::key_decoder::KeyDecoder;

    /// Bytes read at once.
    const CHUNK: usize = 4096;

    /// Standard input, read only when something is there: it stays a blocking one, as standard output is the same file.
    pub(super) struct Source {
        input: AsyncFd<OwnedFd>,
        resized: Signal,
        decoder: KeyDecoder,
        events: VecDeque<Event>,
    }

    impl Source {
        pub(super) fn open() -> io::Result<Source> {
            let mut events = VecDeque::new();
            while crossterm::event::poll(Duration::ZERO)? {
                events.push_back(crossterm::event::read()?);
            }
            Ok(Source {
                input: watched(io::stdin().as_fd().try_clone_to_owned()?)?,
                resized: signal(SignalKind::window_change())?,
                decoder: KeyDecoder::default(),
                events,
            })
        }

        /// Returns the next event; `None` if the terminal has gone.
        pub(super) async fn next(&mut self) -> Option<io::Result<Event>> {
            loop {
                if let Some(event) = self.events.pop_front() {
                    return Some(Ok(event));
                }
                tokio::select! {
                    ready = self.input.readable() => match ready {
                        Ok(mut ready) if !has_bytes(ready.get_inner()) => ready.clear_ready(),
                        Ok(_) => match self.read() {
                            Ok(0) => return None,
                            Ok(_) => {}
                            Err(error) => return Some(Err(error)),
                        },
                        Err(error) => return Some(Err(error)),
                    },
                    Some(()) = self.resized.recv() => {
                        let size = crossterm::terminal::size();
                        return Some(size.map(|(columns, rows)| Event::Resize(columns, rows)));
                    }
                }
            }
        }

        /// Reads the available bytes; returns their number.
        fn read(&mut self) -> io::Result<usize> {
            let mut bytes = [0; CHUNK];
            let count = match nix::unistd::read(self.input.get_ref(), &mut bytes) {
                Err(nix::Error::EINTR) => return Ok(1),
                read => read?,
            };
            let read = bytes.get(..count).unwrap_or_default();
            let more_waits = has_bytes(self.input.get_ref());
            self.events.extend(self.decoder.decode(read, more_waits));
            Ok(count)
        }
    }

    #[expect(
        deprecated,
        reason = "the same without this mark is unsafe code; what is watched is owned, as that asks for"
    )]
    fn watched(input: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
        AsyncFd::with_interest(input, Interest::READABLE)
    }

    /// Returns true if a read would return at once, also because the terminal has gone.
    fn has_bytes(input: &impl AsFd) -> bool {
        let mut polled = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        poll(&mut polled, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}
