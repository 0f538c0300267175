//! A conductor that is the real Claude Code: at each turn its model is shown the plan as the board has it (LK-53).

use std::time::{Duration, Instant};

use crate::driver::Story;
use crate::lab::{installed, scripts};
use crate::model_server::ModelServer;
use crate::pipeline::{OTHERS, serve, write_person_settings};
use crate::terminal::Tty;

/// Types a line at the conductor on the screen, and presses Enter until its model has it: a line that comes at once counts as pasted.
fn say(tty: &Tty<'_>, line: &str, is_heard: impl Fn() -> bool) {
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.type_text(line);
    tty.see("what now?");
    let mut typed = None::<Instant>;
    tty.wait("its model to be asked", |_| {
        if typed.is_none_or(|at| at.elapsed() > Duration::from_secs(1)) {
            tty.press("Enter");
            typed = Some(Instant::now());
        }
        is_heard()
    });
}

fn shows_the_plan_of_now(settings: &str) {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure(&format!("[roles.conductor]\nagent = \"claude\"\n{settings}"));
    write_person_settings(&story);
    let _server = serve(&story, &model);
    story.dbs(&["conduct", "[[script:conduct_plan]]", "Sell", "things"]);
    let tty = story.tty(&["attach"], (170, 45));
    tty.see("The plan stands.");
    let first = model.requests_for("conduct_plan")[0].body.to_string();
    assert!(first.contains("No batch of a conductor is on the board yet."));
    // Only the board can know this: a person changes the plan after the conductor has made it.
    story.dbs(&["task", "update", "t-1", "--title", "Build the scale"]);
    say(&tty, "[[script:conduct_more]] what now?", || {
        !model.requests_for("conduct_more").is_empty()
    });
    let asked = model.requests_for("conduct_more")[0].body.to_string();
    let plan = asked.rsplit("The plan as the board of dbs has it now").next();
    let plan: String = plan.unwrap().chars().take(600).collect();
    for part in [
        "batch shop onto work",
        "- t-1 [Dev, backlog] Build the scale",
        "- t-2 [Dev, backlog] Open the shop; waits for t-1",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_conductor_is_shown_at_a_later_turn_the_plan_as_a_person_has_changed_it() {
    shows_the_plan_of_now("");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_conductor_without_an_interface_is_shown_the_plan_of_now_too() {
    shows_the_plan_of_now("mode = \"headless\"\n");
}
