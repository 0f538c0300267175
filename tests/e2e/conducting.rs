//! A conductor: started with one command, it plans two tasks in its pane, and a person releases them (K1, K87, K91, LK-32).

use crate::driver::Story;
use crate::scenarios::working;
use crate::script::write_script;

/// Plans, tries commands that are for persons, and then reads what a person types.
const CONDUCTOR: &str = r#"#!/bin/sh
"$DBS_PROGRAM" batch create shop --base work --acceptance
"$DBS_PROGRAM" task create "First" --id t-1 --batch shop
"$DBS_PROGRAM" task create "Second" --id t-2 --batch shop --deps t-1
"$DBS_PROGRAM" task create "Accept" --id t-3 --batch shop --stage acceptance --deps t-1,t-2
for no in "task release t-1 t-2 t-3" "config base_branch main" "approve t-1" "trust --forget"; do
  "$DBS_PROGRAM" $no && echo "it was allowed: $no"
done
echo "The plan stands."
read -r line
echo "you said $line"
read -r line
exit 0
"#;

#[test]
fn a_conductor_plans_two_tasks_in_its_pane_and_a_person_releases_them() {
    let story = Story::new(&working(""));
    let program = story.root().join("planner");
    write_script(&program, CONDUCTOR);
    let command = program.display().to_string();
    story.configure(&format!(
        "[roles.conductor]\ncommand = {command:?}\n[gates]\ntest = \"true\"\n"
    ));
    story.dbs(&["conduct", "Sell", "things"]);
    let tty = story.tty(&[], (170, 45));
    let screen = tty.see("The plan stands.");
    assert!(!screen.has("it was allowed"), "{}", screen.text());
    assert_eq!(story.count("backlog"), 3, "nothing of the plan was released");
    story.dbs(&["task", "release", "t-1", "t-2", "t-3"]);
    story.wait_until("the end of both tasks", || story.count("done") >= 2);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
    assert!(
        story.dbs(&["status"]).contains("conductor-"),
        "the conductor goes on without a screen"
    );
}

#[test]
fn who_is_at_a_terminal_is_told_which_agents_will_run_and_without_a_yes_none_does() {
    let story = Story::new(&working(""));
    let program = story.root().join("planner");
    write_script(&program, CONDUCTOR);
    let command = program.display().to_string();
    story.configure(&format!(
        "[roles.conductor]\ncommand = {command:?}\n[roles.plan-writer]\ncommand = {command:?}\n[gates]\ntest = \"true\"\n"
    ));
    std::fs::write(story.project().join("ideas.md"), "Sell things.\n").unwrap();
    for (words, role, may) in [
        (
            &["conduct", "Sell"][..],
            "conductor",
            "may change nothing in it, at most 168h for each try",
        ),
        (
            &["convert", "ideas.md"],
            "plan-writer",
            "writes in a worktree of its own, at most 10m for each try",
        ),
    ] {
        let tty = story.tty(words, (200, 30));
        let screen = tty.see("Start? y or n");
        let agent = format!("{role}: custom, its usual model, command `{command}`; ");
        assert!(screen.has(&agent) && screen.has(may), "{}", screen.text());
        tty.press("n Enter");
        let (code, said) = tty.leave();
        assert!(
            code != 0 && said.has("nothing was started"),
            "{code}: {}",
            said.text()
        );
        assert!(story.dbs(&["task", "list"]).contains("no tasks"));
    }
    let said = story.dbs(&["conduct", "Sell", "--yes"]);
    assert!(
        said.contains(&format!(
            "conductor: custom, its usual model, command `{command}`"
        )),
        "{said}"
    );
}
