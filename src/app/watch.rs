//! The lines of `dbs watch`: events, and after a quiet minute the running work (K38, K64).

use std::time::Duration;

use crate::adapters::clock;
use crate::domain::{Notice, NoticeLevel};
use crate::read_model::{LogLine, ReadModel, general_notice};
use crate::server::engine_handle::EngineHandle;

/// Time without a line after which a person wants to know that work continues.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_mins(1);

/// Hands every line to `show`, and a heartbeat whenever no line came for `quiet`. Ends with the engine.
pub(super) async fn stream_notices(engine: &EngineHandle, quiet: Duration, mut show: impl FnMut(&LogLine)) {
    let mut changes = engine.journal.changes();
    let mut after = 0;
    loop {
        for line in engine.journal.after(after) {
            after = line.seq;
            show(&line);
        }
        match tokio::time::timeout(quiet, changes.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_closed)) => return,
            Err(_quiet) => show(&LogLine {
                seq: after,
                at: clock::now(),
                notice: heartbeat(&engine.read_model()),
            }),
        }
    }
}

fn heartbeat(model: &ReadModel) -> Notice {
    let agents: Vec<String> = model
        .agents()
        .map(|agent| format!("{} on {}", agent.name, agent.attempt.task))
        .collect();
    let text = match (agents.is_empty(), &model.pause) {
        (false, _) => format!("{} at work: {}", agents.len(), agents.join(", ")),
        (true, Some(_)) => "nothing runs; work is paused".to_owned(),
        (true, None) => "nothing runs".to_owned(),
    };
    general_notice(NoticeLevel::Info, "heartbeat", text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{mpsc, watch};

    use super::*;
    use crate::domain::{AttemptState, Timestamp, Verdict};
    use crate::engine::inbox::inbox;
    use crate::engine::journal::Journal;
    use crate::read_model::settled_attempt;

    #[tokio::test]
    async fn every_line_is_shown_and_after_a_quiet_while_who_is_at_work() {
        let mut attempt = settled_attempt(1, "development", 0, 9, Verdict::Passed);
        attempt.state = AttemptState::Running;
        let mut at_work = ReadModel::default();
        at_work.attempts.insert(attempt.id, Arc::new(attempt));
        let engine = EngineHandle {
            inbox: inbox().0,
            read_models: watch::channel(Arc::new(at_work)).1,
            journal: Journal::default(),
        };
        engine.journal.add(Timestamp(3), heartbeat(&ReadModel::default()));
        let (sender, mut shown) = mpsc::channel(8);
        let streaming = stream_notices(&engine, Duration::from_millis(1), move |line| {
            drop(sender.try_send(line.notice.text.clone()));
        });
        let mut texts = Vec::new();
        let reading = async {
            for _ in 0..3 {
                texts.extend(shown.recv().await);
            }
        };
        tokio::select! { () = streaming => {}, () = reading => {} }
        let alive = "1 at work: developer-ravel on t-1";
        assert_eq!(texts, ["nothing runs", alive, alive]);
    }
}
