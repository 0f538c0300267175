//! Faults that a rehearsal plays: crashing, flooding, ignoring signals, leaving processes
//! behind. Each of them only harms the rehearsal itself.

use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::error::RehearsalError;

/// Makes this process ignore TERM, INT and HUP. Works for the whole process as long as it has one thread, which a
/// rehearsal has.
#[cfg(unix)]
pub(super) fn ignore_term() -> Result<(), RehearsalError> {
    use nix::sys::signal::{SigSet, Signal};
    let ignored: SigSet = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]
        .into_iter()
        .collect();
    ignored
        .thread_block()
        .map_err(RehearsalError::system("ignore signals"))
}

/// Does nothing, because there are no signals here to ignore.
#[cfg(not(unix))]
pub(super) fn ignore_term() -> Result<(), RehearsalError> {
    Ok(())
}

/// Starts this program again as a process that outlives this one, and returns its id once it is out of reach of
/// signals to this one's group.
pub(super) fn fork_daemon(time: Duration) -> Result<u32, RehearsalError> {
    let failed = || RehearsalError::system("leave a process behind");
    let program = std::env::current_exe().map_err(failed())?;
    let mut child = Command::new(program)
        .args(["rehearse", "--daemon", &time.as_secs_f64().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed())?;
    let mut ready = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut ready).map_err(failed())?;
    }
    if ready.trim() == READY {
        return Ok(child.id());
    }
    Err(RehearsalError::system("leave a process behind")(
        "it ended at once",
    ))
}

const READY: &str = "ready";

/// Runs the process that is left behind: it leads a session of its own, ignores the signals that ask it to end, and ends after `time`.
pub(super) fn daemon(time: Duration, out: &mut dyn io::Write) -> Result<(), RehearsalError> {
    #[cfg(unix)]
    nix::unistd::setsid().map_err(RehearsalError::system("become a daemon"))?;
    ignore_term()?;
    let written = writeln!(out, "{READY}").and_then(|()| out.flush());
    written.map_err(RehearsalError::system("become a daemon"))?;
    std::thread::sleep(time);
    Ok(())
}

/// Does nothing, for a time or for ever.
pub(super) fn hang(time: Option<Duration>) {
    let Some(time) = time else {
        loop {
            std::thread::sleep(Duration::from_hours(1));
        }
    };
    std::thread::sleep(time);
}

/// Bytes of numbered lines, `width` bytes each with the line end, for a flood of `total` bytes; the last may be cut.
/// Handed over in blocks, so that a large flood needs little memory.
pub(super) fn flood(
    total: u64,
    width: usize,
    mut sink: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    const BLOCK: usize = 64 * 1024;
    let mut block = Vec::with_capacity(BLOCK + width);
    let (mut left, mut number) = (total, 0_u64);
    while left > 0 {
        block.clear();
        while block.len() < BLOCK {
            let mut line = format!("flood {number:09} ").into_bytes();
            line.resize(width.saturating_sub(2), b'.');
            line.extend_from_slice(b"\r\n");
            block.append(&mut line);
            number += 1;
        }
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        sink(block.split_at(take).0)?;
        left -= take as u64;
    }
    Ok(())
}

/// Writes one line of `bytes` letters, in blocks.
pub(super) fn huge_line(bytes: u64, mut sink: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let block: Vec<u8> = (b'a'..=b'z').cycle().take(26 * 1024).collect();
    let mut left = bytes;
    while left > 0 {
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        sink(block.split_at(take).0)?;
        left -= take as u64;
    }
    sink(b"\r\n")
}

/// Pseudo-random bytes, the same for the same seed, in blocks. The generator is a xorshift: quality does not matter.
pub(super) fn garbage(
    bytes: u64,
    seed: u64,
    mut sink: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut left = bytes;
    while left > 0 {
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(16 * 1024);
        let block: Vec<u8> = std::iter::repeat_with(|| next(&mut state)).take(take).collect();
        sink(&block)?;
        left -= take as u64;
    }
    Ok(())
}

fn next(state: &mut u64) -> u8 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.to_le_bytes()[4]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(run: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>) -> Vec<u8> {
        let mut all = Vec::new();
        run(&mut |bytes| {
            all.extend_from_slice(bytes);
            Ok(())
        })
        .unwrap();
        all
    }

    #[test]
    fn a_flood_has_exactly_the_size_asked_for() {
        let all = collect(|sink| flood(1 << 20, 100, sink));
        assert_eq!(all.len(), 1 << 20);
        let line = all.split(|byte| *byte == b'\n').nth(7).unwrap();
        assert!(
            line.starts_with(b"flood 000000007 ") && line.len() == 99,
            "{line:?}"
        );
    }

    #[test]
    fn a_huge_line_has_no_line_end_inside() {
        let all = collect(|sink| huge_line(100_000, sink));
        assert_eq!(all.len(), 100_002);
        assert!(!all.split_at(100_000).0.contains(&b'\n'));
    }

    #[test]
    fn garbage_is_repeatable_and_covers_all_bytes() {
        let all = collect(|sink| garbage(20_000, 7, sink));
        assert_eq!(all.len(), 20_000);
        assert_eq!(all, collect(|sink| garbage(20_000, 7, sink)));
        assert_ne!(all, collect(|sink| garbage(20_000, 8, sink)));
        assert!((0..=255).all(|byte| all.contains(&byte)));
    }
}
