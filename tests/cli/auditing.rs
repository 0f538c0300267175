//! What `dbs audit --json` prints is as its schema says, for every plan of the corpus; and what a dry run says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::shop::Shop;

/// Where a value is not as a schema says; of a schema, the words that ours uses.
fn violations(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let is_type = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        Some("null") => value.is_null(),
        other => panic!("{path}: no type {other:?}"),
    };
    let fits = match (&schema["type"], &schema["enum"]) {
        (Value::Array(types), Value::Null) => types.iter().any(is_type),
        (Value::Null, Value::Array(values)) => values.contains(value),
        (of_type, Value::Null) => is_type(of_type),
        both => panic!("{path}: {both:?}"),
    };
    if !fits {
        found.push(format!("{path}: {value}"));
    }
    if let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) {
        assert_eq!(schema["additionalProperties"], false, "{path}");
        let required = schema["required"].as_array().unwrap().iter();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        assert_eq!(names(known), required, "{path}");
        if names(fields) != required {
            found.push(format!("{path}: has {:?}", names(fields)));
        }
        for (name, field) in fields {
            violations(&known[name], field, &format!("{path}.{name}"), found);
        }
    }
    for item in value.as_array().into_iter().flatten() {
        violations(&schema["items"], item, &format!("{path}[]"), found);
    }
}

fn names(object: &serde_json::Map<String, Value>) -> BTreeSet<&str> {
    object.keys().map(String::as_str).collect()
}

/// Writes the files of a plan of the corpus, each behind a line `=== name`, into the folder.
fn lay_out(text: &str, folder: &Path) {
    for part in text.split("=== ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap();
        let file = folder.join(name.trim_end());
        if file
            .components()
            .all(|part| !matches!(part, std::path::Component::ParentDir))
        {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }
}

#[test]
fn what_an_audit_prints_for_programs_is_as_its_schema_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema: Value =
        serde_json::from_slice(&fs::read(root.join("docs/audit.schema.json")).unwrap()).unwrap();
    let documented = fs::read_to_string(root.join("docs/plans.md")).unwrap();
    let codes = schema["properties"]["diagnostics"]["items"]["properties"]["code"]["enum"]
        .as_array()
        .unwrap();
    for code in codes {
        assert!(
            documented.contains(&format!("| `{}` |", code.as_str().unwrap())),
            "{code}"
        );
    }
    let shop = Shop::new();
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(root.join("tests/data/plans")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().extension().is_none_or(|end| end != "txt") {
            continue;
        }
        let folder = shop.git.root().join(&name);
        fs::create_dir_all(&folder).unwrap();
        lay_out(&fs::read_to_string(entry.path()).unwrap(), &folder);
        let master = folder.join("MASTER.md");
        let said = shop.run(&["audit", master.to_str().unwrap(), "--json"]);
        let printed: Value =
            serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{name}: {why}: {said:?}"));
        let mut found = Vec::new();
        violations(&schema, &printed, &name, &mut found);
        assert_eq!(found, [""; 0]);
        let of = printed["diagnostics"].as_array().unwrap().iter();
        seen.extend(of.map(|found| found["code"].as_str().unwrap().to_owned()));
        let is_wrong = printed["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .any(|found| found["severity"] == "error");
        assert_eq!(said.code, i32::from(is_wrong), "{name}: {said:?}");
    }
    assert!(seen.len() >= 9, "{seen:?}");
}

/// Every file below a folder, with its content.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

const MASTER: &str = "# Export\n\n## Phases\n\n| Phase | Title |\n|---|---|\n| 1 | [Model](one.md) |\n| 2 | [Writer](two.md) |\n";
const ONE: &str = "# Model\n\n## Process Wrapper\n- [ ] **AGENT:checker** - look\n- [ ] Write notes to: `notes/1.md`\n\n\
     ## Gates\n- test: passes (command: `touch ran`)\n\n## Tasks\n- [x] 1.1: Do\n- [ ] 1.2: Do more\n";
const TWO: &str = "# Writer\n\n**Depends On:** Phase 1\n\n## Process Wrapper\n- [ ] Read previous notes: `notes/1.md`\n\
     - [ ] Write notes to: `notes/2.md`\n\n## Gates\n- lint: `touch ran`\n\n## Tasks\n- [ ] 2.1: Do\n";

#[test]
fn a_dry_run_shows_what_a_plan_would_do_and_changes_nothing() {
    let shop = Shop::new();
    let folder = shop.git.project().join("plan");
    fs::create_dir(&folder).unwrap();
    for (name, text) in [("MASTER.md", MASTER), ("one.md", ONE), ("two.md", TWO)] {
        fs::write(folder.join(name), text).unwrap();
    }
    // The first command in a project makes a place for what the program keeps of it.
    shop.does(&["task", "list"]);
    let before = files_below(&shop.git.project());
    let shown = shop.does(&["run", "plan/MASTER.md", "--dry-run"]);
    let lines: Vec<&str> = shown.lines().map(str::trim_end).collect();
    for wanted in [
        "phased plan: Export, 2 phases",
        "1      Model  (1 of 2 tasks done)",
        "       gate test: touch ran",
        "       agents: checker",
        "       notes: notes/1.md",
        "2      Writer  (0 of 1 task done, waits for 1)",
        "       gate lint: touch ran",
        "       reads: notes/1.md",
    ] {
        assert!(lines.contains(&wanted), "{wanted}: {shown}");
    }
    let of_programs = shop.json(&["run", "plan/MASTER.md", "--dry-run", "--json"]);
    assert_eq!(of_programs["phases"][1]["needs"][0], "1");
    assert_eq!(files_below(&shop.git.project()), before);
    assert_eq!(shop.json(&["task", "list", "--json"]), serde_json::json!([]));
    assert_eq!(shop.json(&["sessions", "--json"]), serde_json::json!([]));
    fs::write(folder.join("two.md"), TWO.replace("Phase 1", "Phase 7")).unwrap();
    let wrong = shop.run(&["run", "plan/MASTER.md", "--dry-run"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert!(wrong.out.contains("phase 2 waits for phase 7"), "{wrong:?}");
}
