//! Cost of the rules on a large board: planning ten thousand tasks one by one, releasing them, and an event on a board with that many
//! tasks.

#[path = "figures/tasks.rs"]
mod tasks;

use dbs::domain::{Command, TaskId};
use dbs::read_model::ReadModel;
use divan::Bencher;
use tasks::{NOW, asked, planned, released};

fn main() {
    divan::main();
}

/// Planning all tasks, one event each.
#[divan::bench(args = [1_000, 10_000], sample_count = 3, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, tasks: usize) {
    bencher.bench_local(|| planned(tasks));
}

/// Releasing all tasks, one event each.
#[divan::bench(args = [1_000, 10_000], sample_count = 3, sample_size = 1)]
fn release_one_by_one(bencher: Bencher<'_, '_>, tasks: usize) {
    bencher
        .with_inputs(|| planned(tasks))
        .bench_local_values(|mut board| {
            for n in 0..tasks {
                let id = TaskId::new(format!("t-{n}"));
                board.apply(NOW, &asked(Command::Release(vec![id])));
                board.take_changed_rows();
            }
            board
        });
}

/// A comment on a board where all tasks are released and eight are worked on.
#[divan::bench(args = [100, 10_000], sample_count = 100, sample_size = 10)]
fn comment(bencher: Bencher<'_, '_>, tasks: usize) {
    let mut board = released(tasks);
    let event = asked(Command::Comment("t-5".into(), "a word".to_owned()));
    bencher.bench_local(|| {
        board.apply(NOW, &event);
        board.take_changed_rows()
    });
}

/// The read model of a board.
#[divan::bench(args = [100, 10_000], sample_count = 20, sample_size = 1)]
fn read_model(bencher: Bencher<'_, '_>, tasks: usize) {
    let board = released(tasks);
    bencher.bench_local(|| ReadModel::of(&board, NOW));
}
