//! A thousand stories of the simulator: no rule is ever broken, and everything ends once the bad days are over.

use crate::fixture::{settings, workflows};
use crate::simulator::{Outcome, tell};

const PIPELINES: u64 = 1_000;

#[test]
fn a_thousand_pipelines_break_no_rule_and_all_of_them_end() {
    let (flows, settings) = (workflows(), settings());
    let mut sum = Outcome::default();
    for seed in 1..=PIPELINES {
        match tell(seed, &flows, &settings) {
            Ok(outcome) => {
                sum.tasks += outcome.tasks;
                sum.attempts += outcome.attempts;
                sum.deaths += outcome.deaths;
                sum.steps += outcome.steps;
            }
            Err(broken) => panic!("{broken}"),
        }
    }
    // The dice must not have made it too easy.
    assert!(
        sum.tasks > 3_000 && sum.attempts > 10_000 && sum.deaths > 2_000,
        "{sum:?}"
    );
}
