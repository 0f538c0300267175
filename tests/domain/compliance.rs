//! Demands of a plan besides the work itself, and how shortcomings are weighed (P27, P33–P38), as scenarios on a board.

use std::sync::Arc;

use dbs::domain::evidence::{ComplianceIssue, Severity};
use dbs::domain::workflow::FindingPolicy;
use dbs::domain::{
    ActionOutcome, AttemptId, AttemptMode, BoardSettings, Claims, Command, Event, Evidence, EvidenceKind,
    HoldReason, PathRules, PlanEntry, ProcessExit, SignalKind, TaskDraft, TaskId, TaskPatch, TaskState,
    Timestamp, Tri, WaitReason, Workflow, Workplace,
};

use dbs::formats::completion_report;
use dbs::read_model::ReadModel;

use crate::fixture::{BoardFixture, draft, settings, workflows};

/// Missing evidence with its severity.
type Fault = (EvidenceKind, Severity);

fn phase(id: &str, plan: PlanEntry) -> TaskDraft {
    TaskDraft {
        plan: Some(Arc::new(plan)),
        ..draft(id, "phased")
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Returns a plan that asks for notes, a subagent and two steps.
fn demanding() -> PlanEntry {
    PlanEntry {
        notes: Some("notes/n.md".to_owned()),
        agents: texts(&["task-validator"]),
        steps: texts(&["read_previous_notes", "write_notes"]),
        ..PlanEntry::default()
    }
}

/// Returns a board whose phase workflow applies that policy to findings.
fn with_policy(policy: FindingPolicy) -> BoardFixture {
    let mut fixture = BoardFixture::new();
    let mut flows: Vec<Workflow> = workflows();
    for stage in flows.iter_mut().flat_map(|flow| &mut flow.stages) {
        if stage.id.as_str() == "work" {
            stage.findings = policy;
        }
    }
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture
}

fn done_with(fixture: &mut BoardFixture, attempt: AttemptId, claims: Claims) {
    fixture.start(attempt);
    fixture.happen(Event::Signalled {
        attempt,
        kind: SignalKind::Done,
        text: "done".to_owned(),
        report: None,
        claims,
        key: format!("done {attempt}"),
        by_file: false,
    });
    fixture.end(attempt);
}

/// Verifies an attempt: all evidence is Yes except the kinds that these issues are about.
fn verify_with(fixture: &mut BoardFixture, attempt: AttemptId, issues: &[Fault]) {
    let mut evidence = fixture.evidence(attempt, &[]);
    for piece in &mut evidence {
        let own = issues.iter().filter(|(kind, _)| *kind == piece.kind);
        let own: Vec<ComplianceIssue> = own
            .map(|(kind, severity)| ComplianceIssue::new(*severity, format!("{kind:?} is wanting")))
            .collect();
        if !own.is_empty() {
            *piece = Evidence::from_issues(piece.kind.clone(), own);
        }
    }
    fixture.happen(Event::Verified {
        attempt,
        evidence,
        head: Some(format!("c{attempt}")),
        integration: None,
    });
}

#[test]
fn only_what_a_plan_asks_for_is_looked_at() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("a", PlanEntry::default()));
    fixture.released(phase("b", demanding()));
    let kinds = |id: &str| fixture.asked_evidence(fixture.open(id));
    let wanted = [
        EvidenceKind::Notes,
        EvidenceKind::AgentsUsed,
        EvidenceKind::StepsDone,
        EvidenceKind::Protected,
        EvidenceKind::ListedFiles,
    ];
    let of = |id: &str| {
        let asked = kinds(id);
        wanted
            .iter()
            .filter(|kind| asked.contains(kind))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(of("a"), []);
    assert_eq!(
        of("b"),
        [
            EvidenceKind::Notes,
            EvidenceKind::AgentsUsed,
            EvidenceKind::StepsDone
        ]
    );
}

#[test]
fn findings_are_weighed_by_the_seeds_table() {
    use EvidenceKind::{Gates, Notes, Protected};
    use Severity::{Critical, High, Low};
    let cases: [(&[Fault], &str, AttemptMode); 6] = [
        (&[], "merging", AttemptMode::Fresh),
        (&[(Notes, Low)], "merging", AttemptMode::Fresh),
        (&[(Protected, High)], "merging", AttemptMode::Fresh),
        (
            &[(Notes, High), (Protected, High)],
            "work",
            AttemptMode::Remediate,
        ),
        (&[(Gates, Critical), (Notes, Low)], "work", AttemptMode::Remediate),
        (
            &[(Gates, Critical), (Gates, Critical)],
            "work",
            AttemptMode::Fresh,
        ),
    ];
    for (issues, stage, mode) in cases {
        let mut fixture = BoardFixture::new();
        let plan = PlanEntry {
            notes: Some("n.md".to_owned()),
            paths: PathRules {
                protected: texts(&["tests/"]),
                ..PathRules::default()
            },
            ..PlanEntry::default()
        };
        fixture.released(phase("p", plan));
        let first = fixture.open("p");
        fixture.live(first, SignalKind::Done, "");
        verify_with(&mut fixture, first, issues);
        assert_eq!(fixture.stage("p"), stage, "{issues:?}");
        assert_eq!(fixture.attempt(fixture.open("p")).mode, mode, "{issues:?}");
        let finding = fixture.task("p").finding.clone().unwrap_or_default();
        assert_eq!(finding.is_empty(), stage == "merging", "{finding}");
        let comments = format!("{:?}", fixture.task("p").comments);
        let is_warned = stage == "merging" && !issues.is_empty();
        assert_eq!(comments.contains("passed with warnings"), is_warned, "{comments}");
    }
}

/// Returns a board on which a phase has failed with two critical findings, its work recorded at `c1`.
fn to_begin_anew() -> BoardFixture {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", demanding()));
    let first = fixture.open("p");
    fixture.happen(Event::SubagentSeen {
        attempt: first,
        name: "task-validator".to_owned(),
    });
    done_with(&mut fixture, first, Claims::default());
    let two = [
        (EvidenceKind::Gates, Severity::Critical),
        (EvidenceKind::Gates, Severity::Critical),
    ];
    verify_with(&mut fixture, first, &two);
    fixture
}

#[test]
fn with_two_critical_findings_the_phase_begins_on_a_clean_branch_and_only_once() {
    let mut fixture = to_begin_anew();
    let second = fixture.open("p");
    assert!(fixture.task("p").begins_anew, "the new workspace is not made yet");
    assert!(!fixture.task("p").record.agents.is_empty());
    made_anew(&mut fixture, second);
    let task = fixture.task("p");
    assert!(!task.begins_anew && task.head.is_none() && task.record.is_none());
    assert!(fixture.comments("p").contains("kept as refs/dbs/attic/p/1"));
    // After a crash, work continues on the branch that was begun.
    fixture.start(second);
    fixture.end_with(second, ProcessExit::Code(1), None);
    assert!(!fixture.task("p").begins_anew);
}

#[test]
fn one_critical_finding_is_fixed_on_the_branch_and_a_person_may_ask_for_a_clean_one() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", PlanEntry::default()));
    let first = fixture.open("p");
    fixture.live(first, SignalKind::Done, "");
    verify_with(&mut fixture, first, &[(EvidenceKind::Gates, Severity::Critical)]);
    assert!(!fixture.task("p").begins_anew);
    let clean = |is_clean| {
        let patch = TaskPatch {
            begins_anew: Some(is_clean),
            ..TaskPatch::default()
        };
        Command::Update("p".into(), patch)
    };
    fixture.ask(clean(true)).unwrap();
    assert!(fixture.task("p").begins_anew);
    let moved = TaskPatch {
        stage: Some("merging".into()),
        ..TaskPatch::default()
    };
    fixture.ask(Command::Update("p".into(), moved)).unwrap();
    assert!(
        !fixture.task("p").begins_anew,
        "a clean start is only for the stage that was left"
    );
}

#[test]
fn a_recorded_head_is_forgotten_when_the_branch_begins_anew() {
    let mut fixture = with_policy(FindingPolicy::Ask);
    fixture.released(phase("p", PlanEntry::default()));
    let first = fixture.open("p");
    fixture.live(first, SignalKind::Done, "");
    verify_with(&mut fixture, first, &[(EvidenceKind::Gates, Severity::Critical)]);
    assert_eq!(fixture.task("p").head.as_deref(), Some("c1"));
    let patch = TaskPatch {
        begins_anew: Some(true),
        ..TaskPatch::default()
    };
    fixture.ask(Command::Update("p".into(), patch)).unwrap();
    let retry = Command::Retry {
        task: "p".into(),
        stage: None,
        note: None,
    };
    fixture.ask(retry).unwrap();
    let second = fixture.open("p");
    made_anew(&mut fixture, second);
    assert_eq!(fixture.task("p").head, None);
}

/// Reports that the workspace of an attempt was made and that the old branch was put aside.
fn made_anew(fixture: &mut BoardFixture, attempt: AttemptId) {
    fixture.happen(Event::WorkplaceMade {
        attempt,
        workplace: Workplace {
            path: "trees/2".to_owned(),
            branch: Some("b".to_owned()),
            start: None,
            start_tree: None,
            git_overrides: None,
        },
        kept: vec!["refs/dbs/attic/p/1".to_owned()],
        gates_before: Vec::new(),
    });
}

#[test]
fn what_an_agent_claims_and_nobody_saw_is_said_whether_the_work_passes_or_not() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", PlanEntry::default()));
    let first = fixture.open("p");
    let claims = Claims {
        gates: texts(&["lint", "test"]),
        agents: texts(&["task-validator"]),
        ..Claims::default()
    };
    done_with(&mut fixture, first, claims);
    let mut evidence = fixture.evidence(first, &[]);
    for piece in evidence
        .iter_mut()
        .filter(|piece| piece.kind == EvidenceKind::Gates)
    {
        let failed = ComplianceIssue::new(Severity::Low, "gate test failed: ended with code 1");
        *piece = Evidence::from_issues(EvidenceKind::Gates, vec![failed]);
    }
    fixture.happen(Event::Verified {
        attempt: first,
        evidence,
        head: Some("c1".to_owned()),
        integration: None,
    });
    let said = fixture.comments("p");
    assert!(
        said.contains("gate test was reported as passed, and it failed"),
        "{said}"
    );
    assert!(
        said.contains("subagent task-validator was reported as used"),
        "{said}"
    );
    assert!(!said.contains("gate lint"), "{said}");
    assert_eq!(fixture.stage("p"), "merging", "a low finding is a warning");
}

/// LP-8.
#[test]
fn the_results_of_gates_stay_with_the_try_that_they_are_about() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", PlanEntry::default()));
    let first = fixture.open("p");
    done_with(&mut fixture, first, Claims::default());
    verify_with(&mut fixture, first, &[(EvidenceKind::Gates, Severity::Critical)]);
    let second = fixture.open("p");
    done_with(&mut fixture, second, Claims::default());
    verify_with(&mut fixture, second, &[]);
    let passed = |attempt: AttemptId| {
        let mut evidence = fixture.attempt(attempt).evidence.iter();
        let gates = evidence.find(|piece| piece.kind == EvidenceKind::Gates);
        gates.map(|piece| piece.outcome == Tri::Yes)
    };
    assert_eq!((passed(first), passed(second)), (Some(false), Some(true)));
}

/// P66.
#[test]
fn the_place_of_notes_in_a_report_is_compared_with_the_plan_and_its_warnings_reach_the_next_phase() {
    let said = |claimed: &str| {
        let mut fixture = BoardFixture::new();
        let plan = PlanEntry {
            notes: Some("notes/n.md".to_owned()),
            ..PlanEntry::default()
        };
        fixture.released(phase("p", plan));
        let next = TaskDraft {
            deps: [TaskId::from("p")].into(),
            ..phase("q", PlanEntry::default())
        };
        fixture.released(next);
        let first = fixture.open("p");
        let claims = Claims {
            notes: Some(claimed.to_owned()),
            warnings: texts(&["Legacy auth needs attention", "the cache is cold"]),
            ..Claims::default()
        };
        done_with(&mut fixture, first, claims);
        verify_with(&mut fixture, first, &[]);
        let model = ReadModel::of(&fixture.board, Timestamp(1));
        let facts = model.prompt_facts(&model.tasks[&"q".into()], None).unwrap();
        let told: Vec<String> = facts.dependencies[0]
            .results
            .iter()
            .map(|remark| remark.text.clone())
            .collect();
        (fixture.comments("p"), told.concat())
    };
    let (comments, told) = said("docs/n.md");
    let wanted = "the notes were reported at docs/n.md, and the plan has them at notes/n.md";
    assert!(comments.contains(wanted), "{comments}");
    assert!(
        told.contains("- Legacy auth needs attention\n- the cache is cold"),
        "{told}"
    );
    for same in ["notes/n.md", "./notes/n.md", "/home/ann/shop/notes/n.md"] {
        assert!(!said(same).0.contains("were reported at"), "{same}");
    }
}

#[test]
fn where_the_settings_are_strict_a_warning_is_to_be_fixed() {
    for (strict, stage) in [(false, "merging"), (true, "work")] {
        let mut fixture = BoardFixture::with(BoardSettings { strict, ..settings() });
        fixture.released(phase("p", PlanEntry::default()));
        let first = fixture.open("p");
        done_with(&mut fixture, first, Claims::default());
        verify_with(&mut fixture, first, &[(EvidenceKind::Gates, Severity::Low)]);
        assert_eq!(fixture.stage("p"), stage, "{}", fixture.comments("p"));
    }
}

/// P34.
#[test]
fn notes_that_are_missing_are_to_be_written_unless_the_settings_accept_that() {
    for (accepts_missing_notes, severity, stage) in [
        (false, Severity::High, "work"),
        (false, Severity::Low, "merging"),
        (true, Severity::High, "merging"),
    ] {
        let mut fixture = BoardFixture::with(BoardSettings {
            accepts_missing_notes,
            ..settings()
        });
        let plan = PlanEntry {
            notes: Some("n.md".to_owned()),
            ..PlanEntry::default()
        };
        fixture.released(phase("p", plan));
        let first = fixture.open("p");
        done_with(&mut fixture, first, Claims::default());
        verify_with(&mut fixture, first, &[(EvidenceKind::Notes, severity)]);
        assert_eq!(fixture.stage("p"), stage, "{}", fixture.comments("p"));
        let mode = fixture.attempt(fixture.open("p")).mode;
        assert_eq!(mode == AttemptMode::Remediate, stage == "work");
    }
}

#[test]
fn the_next_agent_is_told_each_finding_with_what_to_do_about_it() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", demanding()));
    let first = fixture.open("p");
    done_with(&mut fixture, first, Claims::default());
    let seen = [
        (EvidenceKind::Notes, Severity::High),
        (EvidenceKind::Gates, Severity::Critical),
    ];
    verify_with(&mut fixture, first, &seen);
    let finding = fixture.task("p").finding.clone().unwrap();
    let wanted = [
        "critical: Gates is wanting\n  to do: fix the gate's findings, and run it until it passes",
        "high: Notes is wanting\n  to do: write the notes",
        "critical: the subagent task-validator was not used\n  to do: let that subagent do its part",
        "high: the step write_notes was not reported\n  to do: do the step, then report it",
    ];
    for wanted in wanted {
        assert!(finding.contains(wanted), "{wanted}\n{finding}");
    }
    assert_eq!((fixture.stage("p"), fixture.word("p")), ("work", "active"));
}

#[test]
fn a_subagent_counts_when_it_was_seen_and_a_claim_of_it_is_the_lesser_fault() {
    let severity = |seen: Option<&str>, claimed: &[&str]| {
        let mut fixture = BoardFixture::new();
        let plan = PlanEntry {
            agents: texts(&["task-validator"]),
            ..PlanEntry::default()
        };
        fixture.released(phase("p", plan));
        let first = fixture.open("p");
        if let Some(name) = seen {
            let name = name.to_owned();
            fixture.happen(Event::SubagentSeen { attempt: first, name });
        }
        let agents = texts(claimed);
        done_with(
            &mut fixture,
            first,
            Claims {
                agents,
                ..Claims::default()
            },
        );
        fixture.verify(first, &[]);
        let evidence = &fixture.attempt(first).evidence;
        let piece = evidence
            .iter()
            .find(|piece| piece.kind == EvidenceKind::AgentsUsed);
        piece.unwrap().findings().first().map(|issue| issue.severity)
    };
    assert_eq!(severity(Some("task-validator"), &[]), None);
    assert_eq!(severity(Some("another"), &[]), Some(Severity::Critical));
    assert_eq!(severity(None, &["task-validator"]), Some(Severity::High));
    assert_eq!(severity(None, &[]), Some(Severity::Critical));
}

#[test]
fn steps_count_on_the_way_or_in_the_report_and_over_all_attempts() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase(
        "p",
        PlanEntry {
            notes: None,
            agents: Vec::new(),
            ..demanding()
        },
    ));
    let first = fixture.open("p");
    fixture.start(first);
    fixture.say(first, SignalKind::Progress, "read_previous_notes:completed");
    fixture.say(first, SignalKind::Progress, "write_notes:started");
    fixture.say(first, SignalKind::Done, "");
    fixture.end(first);
    fixture.verify(first, &[(EvidenceKind::Gates, Tri::No("red".to_owned()))]);
    let finding = fixture.task("p").finding.clone().unwrap();
    assert!(
        finding.contains("the step write_notes was not reported"),
        "{finding}"
    );
    assert!(!finding.contains("read_previous_notes"), "{finding}");
    let second = fixture.open("p");
    let steps = texts(&["Write notes"]);
    done_with(
        &mut fixture,
        second,
        Claims {
            steps,
            ..Claims::default()
        },
    );
    fixture.verify(second, &[]);
    assert_eq!(fixture.stage("p"), "merging");
}

/// Report that the seed recommends to agents.
const RECOMMENDED: &str = r#"{
  "steps_completed": ["read_notes", "doc_sync", "implementation", "validation", "write_notes"],
  "agents_used": ["doc-sync-manager", "task-validator"],
  "files_modified": ["src/foo.py", "tests/test_foo.py"],
  "notes_path": "notes/NOTES_feature_phase_1.md"
}"#;

#[test]
fn the_recommended_report_names_all_steps_that_a_plan_can_ask_for() {
    let all = [
        "read_previous_notes",
        "doc_sync_manager",
        "implementation",
        "pre_validation",
        "task_validator",
        "write_notes",
    ];
    let mut fixture = BoardFixture::new();
    fixture.released(phase(
        "p",
        PlanEntry {
            steps: texts(&all),
            ..PlanEntry::default()
        },
    ));
    let first = fixture.open("p");
    done_with(&mut fixture, first, completion_report::read(RECOMMENDED));
    fixture.verify(first, &[]);
    assert_eq!(fixture.stage("p"), "merging", "{:?}", fixture.task("p").finding);
    for comment in &fixture.task("p").comments {
        assert!(!comment.text.contains("the step"), "{}", comment.text);
    }
}

#[test]
fn a_step_that_is_a_subagents_is_done_when_that_one_was_seen() {
    let mut fixture = BoardFixture::new();
    let steps = texts(&["task_validator"]);
    fixture.released(phase(
        "p",
        PlanEntry {
            steps,
            ..PlanEntry::default()
        },
    ));
    let first = fixture.open("p");
    let name = "task-validator".to_owned();
    fixture.happen(Event::SubagentSeen { attempt: first, name });
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(first, &[]);
    assert_eq!(fixture.stage("p"), "merging");
    assert!(!format!("{:?}", fixture.task("p").comments).contains("warnings"));
}

#[test]
fn where_a_person_decides_approval_accepts_the_work_and_rejection_has_it_fixed() {
    let held = || {
        let mut fixture = with_policy(FindingPolicy::Ask);
        fixture.released(phase("p", PlanEntry::default()));
        let first = fixture.open("p");
        fixture.live(first, SignalKind::Done, "");
        verify_with(&mut fixture, first, &[(EvidenceKind::Gates, Severity::Critical)]);
        let hold = HoldReason::Findings("Gates is wanting".to_owned());
        assert_eq!(fixture.task("p").state, TaskState::Held(hold));
        assert!(fixture.notice_kinds().contains(&"findings"));
        fixture
    };
    let mut fixture = held();
    fixture.ask(Command::Approve("p".into())).unwrap();
    assert_eq!(
        (fixture.stage("p"), fixture.task("p").head.as_deref()),
        ("merging", Some("c1"))
    );

    let mut fixture = held();
    fixture
        .ask(Command::Reject("p".into(), "see line 3".to_owned()))
        .unwrap();
    assert_eq!(fixture.stage("p"), "work");
    assert_eq!(fixture.attempt(fixture.open("p")).mode, AttemptMode::Remediate);
    let finding = fixture.task("p").finding.clone().unwrap();
    assert!(
        finding.contains("Gates is wanting") && finding.ends_with("ada: see line 3"),
        "{finding}"
    );
    assert_eq!(
        fixture.task("p").rejections,
        0,
        "the counter is for reviewers only"
    );

    let mut fixture = held();
    fixture
        .ask(Command::Retry {
            task: "p".into(),
            stage: None,
            note: None,
        })
        .unwrap();
    assert_eq!(fixture.attempt(fixture.open("p")).mode, AttemptMode::Remediate);
}

#[test]
fn a_warning_asks_nobody() {
    let mut fixture = with_policy(FindingPolicy::Ask);
    fixture.released(phase("p", demanding()));
    let first = fixture.open("p");
    let name = "task-validator".to_owned();
    fixture.happen(Event::SubagentSeen { attempt: first, name });
    let steps = texts(&["read_previous_notes", "write_notes"]);
    done_with(
        &mut fixture,
        first,
        Claims {
            steps,
            ..Claims::default()
        },
    );
    verify_with(&mut fixture, first, &[(EvidenceKind::Notes, Severity::Low)]);
    assert_eq!(fixture.stage("p"), "merging");
}

#[test]
fn work_without_a_commit_is_empty_however_findings_are_weighed() {
    let mut fixture = with_policy(FindingPolicy::Ask);
    fixture.released(phase("p", PlanEntry::default()));
    let first = fixture.open("p");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(
        first,
        &[(EvidenceKind::CommitsAhead, Tri::No("nothing".to_owned()))],
    );
    let failures = &fixture.task("p").failures[&"work".into()];
    assert_eq!(
        failures.keys().collect::<Vec<_>>(),
        [&dbs::domain::FailureClass::Empty]
    );
    assert_eq!(
        fixture.word("p"),
        "active",
        "work without a commit asks no person"
    );
}

#[test]
fn tasks_that_list_the_same_file_work_one_after_another() {
    let files = |modify: &[&str]| PlanEntry {
        paths: PathRules {
            modify: texts(modify),
            ..PathRules::default()
        },
        ..PlanEntry::default()
    };
    let mut fixture = BoardFixture::new();
    fixture.planned(phase("a", files(&["src/cart.rs"])));
    fixture.planned(phase("b", files(&["docs/x.md", "src/*"])));
    fixture.planned(phase("c", files(&["docs/y.md"])));
    let ids = ["a", "b", "c"].map(TaskId::from).to_vec();
    fixture.ask(Command::Release(ids)).unwrap();
    let busy = WaitReason::FileBusy {
        task: "a".into(),
        path: "src/*".to_owned(),
    };
    assert_eq!(fixture.task("b").why_not, Some(busy));
    assert_eq!((fixture.word("a"), fixture.word("c")), ("active", "active"));
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(first, &[]);
    assert_eq!((fixture.stage("a"), fixture.word("b")), ("merging", "released"));
    fixture.pass("a");
    assert_eq!(
        (fixture.word("a"), fixture.word("b")),
        ("done", "active"),
        "the first task's work is on the base"
    );
}

#[test]
fn files_of_work_that_was_left_on_its_branch_stay_reserved_until_it_is_merged() {
    let files = || PlanEntry {
        paths: PathRules {
            modify: texts(&["src/cart.rs"]),
            ..PathRules::default()
        },
        ..PlanEntry::default()
    };
    let mut fixture = BoardFixture::new();
    fixture.planned(phase("a", files()));
    fixture.planned(phase("b", files()));
    fixture
        .ask(Command::Release(["a", "b"].map(TaskId::from).to_vec()))
        .unwrap();
    let refused = fixture.ask(Command::Merged("a".into())).unwrap_err();
    assert!(refused.starts_with("a was not left on its branch"), "{refused}");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(first, &[]);
    let merge = fixture.open("a");
    let branch = "feature/a".to_owned();
    let evidence = fixture.evidence(merge, &[]);
    fixture.act(merge, ActionOutcome::HandedOver { branch, evidence });
    assert_eq!((fixture.word("a"), fixture.word("b")), ("done", "released"));
    let left = WaitReason::FileLeft {
        task: "a".into(),
        path: "src/cart.rs".to_owned(),
    };
    assert_eq!(fixture.task("b").why_not, Some(left));
    fixture.ask(Command::Merged("a".into())).unwrap();
    assert!(
        fixture.effect_keys().contains(&"deliver/a".to_owned()),
        "the engine looks for the merge on the base"
    );
    assert_eq!(fixture.word("b"), "released");
    let (task, commit) = ("a".into(), Some("m7".to_owned()));
    fixture.happen(Event::MergeSeen { task, commit });
    assert_eq!(
        (fixture.task("a").merged.as_deref(), fixture.word("b")),
        (Some("m7"), "active")
    );
}

#[test]
fn what_a_task_must_leave_alone_is_compared_with_the_head_it_came_with() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("s", "stories"));
    assert_eq!(fixture.task("s").stage_head, None);
    let tests = fixture.open("s");
    fixture.live(tests, SignalKind::Done, "");
    fixture.verify(tests, &[]);
    assert_eq!(fixture.stage("s"), "implement");
    assert_eq!(fixture.task("s").stage_head.as_deref(), Some("c1"));
    let work = fixture.open("s");
    fixture.live(work, SignalKind::Done, "");
    fixture.verify(
        work,
        &[(EvidenceKind::Protected, Tri::No("tests/a changed".to_owned()))],
    );
    assert_eq!(
        fixture.task("s").stage_head.as_deref(),
        Some("c1"),
        "the stage has not changed"
    );
}

#[test]
fn a_phase_that_failed_is_not_said_to_have_failed_failed() {
    let mut fixture = BoardFixture::new();
    fixture.released(phase("p", PlanEntry::default()));
    for _ in 0..3 {
        let open = fixture.open("p");
        fixture.live(open, SignalKind::Done, "");
        fixture.verify(
            open,
            &[(EvidenceKind::Gates, Tri::No("gate t failed".to_owned()))],
        );
    }
    assert_eq!(fixture.word("p"), "failed");
    let model = ReadModel::of(&fixture.board, fixture.now);
    let texts: Vec<&str> = model.attention.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(
        texts,
        ["3 of 3 tries: gate t failed"],
        "the text does not repeat the word failed"
    );
}
