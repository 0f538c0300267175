//! Position of the plain client in the watcher log, over any number of servers.

use crate::domain::Timestamp;
use crate::protocol::wire::ServerStatus;
use crate::read_model::LogLine;

/// The last line that was printed, and the range of lines that may repeat earlier ones.
#[derive(Debug, Default)]
pub(super) struct LogPosition {
    /// Start time of the server that sent the last line.
    server: Timestamp,
    seq: u64,
    /// Time at which the last line was written.
    at: Timestamp,
    /// Position and time up to which lines may be old ones: a restarted server repeats the lines before its start.
    repeats_until: (u64, Timestamp),
}

impl LogPosition {
    /// Creates the position after the last line that this server has now.
    pub(super) fn now(status: &ServerStatus) -> LogPosition {
        LogPosition {
            server: status.since,
            seq: status.last_line,
            ..LogPosition::default()
        }
    }

    /// Notes that everything up to that time is known from the board.
    pub(super) fn know_until(&mut self, at: Timestamp) {
        self.at = self.at.max(at);
    }

    /// Returns the line after which this server has to continue: a restarted one sends all it knows.
    pub(super) fn begin(&mut self, status: &ServerStatus) -> u64 {
        if self.server != status.since {
            (self.server, self.seq) = (status.since, 0);
            self.repeats_until = (status.last_line, self.at);
        }
        self.seq
    }

    /// Advances to this line. Returns false if it was printed before.
    ///
    /// Only a line that the server had when it was asked can be an old one, whatever its time: clocks are set back.
    pub(super) fn advance(&mut self, line: &LogLine) -> bool {
        self.seq = line.seq;
        let (seq, at) = self.repeats_until;
        if line.seq <= seq && line.at <= at {
            return false;
        }
        self.at = self.at.max(line.at);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::NoticeLevel;
    use crate::read_model::general_notice;

    fn status(since: u64, last_line: u64) -> ServerStatus {
        ServerStatus {
            name: String::new(),
            root: String::new(),
            pid: 1,
            program: String::new(),
            since: Timestamp(since),
            clients: 1,
            agents: 0,
            counts: std::collections::BTreeMap::new(),
            needs: 0,
            last_line,
            variables: Vec::new(),
        }
    }

    fn line(seq: u64, at: u64) -> LogLine {
        LogLine {
            seq,
            at: Timestamp(at),
            notice: general_notice(NoticeLevel::Info, "spawn", String::new()),
        }
    }

    #[test]
    fn the_first_server_goes_on_after_what_it_had_and_every_line_counts_also_after_a_clock_was_set_back() {
        let mut position = LogPosition::now(&status(1_000, 7));
        position.know_until(Timestamp(1_500));
        assert_eq!(position.begin(&status(1_000, 9)), 7);
        assert!(position.advance(&line(8, 1_500)));
        assert!(position.advance(&line(9, 20)));
        // The connection was lost, not the server.
        assert_eq!(position.begin(&status(1_000, 9)), 9);
    }

    #[test]
    fn another_server_repeats_what_was_heard_and_that_is_heard_once() {
        let mut position = LogPosition::now(&status(1_000, 7));
        position.know_until(Timestamp(1_500));
        assert!(position.advance(&line(8, 1_600)));
        assert_eq!(position.begin(&status(2_000, 4)), 0);
        assert!(!position.advance(&line(1, 1_200)));
        assert!(!position.advance(&line(2, 1_600)));
        // Written before the old server ended, and not heard of it.
        assert!(position.advance(&line(3, 1_700)));
        assert!(position.advance(&line(4, 2_000)));
        // New ones of a server whose clock is behind.
        assert!(position.advance(&line(5, 30)));
        // One that was lost in between: all that it repeats up to the newest time is known.
        assert_eq!(position.begin(&status(3_000, 6)), 0);
        assert!(!position.advance(&line(1, 2_000)));
        assert!(position.advance(&line(6, 3_000)));
    }
}
