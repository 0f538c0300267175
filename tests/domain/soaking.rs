//! Hundreds of attempts on one board: finished tasks take bounded space.

use dbs::domain::ProcessExit;

use crate::fixture::{BoardFixture, draft};

/// Largest number of bytes that the rows of a done task may take, including its last attempts.
const MOST_BYTES: usize = 8 * 1024;
/// Largest number of attempts that are kept per task.
const MOST_ATTEMPTS: usize = 3;

/// Returns the bytes of all rows in their stored form.
fn size(fixture: &BoardFixture) -> usize {
    let tasks = fixture.board.tasks.values();
    let tasks = tasks.map(|task| serde_json::to_vec(task.as_ref()).unwrap().len());
    let attempts = fixture.board.attempts.values();
    let attempts = attempts.map(|attempt| serde_json::to_vec(attempt.as_ref()).unwrap().len());
    tasks.chain(attempts).sum()
}

/// Brings a new task through all stages; its first two agents crash.
fn done(fixture: &mut BoardFixture, id: &str) {
    fixture.released(draft(id, "kanban"));
    for _ in 0..2 {
        let attempt = fixture.open(id);
        fixture.start(attempt);
        fixture.end_with(attempt, ProcessExit::Code(1), None);
        fixture.settled(attempt);
        fixture.wait_until_due();
    }
    for _ in 0..10 {
        if fixture.word(id) == "done" {
            fixture.log.clear();
            return;
        }
        fixture.pass(id);
    }
    panic!("{id} is not done: {}", fixture.word(id));
}

#[test]
fn each_done_task_takes_the_same_bounded_room_however_many_there_are() {
    let mut fixture = BoardFixture::new();
    let mut sizes = vec![size(&fixture)];
    for round in 0..3 {
        for nth in 0..25 {
            done(&mut fixture, &format!("t-{round}{nth:02}"));
        }
        sizes.push(size(&fixture));
    }
    let n_tasks = fixture.board.tasks.len();
    assert!(
        fixture.board.last_attempt >= 375,
        "{}",
        fixture.board.last_attempt
    );
    assert!(
        fixture.board.attempts.len() <= MOST_ATTEMPTS * n_tasks,
        "{} attempts of {n_tasks} tasks",
        fixture.board.attempts.len()
    );
    let growth: Vec<usize> = sizes.windows(2).map(|pair| (pair[1] - pair[0]) / 25).collect();
    for bytes in &growth {
        assert!(*bytes < MOST_BYTES, "{growth:?} bytes for each task");
        assert!(bytes.abs_diff(growth[0]) < 200, "{growth:?} bytes for each task");
    }
}
