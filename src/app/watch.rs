//! The lines of `dbs watch`: what happens, and after a quiet minute what runs (K38, K64).

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::adapters::clock;
use crate::domain::{Notice, NoticeLevel};
use crate::engine::journal::Journal;
use crate::protocol::wire::NoticeLine;
use crate::read_model::ReadModel;

/// After so long without a line a person wants to know that work goes on.
pub(super) const HEARTBEAT_INTERVAL: Duration = Duration::from_mins(1);

/// Hands every line to `show`, and a heartbeat whenever nothing was told for `quiet`. Ends with the engine.
pub(super) async fn stream_notices(
    journal: &Journal,
    models: &watch::Receiver<Arc<ReadModel>>,
    quiet: Duration,
    mut show: impl FnMut(&NoticeLine),
) {
    let mut changes = journal.changes();
    let mut after = 0;
    loop {
        for line in journal.after(after) {
            after = line.seq;
            show(&NoticeLine {
                seq: line.seq,
                at: line.at,
                notice: line.notice.clone(),
            });
        }
        match tokio::time::timeout(quiet, changes.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_closed)) => return,
            Err(_quiet) => show(&NoticeLine {
                seq: after,
                at: clock::now(),
                notice: heartbeat(&models.borrow()),
            }),
        }
    }
}

fn heartbeat(board: &ReadModel) -> Notice {
    let agents: Vec<String> = board
        .agents()
        .map(|agent| format!("{} on {}", agent.name, agent.attempt.task))
        .collect();
    let text = match (agents.is_empty(), &board.pause) {
        (false, _) => format!("{} at work: {}", agents.len(), agents.join(", ")),
        (true, Some(_)) => "nothing runs; work is paused".to_owned(),
        (true, None) => "nothing runs".to_owned(),
    };
    Notice {
        level: NoticeLevel::Info,
        kind: "heartbeat".to_owned(),
        task: None,
        attempt: None,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Board, BoardSettings, Command, Event, RequestId, Timestamp};

    fn at_work() -> ReadModel {
        let mut board = Board::default();
        let flows = crate::formats::workflow::builtin().into_iter();
        let flows = flows.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
        let settings = BoardSettings {
            base: Some("main".to_owned()),
            ..BoardSettings::default()
        };
        board.apply(Timestamp(1), &Event::Configured(settings));
        let draft = serde_json::json!({
            "id": "t-1", "batch": "main", "workflow": "kanban", "stage": null, "title": "A task", "body": "",
            "kind": "task", "tags": [], "priority": 2, "deps": [], "gates": [], "needs_approval": false,
        });
        let commands = [
            Command::Create(serde_json::from_value(draft).unwrap()),
            Command::Release(vec!["t-1".into()]),
        ];
        for command in commands {
            let (request, by) = (RequestId(0), "ann".to_owned());
            board.apply(Timestamp(2), &Event::Asked { request, by, command });
        }
        ReadModel::of(&board, Timestamp(2))
    }

    #[test]
    fn every_line_is_told_and_after_a_quiet_while_who_is_at_work() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let journal = Journal::default();
        let (_keep, models) = watch::channel(Arc::new(at_work()));
        journal.add(Timestamp(3), heartbeat(&ReadModel::default()));
        let mut told = Vec::new();
        let talk = async {
            let (seen, mut heard) = tokio::sync::mpsc::channel(8);
            let narrating = stream_notices(&journal, &models, Duration::from_millis(1), move |line| {
                drop(seen.try_send(line.notice.text.clone()));
            });
            let listening = async {
                for _ in 0..3 {
                    told.extend(heard.recv().await);
                }
            };
            tokio::select! { () = narrating => {}, () = listening => {} }
        };
        runtime.block_on(talk);
        let name = at_work().agents().next().unwrap().name.to_owned();
        let alive = format!("1 at work: {name} on t-1");
        assert_eq!(told, ["nothing runs".to_owned(), alive.clone(), alive]);
    }
}
