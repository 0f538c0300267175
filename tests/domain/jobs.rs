//! Plans that agents make: jobs of batches, which a person orders and accepts and the server moves on; and several commands at once.

use dbs::domain::task::GateCommand;
use dbs::domain::{Command, JobStep, MadeForm, PlanJob, RunState, SignalKind, TaskDraft, TaskState};

use crate::fixture::{BoardFixture, draft};

fn job() -> PlanJob {
    PlanJob {
        form: MadeForm::Plan,
        feature: "ideas".to_owned(),
        text: "Export invoices.".to_owned(),
        complexity: None,
        agent: None,
        model: None,
        step: JobStep::Ordered,
    }
}

fn written() -> JobStep {
    JobStep::Written(
        "convert-ideas".into(),
        vec!["plans/ideas/MASTER_PLAN.md".to_owned()],
    )
}

fn step(fixture: &BoardFixture) -> JobStep {
    let batch = &fixture.board.batches[&"convert-ideas".into()];
    batch.job.as_ref().expect("the batch has a job").step.clone()
}

fn run(fixture: &BoardFixture) -> RunState {
    fixture.board.batches[&"convert-ideas".into()].run.clone()
}

fn move_to(step: JobStep) -> Command {
    Command::MoveJob("convert-ideas".into(), step)
}

/// Returns a board whose job has written its result, which waits for approval.
fn made() -> BoardFixture {
    let mut fixture = BoardFixture::new();
    fixture
        .ask(Command::PutJob("convert-ideas".into(), Box::new(job())))
        .unwrap();
    assert_eq!(run(&fixture), RunState::Running, "the server has the next step");
    let task = TaskDraft {
        batch: "convert-ideas".into(),
        gates: vec![GateCommand {
            name: "plan".to_owned(),
            command: "dbs audit".to_owned(),
        }],
        ..draft("convert-ideas", "convert")
    };
    let start = [
        Command::Create(task),
        Command::Release(vec!["convert-ideas".into()]),
        move_to(JobStep::Writing("convert-ideas".into())),
    ];
    fixture.ask(Command::All(start.to_vec())).unwrap();
    fixture.pass("convert-ideas");
    assert!(fixture.task("convert-ideas").state.awaits_approval());
    fixture
}

#[test]
fn a_yes_to_what_a_job_made_is_kept_until_the_server_has_put_it_in_its_place() {
    let mut fixture = made();
    assert_eq!(run(&fixture), RunState::Stalled, "the batch waits for a person");
    fixture.ask(Command::Approve("convert-ideas".into())).unwrap();
    assert_eq!(step(&fixture), JobStep::Accepted("convert-ideas".into()));
    assert_eq!(
        (fixture.word("convert-ideas"), run(&fixture)),
        ("done", RunState::Running),
        "the tasks are over, but the job is not"
    );
    fixture.ask(move_to(written())).unwrap();
    assert_eq!(run(&fixture), RunState::Completed);
    assert_eq!(
        fixture.notice_texts("plan"),
        ["batch convert-ideas: written: plans/ideas/MASTER_PLAN.md"]
    );
    fixture.ask(Command::Approve("convert-ideas".into())).unwrap();
    assert_eq!(
        step(&fixture),
        JobStep::Accepted("convert-ideas".into()),
        "a second approval writes the result again"
    );
}

#[test]
fn a_job_that_cannot_go_on_says_why_and_other_tasks_are_approved_as_ever() {
    let mut fixture = made();
    let why = "plans/ideas is there meanwhile".to_owned();
    fixture
        .ask(move_to(JobStep::Failed(Some("convert-ideas".into()), why)))
        .unwrap();
    assert_eq!(
        fixture.notice_texts("plan"),
        ["batch convert-ideas: could not continue: plans/ideas is there meanwhile"]
    );
    let refused = fixture
        .ask(Command::MoveJob("shop".into(), written()))
        .unwrap_err();
    assert!(refused.contains("batch shop does not make a plan"), "{refused}");
    fixture.released(draft("a", "kanban"));
    let refused = fixture.ask(Command::Approve("a".into())).unwrap_err();
    assert!(refused.contains("does not wait for approval"), "{refused}");
}

#[test]
fn several_commands_are_carried_out_together_or_not_at_all() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    let before = fixture.board.clone();
    let last = [
        (Command::Approve("a".into()), "does not wait for approval"),
        (Command::Clear, "send it alone"),
        (Command::All(Vec::new()), "send it alone"),
    ];
    for (last, why) in last {
        let all = vec![
            Command::Create(draft("b", "kanban")),
            Command::Release(vec!["a".into(), "b".into()]),
            last,
        ];
        let refused = fixture.ask(Command::All(all)).unwrap_err();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(fixture.board, before);
        assert!(
            fixture.lines().is_empty(),
            "nothing is told: {:?}",
            fixture.lines()
        );
    }
    let all = vec![
        Command::Create(draft("b", "kanban")),
        Command::Release(vec!["a".into(), "b".into()]),
    ];
    fixture.ask(Command::All(all)).unwrap();
    let attempt = fixture.open("b");
    fixture.live(attempt, SignalKind::Done, "");
    assert_ne!(fixture.task("a").state, TaskState::Backlog);
}
