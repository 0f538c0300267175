//! Comparison of the built-in workflows with the seed's tables: stages, their short names, who works where, who may close (K2, K6, K7,
//! K13).

use std::collections::{BTreeMap, BTreeSet};

use dbs::domain::task::GateCommand;
use dbs::domain::workflow::{Actor, Stage};
use dbs::domain::{EngineAction, FailureClass, ProcessExit, SignalKind, Span, Workflow};

use crate::fixture::{BoardFixture, draft};

fn builtin() -> Vec<Workflow> {
    let flows = dbs::formats::workflow::builtin().into_iter();
    flows
        .map(|(name, text)| crate::fixture::workflow(name, text))
        .collect()
}

fn stages(flows: &[Workflow]) -> impl Iterator<Item = &Stage> {
    flows.iter().flat_map(|flow| &flow.stages)
}

/// Returns the workflows of the pipeline, which the seed's tables describe.
fn pipeline() -> Vec<Workflow> {
    let is_of_pipeline = |flow: &Workflow| {
        !["atdd", "conduct", "convert", "design", "graph", "phased"].contains(&flow.id.as_str())
    };
    builtin().into_iter().filter(is_of_pipeline).collect()
}

/// Returns the roles that may work in a stage; the engine is not a role.
fn roles(stage: &Stage) -> Vec<&str> {
    let actor = match &stage.actor {
        Actor::Role(role) => Some(role),
        Actor::Engine(_) | Actor::Human => None,
    };
    actor
        .into_iter()
        .chain(&stage.fallback)
        .map(dbs::domain::RoleId::as_str)
        .collect()
}

#[test]
fn a_reviewer_has_ten_minutes() {
    let flows = pipeline();
    let reviewing = stages(&flows).find(|stage| stage.id.as_str() == "reviewing");
    assert_eq!(reviewing.unwrap().timeout, Some(Span::minutes(10)));
}

#[test]
fn there_are_the_seeds_seven_stages_with_their_short_names_and_roles() {
    let flows = pipeline();
    let found: BTreeSet<(&str, &str, Vec<&str>)> = stages(&flows)
        .map(|stage| (stage.id.as_str(), stage.short.as_str(), roles(stage)))
        .collect();
    let seed = [
        ("development", "dev", vec!["developer"]),
        ("reviewing", "rev", vec!["reviewer"]),
        ("security_review", "sec", vec!["security-reviewer"]),
        ("merging", "merge", vec!["integrator"]),
        ("acceptance", "accept", vec!["tester"]),
        ("investigating", "inv", vec!["investigator"]),
        ("consolidating", "cons", vec!["investigator"]),
    ];
    assert_eq!(found, BTreeSet::from(seed));
    assert_eq!(stages(&flows).count(), 7);
    let merging = stages(&flows)
        .find(|stage| stage.id.as_str() == "merging")
        .unwrap();
    assert_eq!(merging.actor, Actor::Engine(EngineAction::Merge));
}

#[test]
fn only_integrator_tester_and_investigator_work_where_success_is_the_end() {
    let flows = pipeline();
    let (mut last, mut others) = (BTreeSet::new(), BTreeSet::new());
    for stage in stages(&flows) {
        let group = if stage.success.is_empty() {
            &mut last
        } else {
            &mut others
        };
        group.extend(roles(stage));
    }
    assert_eq!(last, BTreeSet::from(["integrator", "tester", "investigator"]));
    assert_eq!(
        others,
        BTreeSet::from(["developer", "reviewer", "security-reviewer"])
    );
}

#[test]
fn the_limits_are_the_seeds() {
    use FailureClass::{Crash, Empty, Failed, Gate, Protocol, Timeout};
    let limits = |flow: &Workflow| {
        let limit = |class| flow.limits.by_class.get(&class).copied().unwrap_or_default();
        [Crash, Timeout, Empty, Gate, Failed, Protocol].map(limit)
    };
    let flows = builtin();
    let found: Vec<_> = flows
        .iter()
        .map(|flow| (flow.id.as_str(), limits(flow)))
        .collect();
    // Zero means no limit.
    let wanted = [
        ("kanban", [3, 2, 3, 3, 3, 3]),
        ("investigation", [3, 2, 0, 3, 3, 0]),
        ("phased", [2, 2, 3, 3, 2, 3]),
        ("graph", [3, 2, 3, 3, 3, 3]),
        ("atdd", [2, 1, 1, 2, 1, 1]),
        ("design", [2, 1, 3, 3, 2, 3]),
        ("convert", [2, 1, 3, 3, 2, 3]),
        ("conduct", [3, 2, 0, 3, 3, 0]),
    ];
    assert_eq!(BTreeMap::from_iter(found), BTreeMap::from(wanted));
    for flow in &flows {
        let is_short = ["convert", "design"].contains(&flow.id.as_str());
        let (spawns, cooldown) = if is_short { (12, 5) } else { (20, 60) };
        assert_eq!(flow.limits.rejections, 5, "{}", flow.id);
        assert_eq!(flow.limits.spawns, spawns, "{}", flow.id);
        assert_eq!(flow.limits.cooldown, Span::seconds(cooldown), "{}", flow.id);
    }
    let settings = dbs::domain::BoardSettings::default();
    assert_eq!((settings.max_agents, settings.max_starts), (8, 2));
    assert_eq!(settings.agent_timeout, Span::minutes(60));
}

/// Returns a stage in one line: its actor and fallback, where its work and a rejection lead, what its agent may signal, its time and its
/// approval.
fn stage_line(flow: &Workflow, stage: &Stage) -> String {
    let actor = match &stage.actor {
        Actor::Role(role) => role.to_string(),
        Actor::Engine(action) => format!("{action:?}").to_lowercase(),
        Actor::Human => "human".to_owned(),
    };
    let fallback = stage
        .fallback
        .as_ref()
        .map_or_else(String::new, |role| format!("/{role}"));
    let edges: Vec<&str> = stage.success.iter().map(|edge| edge.to.as_str()).collect();
    let signals: Vec<String> = stage.signals.iter().map(ToString::to_string).collect();
    let timeout = stage
        .timeout
        .map_or_else(|| "default".to_owned(), |limit| limit.to_string());
    format!(
        "{} {}: {actor}{fallback} -> [{}], reject {:?}, says {}, time {timeout}, approval {:?}",
        flow.id,
        stage.id,
        edges.join(" "),
        stage.reject,
        signals.join(" "),
        stage.approval
    )
}

#[test]
fn every_stage_of_every_workflow_has_its_edges_its_actor_its_signals_and_its_time() {
    let lines: Vec<String> = builtin()
        .iter()
        .flat_map(|flow| flow.stages.iter().map(|stage| stage_line(flow, stage)))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// Lets agents of each workflow fail until its limit: the last failure ends the task, and no earlier one does.
#[test]
fn the_last_failure_that_a_workflow_allows_ends_the_task_as_the_workflow_says() {
    let wanted = [
        ("phased", "work", 2, "failed"),
        ("graph", "work", 3, "failed"),
        ("graph", "checking", 3, "failed"),
        ("atdd", "tests", 2, "held"),
        ("atdd", "implementation", 2, "held"),
        ("design", "analysis", 2, "failed"),
        ("design", "expert", 2, "failed"),
        ("design", "critique", 2, "failed"),
        ("convert", "converting", 2, "failed"),
        ("conduct", "conducting", 3, "held"),
    ];
    let mut found = Vec::new();
    let gate = |name: &str| GateCommand {
        name: name.to_owned(),
        command: "true".to_owned(),
    };
    for (flow, stage, ..) in wanted {
        let mut fixture = BoardFixture::new();
        let mut draft = draft("a", flow);
        draft.stage = Some(stage.into());
        draft.gates = ["document", "plan", "tests", "it"].map(gate).to_vec();
        fixture.released(draft);
        let mut crashes = 0;
        while !["failed", "held"].contains(&fixture.word("a")) {
            let open = fixture.task("a").open_attempt;
            let open =
                open.unwrap_or_else(|| panic!("{flow} {stage}: {crashes} crashes, {:?}", fixture.task("a")));
            fixture.start(open);
            fixture.end_with(open, ProcessExit::Code(1), None);
            crashes += 1;
            fixture.settled(open);
            for _ in 0..3 {
                if fixture.word("a") == "released" {
                    fixture.wait_until_due();
                }
            }
        }
        found.push((flow, stage, crashes, fixture.word("a").to_owned()));
    }
    let wanted = wanted.map(|(flow, stage, crashes, word)| (flow, stage, crashes, word.to_owned()));
    assert_eq!(found, wanted);
}

/// Returns one board per built-in stage, with its first attempt just begun; where the engine merges, the merge failed, so the integrator
/// works.
fn at_every_stage() -> Vec<(String, BoardFixture)> {
    let mut fixtures = Vec::new();
    for flow in builtin() {
        let has_agent = |stage: &&Stage| !roles(stage).is_empty();
        for stage in flow.stages.iter().filter(has_agent) {
            let mut fixture = BoardFixture::new();
            let mut draft = draft("a", flow.id.as_str());
            draft.stage = Some(stage.id.clone());
            let gate = |name: &String| GateCommand {
                name: name.clone(),
                command: "true".to_owned(),
            };
            draft.gates = stage.gate_names.iter().map(gate).collect();
            fixture.released(draft);
            if matches!(stage.actor, Actor::Engine(_)) {
                let merge = fixture.open("a");
                fixture.act(merge, dbs::domain::ActionOutcome::Failed("conflict".to_owned()));
            }
            fixtures.push((stage.id.to_string(), fixture));
        }
    }
    fixtures
}

#[test]
fn at_every_stage_the_agent_may_claim_its_task_and_that_moves_nothing() {
    for (stage, mut fixture) in at_every_stage() {
        let open = fixture.open("a");
        fixture.start(open);
        fixture.say(open, SignalKind::Claim, "");
        assert!(
            fixture.notice_kinds().contains(&"claim"),
            "{stage}: {:?}",
            fixture.notice_kinds()
        );
        assert_eq!(
            (fixture.stage("a"), fixture.word("a")),
            (stage.as_str(), "active")
        );
        assert!(fixture.attempt(open).refused.is_empty(), "{stage}");
    }
}

#[test]
fn who_may_reject_and_who_may_block_is_the_seeds_table() {
    let (mut reject, mut block) = (BTreeSet::new(), BTreeSet::new());
    for (_, mut fixture) in at_every_stage() {
        let open = fixture.open("a");
        fixture.start(open);
        let role = fixture.role(open).to_owned();
        fixture.say(open, SignalKind::Reject, "not good enough");
        if fixture.attempt(open).refused.is_empty() {
            reject.insert(role.clone());
        }
        fixture.say(open, SignalKind::Block, "the reason");
        fixture.end(open);
        if fixture.word("a") == "held" {
            assert!(fixture.comments("a").contains("the reason"), "{role}");
            block.insert(role);
        }
    }
    let seed = |roles: &[&str]| -> BTreeSet<String> { roles.iter().map(|role| (*role).to_owned()).collect() };
    assert_eq!(
        reject,
        seed(&["reviewer", "security-reviewer", "tester", "integrator"])
    );
    let may_block = ["developer", "reviewer", "security-reviewer", "investigator"];
    assert!(block.is_superset(&seed(&may_block)), "{block:?}");
}

#[test]
fn the_limits_in_the_documents_are_those_of_the_workflow() {
    let documents = include_str!("../../docs/workflows.md");
    let rules = include_str!("../../assets/workflows/kanban.toml");
    let (_, sample) = documents.split_once("[limits]").unwrap();
    let (sample, _) = sample.split_once("\n\n").unwrap();
    let said = sample.lines().filter_map(|line| line.split('#').next());
    let said: Vec<&str> = said.map(str::trim).filter(|line| line.contains('=')).collect();
    assert!(said.len() >= 4, "{said:?}");
    for limit in said {
        assert!(
            rules.lines().any(|line| line == limit),
            "the workflow has no {limit}"
        );
    }
}
