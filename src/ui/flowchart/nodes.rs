//! Nodes of a flowchart: the stages of a workflow, and the edges between them. Decides nothing about positions.

use crate::display::text::{clean, cut};
use crate::domain::workflow::{Actor, ExhaustionPolicy, RejectTo, Stage, Workflow};
use crate::domain::{FailureClass, SignalKind, StageId};

/// Maximum columns of a tag beside its edge.
const TAG: usize = 12;

/// Mark before the name of the stage where new tasks begin.
pub(super) const ENTRY: &str = "> ";

/// A box of a workflow drawing: a stage or the end.
#[derive(Debug, Default)]
pub(super) struct FlowNode {
    pub(super) lines: Vec<String>,
    /// Label of the edge straight down to the next box.
    pub(super) down: Option<String>,
    /// Edges to later boxes other than the next one.
    pub(super) forward: Vec<FlowEdge>,
    pub(super) back: Vec<FlowEdge>,
    /// Notes in words: signals that lead to no other box.
    pub(super) notes: Vec<String>,
}

/// An edge of a workflow drawing that leads to another box, with its label.
#[derive(Debug, Clone)]
pub(super) struct FlowEdge {
    pub(super) to: usize,
    /// Purpose of the edge; empty if it is the only one.
    pub(super) label: String,
}

/// Returns the boxes from top to bottom; the last one is the end. `more` marks cut text.
pub(super) fn nodes(flow: &Workflow, more: &str) -> Vec<FlowNode> {
    let place = |id: &StageId| flow.stages.iter().position(|stage| stage.id == *id);
    let done = flow.stages.len();
    let mut nodes: Vec<FlowNode> = Vec::new();
    for (at, stage) in flow.stages.iter().enumerate() {
        let mut node = FlowNode {
            lines: vec![name(flow, stage), actor(stage)],
            ..FlowNode::default()
        };
        for (to, label) in success(stage, more) {
            let to = to.map_or(Some(done), place);
            node.add_edge(at, to, label);
        }
        if let RejectTo::Stage(to) = &stage.reject {
            node.add_edge(at, place(to), sent_back(stage).to_owned());
        }
        node.notes.extend(notes(flow, stage));
        nodes.push(node);
    }
    nodes.push(FlowNode {
        lines: vec!["done".to_owned()],
        ..FlowNode::default()
    });
    nodes
}

impl FlowNode {
    fn add_edge(&mut self, at: usize, to: Option<usize>, label: String) {
        let Some(to) = to else { return };
        if to == at + 1 && self.down.is_none() {
            self.down = Some(label);
        } else if to > at {
            self.forward.push(FlowEdge { to, label });
        } else {
            self.back.push(FlowEdge { to, label });
        }
    }
}

fn name(flow: &Workflow, stage: &Stage) -> String {
    let mark = if stage.id == flow.entry { ENTRY } else { "" };
    format!("{mark}{}", clean(stage.id.as_str()))
}

fn actor(stage: &Stage) -> String {
    match (&stage.actor, &stage.fallback) {
        (Actor::Role(role), _) => clean(role.as_str()).into_owned(),
        (Actor::Engine(action), None) => format!("engine: {action:?}").to_lowercase(),
        (Actor::Engine(action), Some(role)) => {
            let action = format!("{action:?}").to_lowercase();
            format!("engine: {action}, else {}", clean(role.as_str()))
        }
        (Actor::Human, _) => "a person".to_owned(),
    }
}

/// Returns the stages that success leads to, with the tasks each is for; `None` is the end.
fn success<'a>(stage: &'a Stage, more: &str) -> Vec<(Option<&'a StageId>, String)> {
    let mut ways = Vec::new();
    let mut otherwise = "";
    for edge in &stage.success {
        let label = match &edge.when {
            Some(tag) => format!("tag {}", cut(&clean(tag), TAG, more)),
            None => otherwise.to_owned(),
        };
        otherwise = "else";
        ways.push((Some(&edge.to), label));
    }
    if stage.success.iter().all(|edge| edge.when.is_some()) {
        ways.push((None, otherwise.to_owned()));
    }
    ways
}

/// Returns the word for sending a task back: a `reject` of an agent or a person, or a `fail` of the engine.
fn sent_back(stage: &Stage) -> &'static str {
    match stage.actor {
        Actor::Engine(_) if stage.fallback.is_none() => "fail",
        Actor::Engine(_) | Actor::Role(_) | Actor::Human => "reject",
    }
}

fn notes(flow: &Workflow, stage: &Stage) -> Vec<String> {
    let mut notes = Vec::new();
    let by_engine = matches!(stage.actor, Actor::Engine(_)) && stage.fallback.is_none();
    let rejects = stage.signals.contains(&SignalKind::Reject) || stage.actor == Actor::Human;
    if rejects && matches!(stage.reject, RejectTo::Hold | RejectTo::Never) {
        notes.push("reject: held".to_owned());
    }
    if by_engine && !matches!(stage.reject, RejectTo::Stage(_)) {
        notes.push(again(flow, FailureClass::Gate));
    } else if stage.signals.contains(&SignalKind::Fail) {
        notes.push(again(flow, FailureClass::Failed));
    }
    if stage.signals.contains(&SignalKind::Block) {
        notes.push("block: held".to_owned());
    }
    notes
}

fn again(flow: &Workflow, class: FailureClass) -> String {
    let end = match flow.exhausted {
        ExhaustionPolicy::Hold => "held",
        ExhaustionPolicy::Fail => "failed",
    };
    match flow.limits.by_class.get(&class) {
        None => "fail: again".to_owned(),
        Some(0 | 1) => format!("fail: {end}"),
        Some(most) => format!("fail: again, {end} at {most}"),
    }
}
