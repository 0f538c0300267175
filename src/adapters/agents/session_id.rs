//! The id of an agent's own session, chosen before it starts: the same for an attempt whoever asks, so that nothing has to be stored.

use sha2::{Digest, Sha256};

use super::kind::LaunchContext;
use crate::domain::{AttemptId, Timestamp};

/// The session of an attempt as a UUID. The attempt's token goes in, which no other project has; it cannot be got out again.
pub(super) fn of(context: &LaunchContext, attempt: AttemptId, created_at: Timestamp) -> String {
    let token = (context.token)(attempt, created_at);
    let digest = Sha256::digest(format!("session {token}"));
    let digits: Vec<String> = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let mut hex = digits.concat();
    // Version 4, variant 1: tools check both.
    hex.replace_range(12..13, "4");
    hex.replace_range(16..17, "8");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::super::kind::tests::context;
    use super::*;

    #[test]
    fn each_attempt_has_one_session_of_its_own() {
        let id = |attempt, at| of(&context(), AttemptId(attempt), Timestamp(at));
        let one = id(7, 1);
        assert_eq!(one, id(7, 1));
        assert_ne!(one, id(7, 2));
        assert_ne!(one, id(8, 1));
        let lengths: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{one}");
        assert_eq!(
            (one.get(14..15), one.get(19..20)),
            (Some("4"), Some("8")),
            "{one}"
        );
    }
}
