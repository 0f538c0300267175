//! A killed writer: acknowledged turns are there, and no turn is there in part.

use std::path::Path;

use dbs::domain::{AttemptId, Board, Effect};
use dbs::ports::store::Store;

use super::boards::{nth_turn, open};
use super::child::Other;

/// Number of kills, with a few commits between them, so that every part of a commit is hit sooner or later.
const KILLS: u64 = 40;

#[test]
fn every_acknowledged_turn_survives_kill_nine_and_none_is_there_by_halves() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..KILLS {
        let writer = Other::start("write", folder.path());
        for _ in 0..=round % 7 {
            acknowledged = writer.hear().unwrap().parse().unwrap();
        }
        // Not a wait for an event: each round stops at another point of the commit under way.
        (0..round * 20_000).for_each(|step| {
            std::hint::black_box(step);
        });
        if let Some(last) = writer.kill().last() {
            acknowledged = last.parse().unwrap();
        }
        check(folder.path(), acknowledged);
    }
    assert!(acknowledged >= KILLS);
}

fn check(folder: &Path, acknowledged: u64) {
    let mut store = open(folder);
    let loaded = store.load().unwrap();
    let last = loaded.last_attempt;
    assert!(
        last == acknowledged || last == acknowledged + 1,
        "{acknowledged} acknowledged, {last} stored"
    );
    assert_eq!(loaded, expected(last));
    let events = store.reader().events(0, usize::MAX, None).unwrap();
    assert_eq!(events.len() as u64, last);
    for stored in &events {
        let (event, _, _, effects) = nth_turn(stored.seq);
        assert_eq!(stored.event, event);
        let told: Vec<Effect> = stored.notices.iter().cloned().map(Effect::Notify).collect();
        assert_eq!(Some(told.as_slice()), effects.get(1..));
    }
    assert_eq!(store.open_intents().unwrap(), [Effect::Start(AttemptId(last))]);
}

/// The board after `last` turns.
fn expected(last: u64) -> Board {
    let mut all = Board::default();
    for n in 1..=last {
        let (_, board, _, _) = nth_turn(n);
        all.last_attempt = board.last_attempt;
        all.tasks.extend(board.tasks);
        all.attempts.extend(board.attempts);
        all.batches.extend(board.batches);
    }
    all
}
