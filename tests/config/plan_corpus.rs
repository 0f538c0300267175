//! Plans of every kind, sound, odd and broken, each with a snapshot of the result. A file contains the files of one plan, each after a line
//! `=== name`.

use std::collections::BTreeMap;
use std::path::Path;

use dbs::formats::plan::{self, Plan, PlanItem};

/// Largest number of boxes of a phase in the snapshot.
const MOST_TASKS: usize = 8;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plans"))
}

/// The files of a case by name.
fn parts(text: &str) -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    let mut name = String::new();
    for line in text.split_inclusive('\n') {
        if let Some(next) = line.strip_prefix("=== ") {
            next.trim_end().clone_into(&mut name);
            parts.entry(name.clone()).or_insert_with(String::new);
        } else if let Some(part) = parts.get_mut(&name) {
            part.push_str(line);
        }
    }
    parts
}

fn read(files: &BTreeMap<String, String>) -> Plan {
    let mut open = |path: &Path| {
        let name = path.strip_prefix("plans").unwrap_or(path).to_string_lossy();
        files
            .get(name.as_ref())
            .cloned()
            .ok_or_else(|| format!("there is no {name}"))
    };
    let master = files.get("MASTER.md").map_or("", String::as_str);
    plan::read(Path::new("plans/MASTER.md"), master, &[], &mut open)
}

fn item_lines(item: &PlanItem) -> Vec<String> {
    let mut lines = vec![format!(
        "{} `{}` line {}, {:?}, needs {:?}, risk {:?}, approval {}",
        item.id, item.title, item.line, item.status, item.needs, item.risk, item.needs_approval
    )];
    lines.extend(item.gates.iter().map(|gate| {
        let kind = if gate.is_blocking { "gate" } else { "optional gate" };
        format!("  {kind} {} at {}: {:?}", gate.name, gate.line, gate.command)
    }));
    let groups: Vec<&str> = item.groups.iter().map(|group| group.id.as_str()).collect();
    lines.push(format!("  groups {groups:?}, {} tasks", item.tasks.len()));
    let tasks = item.tasks.iter().take(MOST_TASKS);
    lines.extend(tasks.map(|task| {
        let mark = if task.is_done { "x" } else { " " };
        format!("  [{mark}] {} {} at {}", task.id, task.text, task.line)
    }));
    lines.push(format!(
        "  agents {:?}, steps {:?}, reads {:?}, notes {:?}",
        item.agents, item.steps, item.notes_before, item.notes
    ));
    lines
}

fn lines(plan: &Plan) -> String {
    let mut lines = vec![format!("{:?}: {}", plan.kind, plan.title)];
    lines.extend(plan.items.iter().take(MOST_TASKS).flat_map(item_lines));
    lines.push(format!("{} phases", plan.items.len()));
    lines.extend(
        plan.findings
            .iter()
            .map(|found| format!("{} ({})", found, found.code)),
    );
    lines.join("\n")
}

#[test]
fn every_plan_of_the_corpus_is_read_as_it_was_looked_at() {
    let mut names: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    names.sort();
    assert!(names.len() >= 28, "{names:?}");
    for path in names {
        let text = std::fs::read_to_string(&path).unwrap();
        let plan = read(&parts(&text));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::assert_snapshot!(format!("plan-{name}"), lines(&plan));
    }
}

#[test]
fn what_is_read_of_a_plan_cut_off_anywhere_is_read_without_harm() {
    for name in [
        "03-decimal-and-letter-ids",
        "18-gates-in-every-form",
        "23-process-with-subagents",
    ] {
        let text = std::fs::read_to_string(folder().join(format!("{name}.txt"))).unwrap();
        let files = parts(&text);
        for (file, whole) in &files {
            let ends = whole.char_indices().map(|(at, _)| at).step_by(3);
            for end in ends {
                let mut cut = files.clone();
                cut.insert(file.clone(), whole.get(..end).unwrap_or_default().to_owned());
                let plan = read(&cut);
                assert!(plan.items.len() <= 3);
            }
        }
    }
}
