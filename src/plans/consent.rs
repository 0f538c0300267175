//! Consent of a person before a plan is executed: to the commands it runs, and to its changes of tasks on the board.

use std::collections::BTreeSet;

use super::in_project;
use super::reconcile::PlanDifference;
use crate::config::project_paths::ProjectPaths;
use crate::config::trust::{
    ListedText, PlanTrust, TrustChange, TrustEntry, TrustItem, TrustKind, TrustListing, changed_lines,
};
use crate::domain::task::GateCommand;
use crate::domain::{Cause, PlanEntry, TaskId};
use crate::formats::plan::{Plan, PlanChanges, PlanItem, PlanKind, TaskChange, ToldCommand};
use crate::term::{sanitize, sanitize_command};

/// Question to a person.
#[derive(Debug)]
pub struct ConsentQuestion {
    /// Everything that needs a yes, with one hash.
    pub listing: TrustListing,
    /// Commands the person has agreed to before, to show how those of the same names differ.
    pub trusted: Vec<TrustItem>,
    /// Lines shown besides commands, with their heading.
    pub shown: (&'static str, Vec<String>),
    /// Words of the question.
    pub question: &'static str,
}

impl ConsentQuestion {
    /// Returns everything that the person must see, by paragraphs.
    pub fn lines(&self) -> Vec<String> {
        let (head, shown) = &self.shown;
        let mut lines = Vec::new();
        if !shown.is_empty() {
            lines.push((*head).to_owned());
            lines.extend(shown.iter().cloned());
        }
        let entries = self.listing.entries(&self.trusted);
        for (kind, heading) in [
            (
                TrustKind::Program,
                "The engine will run these commands of the plan as you:",
            ),
            (
                TrustKind::Agent,
                "The plan tells its agents to run these commands:",
            ),
        ] {
            let commands: Vec<String> = entries
                .iter()
                .flat_map(|entry| command_lines(entry, kind))
                .collect();
            if !commands.is_empty() {
                lines.push(heading.to_owned());
                lines.extend(commands);
            }
        }
        lines
    }
}

/// Consent for one plan, with the earlier consent for it.
pub struct PlanConsent<'a> {
    plan: &'a Plan,
    trust: PlanTrust,
}

impl<'a> PlanConsent<'a> {
    /// Opens the record of earlier consent for a plan.
    pub fn new(plan: &'a Plan, paths: &ProjectPaths) -> PlanConsent<'a> {
        let name = in_project(&plan.file, &paths.root);
        let trust = paths.trust.of_plan(&name);
        PlanConsent { plan, trust }
    }

    /// Remembers the commands a person has agreed to, so that they are not asked about again.
    ///
    /// # Errors
    /// When that could not be stored; for people.
    pub fn remember(&self, asked: ConsentQuestion) -> Result<(), Cause> {
        let items = asked.listing.items.into_iter().map(|listed| listed.item);
        let commands: Vec<TrustItem> = items.filter(|item| is_command(item.kind)).collect();
        if commands.is_empty() {
            return Ok(());
        }
        let names = self.plan.items.iter().flat_map(|item| {
            let gates = item
                .gates
                .iter()
                .map(|gate| gate_name(self.plan, item, &gate.name));
            gates.chain(item.told.iter().map(|told| told_name(self.plan, item, told)))
        });
        let there: BTreeSet<String> = names.collect();
        let stored = self.trust.trust(&commands, |name| there.contains(name));
        stored
            .map_err(|error| format!("could not {error}: you will be asked about these commands again"))
            .map_err(Into::into)
    }

    /// Returns everything that a person must agree to; with the differences where the plan is on the board already.
    ///
    /// # Errors
    /// When the earlier consent cannot be read; for people.
    pub fn question(&self, difference: &PlanDifference) -> Result<ConsentQuestion, Cause> {
        let trusted = self
            .trust
            .trusted()
            .map_err(|error| format!("could not {error}"))?;
        let shown = if difference.is_known {
            lines(&difference.changes, self.plan)
        } else {
            Vec::new()
        };
        Ok(ConsentQuestion {
            listing: listing(&difference.changes, self.plan, &trusted),
            trusted,
            shown: ("The plan differs from the board:", shown),
            question: "Go on?",
        })
    }
}

/// Returns the name of a gate's command if it is trusted.
fn gate_name(plan: &Plan, item: &PlanItem, gate: &str) -> String {
    format!("{} {} gate {gate}", plan.kind.item_word(), item.id)
}

/// Returns the name of a command that an agent is told to run.
fn told_name(plan: &Plan, item: &PlanItem, told: &ToldCommand) -> String {
    format!(
        "{} {} tells its agent: {}",
        plan.kind.item_word(),
        item.id,
        told.name
    )
}

/// Returns true if it is a command: of a gate, or one that an agent is told to run.
fn is_command(kind: TrustKind) -> bool {
    matches!(kind, TrustKind::Program | TrustKind::Agent)
}

/// Returns the commands without consent, and the changed texts, each with its place.
fn listing(changes: &PlanChanges, plan: &Plan, trusted: &[TrustItem]) -> TrustListing {
    // The commands of stories are those of the settings, which are trusted there.
    let is_own = plan.kind == PlanKind::Stories;
    let gates = changes.new_gates().filter(|_| !is_own).filter_map(|(id, gate)| {
        let item = item_of(plan, id)?;
        let known = item.gates.iter().find(|known| known.name == gate.name)?;
        let name = gate_name(plan, item, &gate.name);
        let command = gate.command.clone();
        Some(listed(plan, item, TrustKind::Program, name, command, known.line))
    });
    let texts = changes.changed.iter().filter_map(|change| {
        let item = item_of(plan, &change.task.id)?;
        let text = change_lines(change).join("\n");
        let name = format!("{} {} changes", plan.kind.item_word(), item.id);
        Some(listed(plan, item, TrustKind::Prompt, name, text, 1))
    });
    let new = changes.new.iter().map(|draft| &draft.id);
    let told = new.chain(changes.changed.iter().map(|change| &change.task.id));
    let told = told.filter_map(|id| item_of(plan, id)).flat_map(|item| {
        item.told.iter().map(move |told| {
            let (name, command) = (told_name(plan, item, told), told.command.clone());
            listed(plan, item, TrustKind::Agent, name, command, told.line)
        })
    });
    let commands = gates.chain(told).filter(|listed| !trusted.contains(&listed.item));
    TrustListing {
        items: commands.chain(texts).collect(),
        unreadable: None,
    }
}

fn listed(
    plan: &Plan,
    item: &PlanItem,
    kind: TrustKind,
    name: String,
    text: String,
    line: usize,
) -> ListedText {
    ListedText {
        item: TrustItem { kind, name, text },
        file: item.file.clone().unwrap_or_else(|| plan.file.clone()),
        line,
    }
}

/// Returns the phase of a task, whose id ends with that of the phase.
fn item_of<'a>(plan: &'a Plan, id: &TaskId) -> Option<&'a PlanItem> {
    let is_meant = |item: &&PlanItem| {
        let rest = id.as_str().strip_suffix(item.id.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('-'))
    };
    plan.items.iter().find(is_meant)
}

/// Returns the differences between the tasks of the board and the plan, in lines.
pub fn lines(changes: &PlanChanges, plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for change in &changes.changed {
        lines.push(format!("{}  {}", change.task.id, change.task.title));
        lines.extend(change_lines(change).into_iter().map(|line| format!("  {line}")));
    }
    lines.extend(changes.new.iter().map(|draft| {
        let place = item_of(plan, &draft.id).map_or(0, |item| item.line);
        format!("{}  {}  (new, line {place} of the plan)", draft.id, draft.title)
    }));
    let late = changes.too_late.iter();
    lines.extend(late.map(|id| format!("{id} is over; changes of its phase have no effect")));
    let gone = changes.gone.iter();
    lines.extend(
        gone.map(|id| format!("{id} is no longer in the plan; close it with `dbs task close {id} WHY`")),
    );
    lines.iter().map(|line| sanitize(line).into_owned()).collect()
}

fn change_lines(change: &TaskChange) -> Vec<String> {
    let (task, patch) = (&change.task, &change.patch);
    let mut lines = Vec::new();
    lines.extend(patch.title.iter().map(|title| format!("title: {title}")));
    if let Some(gates) = &patch.gates {
        lines.extend(diff("gate", &gate_texts(&task.gates), &gate_texts(gates)));
    }
    if patch.needs_approval == Some(true) {
        lines.push("a person must approve it".to_owned());
    }
    if let Some(plan) = &patch.plan {
        let none = PlanEntry::default();
        let old = task.plan.as_deref().unwrap_or(&none);
        lines.extend(diff("plan", &facts(old), &facts(plan)));
    }
    let waits = change.waits.iter();
    lines.extend(waits.map(|id| format!("+ waits for {id}")));
    let ended = change.waits_no_longer.iter();
    lines.extend(ended.map(|id| format!("- waits for {id}")));
    if let Some(body) = &patch.body {
        lines.extend(changed_lines(&task.body, body));
    }
    lines
}

fn gate_texts(gates: &[GateCommand]) -> String {
    let texts = gates
        .iter()
        .map(|gate| format!("{}: {}", gate.name, sanitize_command(&gate.command)));
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the requirements of a plan besides the work, one fact a line.
fn facts(entry: &PlanEntry) -> String {
    let mut lines = vec![format!("is in {} as {}", entry.source.file, entry.source.item)];
    let named = [
        ("reads", &entry.notes_before),
        ("notes", &entry.notes),
        ("form of its notes", &entry.notes_template),
    ];
    lines.extend(
        named
            .into_iter()
            .filter_map(|(what, path)| Some(format!("{what}: {}", path.as_ref()?))),
    );
    lines.extend(entry.agents.iter().map(|name| format!("subagent: {name}")));
    lines.extend(entry.steps.iter().map(|name| format!("step: {name}")));
    let paths = &entry.paths;
    for (what, paths) in [
        ("makes", &paths.create),
        ("changes", &paths.modify),
        ("leaves alone", &paths.protected),
    ] {
        lines.extend(paths.iter().map(|path| format!("{what}: {path}")));
    }
    lines.join("\n")
}

/// Returns the differing lines, with their subject behind the mark.
fn diff(what: &str, old: &str, new: &str) -> Vec<String> {
    let lines = changed_lines(old, new).into_iter();
    let named = lines.map(|line| {
        let (mark, text) = line.split_at_checked(2).unwrap_or(("", &line));
        format!("{mark}{what} {text}")
    });
    named.collect()
}

/// Returns a command of that kind with its place, and its difference from the one that was trusted; empty for other texts.
fn command_lines(entry: &TrustEntry, kind: TrustKind) -> Vec<String> {
    let (item, file) = (&entry.listed.item, entry.listed.file.display());
    if item.kind != kind || entry.change == TrustChange::Gone {
        return Vec::new();
    }
    let line = entry.listed.line;
    let mut lines = vec![format!(
        "{file}:{line}: {}: {}",
        sanitize(&item.name),
        sanitize_command(&item.text)
    )];
    if let TrustChange::Changed(old) = &entry.change {
        lines.push("  you trusted another command there:".to_owned());
        let changed = changed_lines(old, &item.text);
        lines.extend(changed.iter().map(|line| format!("  {}", sanitize_command(line))));
    }
    lines
}
