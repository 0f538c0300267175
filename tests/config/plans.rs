//! Plans of many forms, good and bad: the result of reading each, and the findings about the parts that are not understood.

use std::collections::BTreeMap;
use std::path::Path;

use dbs::domain::Cause;
use dbs::domain::task::GateCommand;
use dbs::formats::finding::FindingLevel;
use dbs::formats::plan::{self, PhaseStatus, Plan, PlanChoices, PlanItem};
use proptest::prelude::*;

/// A phase without a mistake.
const SOUND: &str = "# P Phase 1: One\n\n## Process Wrapper\n- [ ] Write notes to: `n.md`\n\n## Gates\n- t: `true`\n\n## Tasks\n- [ ] 1.1: Do\n";

fn master(rows: &str) -> String {
    format!(
        "# Shop - Master Plan\n\n## Phases\n\n| Phase | Title | Focus | Risk | Status |\n|---|---|---|---|---|\n{rows}"
    )
}

fn read_with(master: &str, files: &[(&str, &str)], gates: &[GateCommand]) -> Plan {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let mut open = |path: &Path| {
        let name = path.to_str().unwrap();
        files
            .get(name)
            .map(ToString::to_string)
            .ok_or_else(|| format!("there is no {name}"))
    };
    plan::read(Path::new("plans/MASTER.md"), master, gates, &mut open)
}

fn read(master: &str, files: &[(&str, &str)]) -> Plan {
    read_with(master, files, &[])
}

/// The plan of a single phase with that file.
fn one(phase: &str) -> Plan {
    read(
        &master("| 1 | [One](one.md) | a | Low | Pending |\n"),
        &[("plans/one.md", phase)],
    )
}

#[test]
fn an_optional_gate_is_shown_and_is_no_gate_of_the_task() {
    let plan = one(&SOUND.replace("- t: `true`\n", "- t: `true`\n- size: `du -s` (optional)\n"));
    let gates = &plan.items[0].gates;
    assert!(gates.iter().any(|gate| gate.name == "size" && !gate.is_blocking));
    let path = |path: &Path| path.display().to_string();
    let drafts = plan::drafts(&plan, &PlanChoices::default(), &|_| "text".to_owned(), &path).unwrap();
    let names: Vec<&str> = drafts[0].gates.iter().map(|gate| gate.name.as_str()).collect();
    assert_eq!(names, ["t"]);
}

/// Codes with file and line; errors are marked.
fn found(plan: &Plan) -> Vec<String> {
    let all = plan.findings.iter().map(|found| {
        let known = found;
        let mark = if known.severity == FindingLevel::Error {
            "!"
        } else {
            ""
        };
        format!("{mark}{} {}:{}", found.code, known.file.display(), known.line)
    });
    all.collect()
}

#[test]
fn a_master_plan_is_read_by_the_names_of_its_columns() {
    let text = "---\nx: 1\n---\n# Shop: the MASTER PLAN\n\n> ## Phases\n\n```\n| Phase | Title |\n|---|---|\n| 9 | no |\n```\n\n\
        | Risk | Likelihood |\n|---|---|\n| a | b |\n\n### All phases\n\n| Status | Notes | Title | Phase |\n|:--|--:|---|---|\n\
        | ✅ Completed | x | [Tables](./sub/one%20a.md#top) | Phase 1 |\n| in_progress | y | [Writer](two.md) | 2.1 |\n| ??? | z | [Sign](three.md) | 3a |\n";
    let files = [
        ("plans/sub/one a.md", SOUND),
        ("plans/two.md", SOUND),
        ("plans/three.md", SOUND),
    ];
    for text in [
        text.to_owned(),
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
    ] {
        let plan = read(&text, &files);
        assert_eq!(plan.title, "Shop: the");
        let items: Vec<(&str, &str, String)> = plan
            .items
            .iter()
            .map(|item| {
                (
                    item.id.as_str(),
                    item.title.as_str(),
                    format!("{:?}", item.status),
                )
            })
            .collect();
        let wanted = [
            ("1", "Tables", "Completed"),
            ("2.1", "Writer", "Running"),
            ("3a", "Sign", "Pending"),
        ];
        assert_eq!(
            items,
            wanted.map(|(id, title, status)| (id, title, status.to_owned()))
        );
        assert_eq!(found(&plan), ["UNKNOWN_STATUS plans/MASTER.md:24"]);
        assert_eq!(plan.items[1].line, 23);
    }
}

#[test]
fn a_phase_file_of_the_seeds_form_gives_its_gates_groups_notes_and_no_dependency() {
    let text = include_str!("../data/plans/monitoring.md");
    let plan = one(text);
    let item = &plan.items[0];
    let gates: Vec<(&str, Option<&str>)> = item
        .gates
        .iter()
        .map(|gate| (gate.name.as_str(), gate.command.as_deref()))
        .collect();
    let wanted = [
        ("lint", Some("uv run lint check .")),
        ("types", Some("uv run types src/shop/")),
        ("tests", Some("uv run pytest tests/ -v")),
        ("coverage", None),
    ];
    assert_eq!(gates, wanted);
    let groups: Vec<&str> = item.groups.iter().map(|group| group.id.as_str()).collect();
    assert_eq!(groups, ["6A", "6A.1", "6A.2", "6B", "6B.1", "6D", "6D.4"]);
    assert_eq!(item.notes.as_deref(), Some("notes/NOTES_shop_phase_6.md"));
    assert_eq!(item.needs, Vec::<String>::new());
    let tasks: Vec<(&str, bool)> = item
        .tasks
        .iter()
        .map(|task| (task.id.as_str(), task.is_done))
        .collect();
    assert_eq!(
        tasks,
        [
            ("6A.1/1", false),
            ("6A.2/2", true),
            ("6B.1/3", false),
            ("6D.4/4", false)
        ]
    );
    assert_eq!(item.tasks[0].text, "Create src/shop/estimate.py:");
    assert_eq!(found(&plan), ["!MISSING_GATE_COMMAND plans/one.md:31"]);
    let own = [GateCommand {
        name: "coverage".to_owned(),
        command: "make cover".to_owned(),
    }];
    let rows = master("| 1 | [One](one.md) | a | Low | Pending |\n");
    assert!(read_with(&rows, &[("plans/one.md", text)], &own).is_sound());
}

#[test]
fn dependencies_are_what_is_declared_and_nothing_else() {
    let needs = |lines: &str| one(&format!("{SOUND}\n{lines}")).items[0].needs.clone();
    let none: Vec<String> = Vec::new();
    assert_eq!(
        needs("**Depends On:** Phase 2 (tables), Phase 3a\n").len(),
        0,
        "the line is below the tasks"
    );
    let head = |line: &str| {
        one(&SOUND.replace("\n\n## Process", &format!("\n\n{line}\n\n## Process"))).items[0]
            .needs
            .clone()
    };
    assert_eq!(head("**Depends On:** Phase 2 (tables), Phase 3a"), ["2", "3a"]);
    assert_eq!(head("**Depends_On**: phases 2.1"), ["2.1"]);
    for none_of in ["None (may run before Phase 4)", "n/a", "-", "No phase 2 needed"] {
        assert_eq!(head(&format!("**Depends On:** {none_of}")), none, "{none_of}");
    }
    let section = |item: &str| needs(&format!("## Dependencies\n- {item}\n"));
    assert_eq!(section("Previous phase: Phase 2"), ["2"]);
    assert_eq!(section("Phase 4: the tables"), ["4"]);
    assert_eq!(section("Depends on: Phase 2, Phase 3a"), ["2", "3a"]);
    assert_eq!(section("Requires Phase 2 (tables)"), ["2"]);
    assert_eq!(section("Previous phase: None (independent of Phase 3)"), none);
    assert_eq!(section("External: what Phase 9 uses"), none);
}

#[test]
fn subagents_steps_and_notes_are_read_from_the_process_alone() {
    let text = "# P Phase 1: One\n\nWrite `elsewhere.md` with care, AGENT:nobody\n\n## Process Wrapper (MANDATORY)\n- [ ] Read previous notes: `notes/a.md`\n\
        - [ ] **AGENT:doc-sync-manager** - sync\n- [ ] **[IMPLEMENTATION]**\n- [ ] Pre-validation until clean\n- [ ] **AGENT:task-validator**\n\
        - [ ] Write `src/x.py`\n- [ ] Write notes to: `notes/b.md`\n\n## Agents to Use\n| Agent | Use |\n|---|---|\n| explorer | REQUIRED |\n| other | optional |\n\n## Gates\n- t: `true`\n";
    let item = one(text).items.remove(0);
    assert_eq!(item.agents, ["doc-sync-manager", "task-validator", "explorer"]);
    let steps = [
        "read_previous_notes",
        "doc_sync_manager",
        "implementation",
        "pre_validation",
        "task_validator",
        "write_notes",
    ];
    assert_eq!(item.steps, steps);
    assert_eq!(item.notes_before.as_deref(), Some("notes/a.md"));
    assert_eq!(item.notes.as_deref(), Some("notes/b.md"));
    let named = |item: &str| {
        one(&text.replace("- [ ] **AGENT:task-validator**", item))
            .items
            .remove(0)
            .agents
    };
    for item in [
        "- [ ] task-validator agent: look",
        "- [ ] `AGENT: task-validator` looks",
    ] {
        assert_eq!(
            named(item),
            ["doc-sync-manager", "task-validator", "explorer"],
            "{item}"
        );
    }
    for item in ["- [ ] The agent: it looks", "- [ ] Tell each agent: look"] {
        assert_eq!(named(item), ["doc-sync-manager", "explorer"], "{item}");
    }
    for nothing in ["`N/A`", "N/A (first phase)", "none"] {
        let none = one(&text.replace("`notes/a.md`", nothing));
        assert_eq!(none.items[0].notes_before, None);
        assert_eq!(none.items[0].steps, steps[1..], "{nothing}");
    }
}

#[test]
fn everything_that_is_wrong_is_said_with_its_code_file_and_line() {
    let row = |rows: &str| read(&master(rows), &[("plans/one.md", SOUND), ("plans/two.md", SOUND)]);
    let cases: [(&str, &[&str]); 10] = [
        ("", &["!NO_PHASES plans/MASTER.md:0"]),
        (
            "| x y | [One](one.md) | | | |\n",
            &[
                "!PHASE_PARSE_ERROR plans/MASTER.md:7",
                "!NO_PHASES plans/MASTER.md:0",
            ],
        ),
        ("| 1 | One | | | |\n", &["ONE_FILE plans/MASTER.md:7"]),
        (
            "| 1 | [One](one.md) | | | |\n| 2 | Two | | | |\n",
            &["!PHASE_NOT_FOUND plans/MASTER.md:8"],
        ),
        (
            "| 1 | [One](gone.md) | | | |\n",
            &["!PHASE_NOT_FOUND plans/MASTER.md:7"],
        ),
        (
            "| 1 | [One](../../etc/passwd) | | | |\n",
            &["!PHASE_NOT_FOUND plans/MASTER.md:7"],
        ),
        (
            "| 1 | [One](/etc/passwd) | | | |\n",
            &["!PHASE_NOT_FOUND plans/MASTER.md:7"],
        ),
        (
            "| 1 | [One](https://a.b/c.md) | | | |\n",
            &["!PHASE_NOT_FOUND plans/MASTER.md:7"],
        ),
        (
            "| 1 | [One](one.md) | | | |\n| 1 | [Two](two.md) | | | |\n",
            &["!DUPLICATE_PHASE plans/MASTER.md:8"],
        ),
        (
            "| 1 | [One](one.md) | | | perhaps |\n",
            &["UNKNOWN_STATUS plans/MASTER.md:7"],
        ),
    ];
    for (rows, wanted) in cases {
        assert_eq!(found(&row(rows)), wanted, "{rows}");
    }
    assert_eq!(found(&read("just text\n", &[])), ["!NO_PHASES plans/MASTER.md:0"]);
    assert_eq!(found(&read("", &[])), ["!NO_PHASES plans/MASTER.md:0"]);
    let bare = one("# P Phase 1: One\n\n## Gates\n- `cargo test`\n");
    assert_eq!(
        found(&bare),
        [
            "!GATE_PARSE_ERROR plans/one.md:4",
            "!MISSING_GATES plans/one.md:0",
            "NO_NOTES_OUTPUT plans/one.md:0"
        ]
    );
    let twice = one(&SOUND.replace(
        "## Gates\n",
        "## Gates\n- test: passes (command: `true`)\n- test: again (command: `true`)\n",
    ));
    assert_eq!(found(&twice), ["!GATE_PARSE_ERROR plans/one.md:8"]);
}

#[test]
fn a_slip_in_a_status_a_risk_or_an_approval_is_named_with_the_nearest_word_and_never_drops_an_approval() {
    let texts = |line: &str| {
        let plan = one(&SOUND.replace("\n\n## Process", &format!("\n\n{line}\n\n## Process")));
        let texts: Vec<String> = plan.findings.iter().map(ToString::to_string).collect();
        (texts.join("\n"), plan.items[0].needs_approval)
    };
    for (line, wanted) in [
        ("**Approval:** requird", "(did you mean required?)"),
        (
            "**Approval:** perhaps",
            "\"perhaps\": write required or not required",
        ),
    ] {
        let (text, needs_approval) = texts(line);
        assert!(text.contains(wanted) && needs_approval, "{line}: {text}");
    }
    assert_eq!(texts("**Approval:** not required"), (String::new(), false));
    assert_eq!(texts("**Approval:** required"), (String::new(), true));
    let slips = read(
        &master("| 1 | [One](one.md) | | Hihg | Pendng |\n"),
        &[("plans/one.md", SOUND)],
    );
    let slips: Vec<String> = slips.findings.iter().map(ToString::to_string).collect();
    assert!(slips[0].contains("did you mean pending?"), "{slips:?}");
    assert!(slips[1].contains("did you mean high?"), "{slips:?}");
}

#[test]
fn phases_that_cannot_be_done_in_any_order_are_said_so() {
    let waits = |on: &str| {
        SOUND.replace(
            "\n\n## Process",
            &format!("\n\n**Depends On:** Phase {on}\n\n## Process"),
        )
    };
    let both = master("| 1 | [One](one.md) | | | |\n| 2 | [Two](two.md) | | | |\n");
    let (first, second) = (waits("2"), waits("1"));
    let ring = read(&both, &[("plans/one.md", &first), ("plans/two.md", &second)]);
    assert_eq!(found(&ring), ["!CIRCULAR_DEPENDENCY plans/MASTER.md:7"]);
    let lost = waits("7");
    let lost = read(&both, &[("plans/one.md", &lost), ("plans/two.md", SOUND)]);
    assert_eq!(found(&lost), ["!MISSING_DEPENDENCY plans/MASTER.md:7"]);
}

#[test]
fn a_phase_lists_so_many_names_and_no_more() {
    let many = |word: &str| {
        (0..50_000)
            .map(|n| format!("{word}{n} "))
            .collect::<Vec<_>>()
            .concat()
    };
    let (phases, agents) = (many("Phase 7"), many("AGENT:a"));
    let head = format!("**Depends On:** {phases}\n\n## Process");
    let text = SOUND
        .replace("## Process", &head)
        .replace("- [ ] Write", &format!("- [ ] {agents}\n- [ ] Write"));
    let item = one(&text).items.remove(0);
    assert_eq!((item.needs.len(), item.agents.len()), (100, 100));
}

/// The tasks of a plan, one per line.
fn lines_of(plan: &Plan, choices: &PlanChoices) -> Result<Vec<String>, Cause> {
    let path = |path: &Path| path.display().to_string();
    let drafts = plan::drafts(plan, choices, &|_| "text".to_owned(), &path)?;
    let line = |draft: &dbs::domain::TaskDraft| {
        let deps: Vec<&str> = draft.deps.iter().map(dbs::domain::TaskId::as_str).collect();
        let asks = if draft.needs_approval { " asks" } else { "" };
        format!("{} after {deps:?}{asks}", draft.id)
    };
    Ok(drafts.iter().map(line).collect())
}

#[test]
fn the_phases_of_a_plan_become_tasks_one_after_another_or_as_they_depend() {
    let rows = "| 1 | [One](one.md) | | High | Completed |\n| 2 | [Two](two.md) | | | |\n| 3 | [Three](three.md) | | | |\n";
    let third = SOUND.replace("\n\n## Process", "\n\n**Depends On:** Phase 1\n\n## Process");
    let files = [
        ("plans/one.md", SOUND),
        ("plans/two.md", SOUND),
        ("plans/three.md", third.as_str()),
    ];
    let plan = read(&master(rows), &files);
    assert_eq!(found(&plan), Vec::<String>::new());
    let made = |choices: PlanChoices| lines_of(&plan, &choices);
    let one_by_one = made(PlanChoices::default()).unwrap();
    assert_eq!(
        one_by_one,
        [
            "shop-1 after [] asks",
            "shop-2 after [\"shop-1\"]",
            "shop-3 after [\"shop-1\", \"shop-2\"]"
        ]
    );
    let parallel = made(PlanChoices {
        is_parallel: true,
        ..PlanChoices::default()
    })
    .unwrap();
    assert_eq!(
        parallel,
        [
            "shop-1 after [] asks",
            "shop-2 after []",
            "shop-3 after [\"shop-1\"]"
        ]
    );
    let later = made(PlanChoices {
        from: Some("2".to_owned()),
        asks: true,
        ..PlanChoices::default()
    })
    .unwrap();
    assert_eq!(later, ["shop-2 after [] asks", "shop-3 after [\"shop-2\"] asks"]);
    let trusted = made(PlanChoices {
        trusts_status: true,
        is_parallel: true,
        ..PlanChoices::default()
    })
    .unwrap();
    assert_eq!(trusted, ["shop-2 after []", "shop-3 after []"]);
    assert!(
        made(PlanChoices {
            from: Some("9".to_owned()),
            ..PlanChoices::default()
        })
        .is_err()
    );
}

/// P13.
#[test]
fn what_a_row_leaves_out_is_taken_from_the_file_of_its_phase() {
    let head = "# Shop Plan\n\n## Phases\n\n| Phase | Title | Status |\n|---|---|---|\n";
    let rows = "| | [phase-2.1-writer.md](phases/phase-2.1-writer.md) | |\n| 3 | [Own](PHASE_9.md) | Pending |\n| | [Odd](odd.md) | |\n";
    let text = |number: &str| {
        SOUND.replace(
            "# P Phase 1: One\n",
            &format!("# Shop Phase {number}: The writer\n\n**Status:** ✅ Completed\n"),
        )
    };
    let (first, second) = (text("2.1"), text("3"));
    let files = [
        ("plans/phases/phase-2.1-writer.md", first.as_str()),
        ("plans/PHASE_9.md", second.as_str()),
    ];
    let plan = read(&format!("{head}{rows}"), &files);
    let items = plan.items.iter();
    let items: Vec<_> = items
        .map(|item| (item.id.as_str(), item.title.as_str(), item.status))
        .collect();
    let wanted = [
        ("2.1", "The writer", PhaseStatus::Completed),
        ("3", "Own", PhaseStatus::Pending),
    ];
    assert_eq!(items, wanted);
    assert_eq!(found(&plan), ["!PHASE_PARSE_ERROR plans/MASTER.md:9"]);
}

#[test]
fn phases_that_a_person_calls_done_are_left_out() {
    let rows = "| 1 | [One](one.md) | | | |\n| 2 | [Two](two.md) | | | |\n| 3 | [Three](three.md) | | | |\n";
    let files = [
        ("plans/one.md", SOUND),
        ("plans/two.md", SOUND),
        ("plans/three.md", SOUND),
    ];
    let plan = read(&master(rows), &files);
    let made = |done: &[&str]| {
        let done = done.iter().map(|id| (*id).to_owned()).collect();
        let choices = PlanChoices {
            done,
            ..PlanChoices::default()
        };
        lines_of(&plan, &choices)
    };
    assert_eq!(made(&["1", "2"]).unwrap(), ["shop-3 after []"]);
    assert!(made(&["1", "9"]).unwrap_err().text.contains("no phase 9"));
}

/// P18, P49, P58, P67.
#[test]
fn every_new_plan_passes_its_own_audit() {
    let gates = [GateCommand {
        name: "test".to_owned(),
        command: "make test".to_owned(),
    }];
    for (template, phases) in plan::TEMPLATES.iter().zip([1, 3, 12]) {
        let made = plan::new_plan(&plan::NewPlan {
            feature: "Größe {date} export",
            phases,
            template,
            date: "2026-11-23",
            gates: &gates,
            own: &BTreeMap::new(),
        });
        let files: Vec<(String, &str)> = made
            .iter()
            .map(|(name, text)| (format!("plans/{name}"), text.as_str()))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        let read = read(&made[0].1, &files);
        let unwritten: Vec<&str> = read.findings.iter().map(|found| found.code).collect();
        assert_eq!(unwritten, vec!["TEMPLATE_TEXT"; phases as usize], "{template}");
        assert!(read.is_sound());
        assert_eq!(
            (read.title.as_str(), read.items.len()),
            ("Größe {date} export", phases as usize)
        );
        let last = read.items.last().unwrap();
        assert_eq!(
            last.notes.as_deref(),
            Some(format!("notes/NOTES_gre_date_export_phase_{phases}.md").as_str())
        );
        assert!(last.tasks.len() >= 4 && last.gates.len() == 1, "{last:?}");
        assert_eq!(last.needs.len(), usize::from(phases > 1));
        let is_open = |text: &str| text.replace("{date}", "").contains('{');
        let left: Vec<&str> = made
            .iter()
            .filter(|(_, text)| is_open(text))
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            left,
            ["NOTES_TEMPLATE.md"],
            "only the template for the agent has open places"
        );
    }
}

/// Number of random plans in each run; `DBS_PLAN_CASES` sets another number.
#[expect(
    clippy::disallowed_methods,
    reason = "who runs the tests says how long they search"
)]
fn cases() -> u32 {
    std::env::var("DBS_PLAN_CASES").map_or(300, |text| text.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// No text makes the reader panic, and every line named in a finding exists.
    #[test]
    fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(PIECES), 0..60), noise in ".{0,40}") {
        let text = format!("{}{noise}", parts.concat());
        let whole = format!("{}{text}", master("| 1 | [One](one.md) | | | |\n"));
        for (master, phase) in [(whole.as_str(), text.as_str()), (text.as_str(), SOUND)] {
            let plan = read(master, &[("plans/one.md", phase)]);
            let most = master.lines().count().max(phase.lines().count()) + 1;
            for found in &plan.findings {
                prop_assert!(found.line <= most, "{found:?}");
            }
        }
    }
}

/// Pieces of plans, and text that breaks them.
pub(crate) const PIECES: &[&str] = &[
    "# ",
    "## Gates\n",
    "## Tasks\n",
    "## Phases\n",
    "## Process Wrapper\n",
    "## Dependencies\n",
    "- [ ] ",
    "- ",
    "  - ",
    "**",
    "`",
    "```\n",
    "|",
    "|---|\n",
    "\n",
    "\r\n",
    "\n\n",
    ": ",
    "Phase 1",
    "AGENT:",
    "[a](b.md)",
    "| Phase | Title |\n",
    "é",
    "👍",
    "\u{0}",
    "\u{feff}",
    "> ",
    "<b>",
    "1. ",
    "***",
    "_",
];

#[test]
fn a_plan_with_thousands_of_lines_is_read_at_once() {
    let rows: Vec<String> = (0..900)
        .map(|n| format!("| {n} | [P](p{n}.md) | | | |"))
        .collect();
    let rows = format!("{}\n", rows.join("\n"));
    let tasks: Vec<String> = (0..20_000).map(|n| format!("- [ ] 1.{n}: Do it")).collect();
    let tasks = format!("{}\n", tasks.join("\n"));
    let phase = format!("{SOUND}{tasks}");
    let mut open = |path: &Path| {
        let is_first = path.ends_with("p0.md");
        Ok(if is_first { phase.clone() } else { SOUND.to_owned() })
    };
    let plan = plan::read(Path::new("plans/MASTER.md"), &master(&rows), &[], &mut open);
    assert_eq!((plan.items.len(), plan.items[0].tasks.len()), (900, 20_001));
    assert!(plan.is_sound(), "{:?}", plan.findings.first());
}

/// Masters of several forms: other columns, marks around words, blanks, line endings, a byte order mark.
fn shaped() -> impl Strategy<Value = (String, String)> {
    let cell = prop::sample::select(vec![
        "Pending",
        " Pending ",
        "  ⬜ Pending",
        "**Done**  ",
        " `in progress` ",
        " ",
        "",
        " a \\| b ",
        " ✅ Completed |  more ",
        "Grüße",
    ]);
    let rows = prop::collection::vec((cell, "[ a-z]{0,6}"), 1..6);
    let text = (rows, any::<bool>(), any::<bool>(), any::<bool>());
    let text = text.prop_map(|(rows, crlf, first, edge)| {
        let (open, close) = if edge { ("|", "|") } else { ("", "") };
        let rows: Vec<String> = rows
            .iter()
            .enumerate()
            .map(|(at, (cell, more))| {
                let (id, link) = (at + 1, format!("[T{more}](one.md)"));
                if first {
                    format!("{open}{cell}|{id}|{link}{close}")
                } else {
                    format!("{open} {id} | {link} |{cell}{close}")
                }
            })
            .collect();
        let head = if first { "Status | Phase | Title" } else { "Phase | Title | Status" };
        let text = format!(
            "# Shop\n\nPending\n\n## Phases\n\n{open} {head} {close}\n{open}---|---|---{close}\n{}\n\nPending | [ ] it\n",
            rows.join("\n")
        );
        if crlf { text.replace('\n', "\r\n") } else { text }
    });
    let boxes = prop::collection::vec(
        prop::sample::select(vec![
            "- [ ] a",
            "* [x] b",
            "  - [ ] c",
            "- [X] d",
            "`- [ ] e`",
            "> - [ ] f",
            "1. [ ] g",
        ]),
        0..8,
    );
    let phase = (boxes, any::<bool>()).prop_map(|(boxes, crlf)| {
        let text = format!("{SOUND}{}\n\n## Notes\n- [ ] not a task\n", boxes.join("\n"));
        if crlf { text.replace('\n', "\r\n") } else { text }
    });
    (text, phase)
}

proptest! {
    #[test]
    fn what_is_written_back_changes_cells_and_boxes_and_no_other_byte((text, phase) in shaped(), seed in any::<u64>()) {
        const ALL: [PhaseStatus; 7] = [
            PhaseStatus::Pending, PhaseStatus::Running, PhaseStatus::Validating, PhaseStatus::AwaitingHuman,
            PhaseStatus::Completed, PhaseStatus::Failed, PhaseStatus::Blocked,
        ];
        let files = [("plans/one.md", phase.as_str())];
        let plan = read(&text, &files);
        let chosen = |item: &PlanItem| {
            let turn = seed.wrapping_add(item.id.bytes().map(u64::from).sum::<u64>()) % 9;
            ALL.get(usize::try_from(turn).unwrap()).copied()
        };
        let written = plan::with_statuses(&plan, &text, &chosen);
        // Apart from the cells the two texts are equal.
        let rest = |text: &str, plan: &Plan| {
            let mut cells: Vec<_> = plan.items.iter().filter_map(|item| item.status_at.clone()).collect();
            cells.sort_by_key(|at| std::cmp::Reverse(at.start));
            cells.into_iter().fold(text.to_owned(), |mut text, at| { text.replace_range(at, "CELL"); text })
        };
        let again = read(&written, &files);
        prop_assert_eq!(rest(&text, &plan), rest(&written, &again));
        for (before, after) in plan.items.iter().zip(&again.items) {
            // A row without the cell stays unchanged.
            let wanted = chosen(before).filter(|_| before.status_at.is_some());
            prop_assert_eq!(after.status, wanted.unwrap_or(before.status), "{}", written);
            prop_assert_eq!((&after.id, &after.title), (&before.id, &before.title));
            if wanted.is_none_or(|status| status == before.status) {
                let cell = |text: &str, item: &PlanItem| item.status_at.clone().map(|at| text.get(at).unwrap().to_owned());
                prop_assert_eq!(cell(&text, before), cell(&written, after), "the status was the same before");
            }
        }
        let Some(first) = plan.items.first() else { return Ok(()) };
        let ticked = plan::with_ticks(first, &phase);
        let done = read(&text, &[("plans/one.md", ticked.as_str())]);
        prop_assert!(done.items[0].tasks.iter().all(|task| task.is_done));
        prop_assert_eq!(phase.len(), ticked.len());
        let differing = phase.bytes().zip(ticked.bytes()).enumerate().filter(|(_, (old, new))| old != new);
        for (at, (old, new)) in differing {
            prop_assert_eq!((old, new), (b' ', b'x'));
            prop_assert!(first.tasks.iter().any(|task| task.box_at.contains(&at)));
        }
        prop_assert!(ticked.contains("- [ ] not a task"));
    }
}
