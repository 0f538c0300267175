//! Tests of `src/server/keeping/retention.rs`.

use std::time::Duration;

use super::*;
use crate::adapters::clock;
use crate::adapters::holder::LocalHolders;
use crate::domain::{Board, BoardSettings, Command, Event, Inventory, RequestId, TaskDraft, TaskId};

/// A board with a released task whose first attempt is open, and that many attempts before it on disk.
pub(in crate::server) fn board() -> Board {
    let texts = crate::formats::workflow::builtin();
    let read =
        |(name, text): (&str, &str)| crate::formats::workflow::read(std::path::Path::new(name), text).0;
    let asked = |command| Event::Asked {
        request: RequestId(1),
        by: "ada".to_owned(),
        command,
    };
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut board = Board::default();
    for event in [
        Event::configured(settings),
        Event::WorkflowsLoaded(texts.into_iter().filter_map(read).collect()),
        asked(Command::Create(TaskDraft::new("t", "Build"))),
        asked(Command::Release(vec!["t".into()])),
        Event::Woke(Inventory::default()),
    ] {
        board.apply(clock::now(), &event);
    }
    board
}

fn count(folder: &std::path::Path) -> usize {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| {
            let is_folder = entry.file_type().unwrap().is_dir();
            1 + if is_folder { count(&entry.path()) } else { 0 }
        })
        .sum()
}

#[test]
fn what_hundreds_of_attempts_left_is_removed_when_it_is_old_and_over_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let attempts = folder.path().join("attempts");
    for number in 1..=300 {
        let gates = attempts.join(number.to_string()).join("gates");
        fs::create_dir_all(&gates).unwrap();
        for name in ["index.jsonl", "00000.log", "gates/00.json", "gates/00.log"] {
            fs::write(attempts.join(number.to_string()).join(name), "x").unwrap();
        }
    }
    for other in ["shell-1", "notes", "002"] {
        fs::create_dir(attempts.join(other)).unwrap();
    }
    let mut board = board();
    let open: Vec<AttemptId> = board.attempts.keys().copied().collect();
    assert_eq!(open, [AttemptId(1)]);
    let holders = LocalHolders::new("dbs".into(), attempts.clone(), folder.path().to_owned());
    let retention = Retention {
        attempts: attempts.clone(),
        holders: Arc::new(holders),
    };
    let (now, later) = (clock::now(), clock::now() + Span(31 * DAY));
    let before = count(&attempts);
    assert_eq!(before, 300 * 6 + 3);
    retention.sweep(&ReadModel::of(&board, now), 30, now);
    assert_eq!(count(&attempts), before, "all of it is young");
    retention.sweep(&ReadModel::of(&board, later), 32, later);
    assert_eq!(count(&attempts), before, "it is not old enough for that");
    let log = fs::File::options()
        .append(true)
        .open(attempts.join("7/00000.log"))
        .unwrap();
    log.set_modified(UNIX_EPOCH + Duration::from_millis((now + Span(2 * DAY)).0))
        .unwrap();
    retention.sweep(&ReadModel::of(&board, later), 30, later);
    let left = 2 * 6 + 3;
    assert_eq!(
        count(&attempts),
        left,
        "the open attempt, one whose log grew, and what is no attempt"
    );
    let close = Event::Asked {
        request: RequestId(2),
        by: "ada".to_owned(),
        command: Command::Close(TaskId::from("t"), "enough".to_owned()),
    };
    board.apply(later, &close);
    retention.sweep(&ReadModel::of(&board, later), 30, later);
    assert_eq!(
        count(&attempts),
        left,
        "an attempt that is being stopped is not over"
    );
}
