//! Ten thousand stories of the simulator: no rule is broken, and everything ends once the bad days are over. They are split into quarters
//! so that several cores share the work.

use dbs::domain::{AttemptId, Board, Timestamp};
use dbs::read_model::ReadModel;
use dbs_simulator::{Outcome, tell};

use crate::fixture::{settings, workflows};

const QUARTER: u64 = 2_500;

/// Returns what people are told of attempts.
fn told(board: &Board) -> Vec<(AttemptId, String)> {
    let items = ReadModel::of(board, Timestamp::default()).attention.into_iter();
    items
        .filter_map(|item| Some((item.attempt?, item.text)))
        .collect()
}

fn play(quarter: u64) {
    let (flows, settings) = (workflows(), settings());
    let mut sum = Outcome::default();
    for seed in (quarter - 1) * QUARTER + 1..=quarter * QUARTER {
        match tell(seed, &flows, &settings, told) {
            Ok(outcome) => sum.add(&outcome),
            Err(broken) => panic!("{broken}"),
        }
    }
    // The dice must not have made the stories too easy.
    assert!(
        sum.tasks > 7_500 && sum.attempts > 25_000 && sum.deaths > 5_000,
        "{sum:?}"
    );
    assert!(
        sum.restarts > 1_500 && sum.interrupted > 1_500 && sum.refused > 250 && sum.unknown > 500,
        "{sum:?}"
    );
    assert!(
        sum.troubles > 600 && sum.unremovable > 400 && sum.written > 18_000,
        "{sum:?}"
    );
    assert!(
        sum.replies > 500
            && sum.typed > 150
            && sum.asked_again > 80
            && sum.taken_back > 15
            && sum.timeouts > 200,
        "{sum:?}"
    );
}

#[test]
fn the_first_quarter_of_ten_thousand_pipelines_breaks_no_rule_and_all_of_them_end() {
    play(1);
}

#[test]
fn the_second_quarter_of_ten_thousand_pipelines_breaks_no_rule_and_all_of_them_end() {
    play(2);
}

#[test]
fn the_third_quarter_of_ten_thousand_pipelines_breaks_no_rule_and_all_of_them_end() {
    play(3);
}

#[test]
fn the_last_quarter_of_ten_thousand_pipelines_breaks_no_rule_and_all_of_them_end() {
    play(4);
}
