//! Files built to break their reader: nested deeply, with very many keys, in other encodings, or no regular files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use dbs::adapters::rehearsal::{MANIFEST, TreeCheck, check};
use dbs::display::{ColourDepth, DisplayCaps, Glyphs, UserTheme};
use dbs::formats::finding::Finding;
use dbs::formats::test_text::{self, TestWords};
use dbs::formats::{design, end_rules, graph_plan, prd, scenario, story_files, task_list, workflow};
use dbs::keymap::Keymap;
use dbs::ui::{TabLayout, Themes};

use super::plans::PIECES;
use super::{Fixture, SettingValue};

/// Nesting depth of a file that is too deep for any recursive reader.
const DEPTH: usize = 10_000;
/// Largest size in bytes of a file that a person writes.
const LARGEST: usize = 1024 * 1024;
/// Limit far above the time of a reader with linear work, even on a slow machine, and far below that of one with quadratic work.
const LONGEST: Duration = Duration::from_mins(1);

/// A reader; returns its messages about a text.
type Reader = fn(&str) -> Vec<String>;

fn shown(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

fn settings(name: &str, text: &str) -> Vec<String> {
    let fixture = Fixture::new();
    fs::write(fixture.places.toml().with_file_name(name), text).unwrap();
    fixture.told()
}

fn checked(text: &str) -> Vec<String> {
    let tree = tempfile::tempdir().unwrap();
    fs::write(tree.path().join(MANIFEST), text).unwrap();
    check(tree.path(), TreeCheck::Present)
}

fn theme(text: &str) -> Vec<String> {
    let own = UserTheme {
        name: "own".to_owned(),
        file: "own.toml".to_owned(),
        text: text.to_owned(),
    };
    let error = Themes::new(vec![own])
        .theme("own", DisplayCaps::new(ColourDepth::True, Glyphs::Unicode))
        .err();
    error.iter().map(ToString::to_string).collect()
}

const TOML_READERS: [(&str, Reader); 8] = [
    ("settings", |text| settings("config.toml", text)),
    ("workflow", |text| {
        shown(&workflow::read(Path::new("w.toml"), text).1)
    }),
    ("scenario", |text| {
        shown(&scenario::read(Path::new("s.toml"), text).1)
    }),
    ("end rules", |text| {
        end_rules::read(text)
            .err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }),
    ("keys", |text| {
        Keymap::with_overrides(text)
            .err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }),
    ("layout", |text| {
        TabLayout::parse(text)
            .err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }),
    ("theme", theme),
    ("check list", checked),
];

const JSON_READERS: [(&str, Reader); 6] = [
    ("settings", |text| settings("config.json", text)),
    ("tasks", |text| {
        shown(&task_list::read(Path::new("t.jsonl"), text).1)
    }),
    ("prd", |text| {
        let found = prd::read(Path::new("p.json"), text).findings;
        found.iter().map(ToString::to_string).collect()
    }),
    ("graph plan", graph_findings),
    ("documents of a design", |text| {
        use design::DesignDocument::{Analysis, Critique, Report};
        let found =
            [Analysis, Critique, Report].map(|kind| design::findings(kind, Path::new("d.json"), text));
        found.iter().flatten().map(ToString::to_string).collect()
    }),
    ("story state", |text| {
        let refused = story_files::read_state(text).err();
        refused.iter().map(ToString::to_string).collect()
    }),
];

const YAML_READERS: [(&str, Reader); 1] = [("settings", |text| settings("config.yaml", text))];

fn graph_findings(text: &str) -> Vec<String> {
    let found = graph_plan::read(Path::new("plan.json"), text, &|_| false).findings;
    found.iter().map(ToString::to_string).collect()
}

/// As many lines as fit into the largest file.
fn filled(line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for nth in 0.. {
        let line = line(nth);
        if text.len() + line.len() >= LARGEST {
            break;
        }
        text.push_str(&line);
    }
    text
}

/// The deepest text that the parser accepts: it limits the parts of a key and the levels of a value, but not both together.
fn deepest_toml() -> String {
    let key = ["a"; 79].join(".");
    let values = format!("{{{key} = ").repeat(79);
    format!("[{key}]\n{key} = {values}1{}\n", "}".repeat(79))
}

fn toml_texts() -> Vec<(&'static str, String)> {
    vec![
        ("lists in lists", format!("a = {}", "[".repeat(DEPTH))),
        ("tables in tables", format!("a = {}", "{a=".repeat(DEPTH))),
        ("a long head", format!("[{}]", vec!["a"; DEPTH].join("."))),
        ("a long key", format!("{} = 1", vec!["a"; DEPTH].join("."))),
        ("as deep as it is taken", deepest_toml()),
        ("very many keys", filled(|nth| format!("k{nth}=1\n"))),
        ("very many tables", filled(|nth| format!("[k{nth}]\nx=1\n"))),
        (
            "very many values",
            format!("a = [{}]", "1,".repeat(LARGEST / 2 - 10)),
        ),
        ("twice the same key", "a = 1\na = 2\n".to_owned()),
    ]
}

fn json_texts() -> Vec<(&'static str, String)> {
    let many = filled(|nth| format!("\"k{nth}\":1,"));
    // A list of tasks may be larger than files written by hand.
    let tasks: Vec<String> = (0..100_000)
        .map(|nth| format!("{{\"id\":\"t{nth}\",\"title\":\"A\"}}\n"))
        .collect();
    let tasks = tasks.concat();
    let ids: Vec<String> = (1..100_000).map(|nth| format!(",\"t{nth}\"")).collect();
    let ids = ids.concat();
    vec![
        ("lists in lists", "[".repeat(DEPTH)),
        ("objects in objects", "{\"a\":".repeat(DEPTH)),
        ("very many keys", format!("{{{}}}", many.trim_end_matches(','))),
        (
            "one that waits for very many",
            format!("{tasks}{{\"title\": \"B\", \"deps\": [\"t0\"{ids}]}}\n{{\"titel\": \"C\"}}"),
        ),
    ]
}

fn yaml_texts() -> Vec<(&'static str, String)> {
    let doubled = (1..40).map(|nth| format!("a{nth}: &a{nth} [*a{}, *a{}]\n", nth - 1, nth - 1));
    let indented = (0..1_400).map(|nth| format!("{}a:\n", " ".repeat(nth)));
    vec![
        ("lists in lists", "[".repeat(DEPTH)),
        ("lists on one line", format!("{}1", "- ".repeat(DEPTH))),
        ("tables in tables", "{a: ".repeat(DEPTH)),
        ("tables under tables", indented.collect()),
        (
            "what doubles",
            format!("a0: &a0 [1]\n{}", doubled.collect::<String>()),
        ),
        ("very many keys", filled(|nth| format!("k{nth}: 1\n"))),
        ("twice the same key", "a: 1\na: 2\n".to_owned()),
    ]
}

/// Messages of a reader that has the stack of a runtime's thread, as in a server.
fn answer(reader: Reader, text: String) -> Option<Vec<String>> {
    let (sender, answer) = mpsc::sync_channel(1);
    let stack = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    stack.spawn(move || sender.send(reader(&text))).unwrap();
    answer.recv_timeout(LONGEST).ok()
}

#[test]
fn very_many_parts_of_a_file_give_a_finding_at_once() {
    let toml: BTreeMap<&str, Reader> = BTreeMap::from(TOML_READERS);
    let views = filled(|nth| format!("\"v{nth}\","));
    let texts = [
        (
            "workflow",
            format!(
                "id = \"w\"\n{}",
                filled(|nth| format!("[[stage]]\nid = \"s{nth}\"\n"))
            ),
        ),
        (
            "workflow",
            format!(
                "id = \"w\"\ntitle = \"W\"\nentry = \"s0\"\n{}",
                filled(|nth| format!(
                    "[[stage]]\nid = \"s{nth}\"\nlabel = \"S\"\nshort = \"s\"\nrole = \"developer\"\nworkspace = \"branch\"\naccess = \"write\"\nsignals = [\"done\"]\nsuccess = [{{ to = \"s{}\" }}]\n",
                    nth + 1
                ))
            ),
        ),
        (
            "scenario",
            filled(|nth| format!("[[part]]\nsteps = [\"s{nth}\"]\n")),
        ),
        (
            "layout",
            format!("title = \"t\"\nwide = {{ columns = [{views}] }}\n"),
        ),
    ];
    for (kind, text) in texts {
        let findings = answer(toml[kind], text).unwrap_or_else(|| panic!("{kind}: no answer in {LONGEST:?}"));
        assert_ne!(findings, [""; 0], "{kind}");
    }
}

/// The largest number of tasks, each with the largest number of paths, all different; half of the tasks wait for all before them.
fn largest_graph() -> String {
    let paths = |what: &str, at: usize| -> Vec<String> {
        (0..50).map(|nth| format!("{what}/{at}/{nth}.rs")).collect()
    };
    let task = |at: usize| {
        let needs: Vec<usize> = if at.is_multiple_of(2) {
            Vec::new()
        } else {
            (0..at).collect()
        };
        serde_json::json!({
            "subject": "A task", "description": "of many", "status": "pending", "blockedBy": needs,
            "metadata": {
                "type": "testing", "reads": paths("reads", at),
                "files": { "create": paths("made", at), "modify": paths("changed", at) }
            },
            "agent": {
                "role": "developer", "model": "haiku", "approach": "none",
                "assumptions": [{ "claim": "none", "verify": "make" }],
                "acceptanceCriteria": [{ "criterion": "none", "check": "make" }], "rollbackTriggers": ["none"]
            }
        })
    };
    let tasks: Vec<_> = (0..100).map(task).collect();
    serde_json::json!({ "schemaVersion": 3, "goal": "Much", "tasks": tasks }).to_string()
}

#[test]
fn the_largest_graph_plan_gives_its_findings_at_once() {
    let findings =
        answer(graph_findings, largest_graph()).unwrap_or_else(|| panic!("no answer in {LONGEST:?}"));
    assert!(
        findings.iter().any(|found| found.contains("is to be changed")),
        "{:?}",
        findings.first()
    );
}

#[test]
fn a_file_built_to_break_its_reader_gives_a_finding_at_once() {
    assert_eq!(silent(&TOML_READERS, &toml_texts()), [""; 0]);
}

#[test]
fn json_and_yaml_built_to_break_their_readers_give_a_finding_at_once() {
    assert_eq!(silent(&JSON_READERS, &json_texts()), [""; 0]);
    assert_eq!(silent(&YAML_READERS, &yaml_texts()), [""; 0]);
}

/// Pairs of reader and text without a message in time.
fn silent(readers: &[(&str, Reader)], texts: &[(&str, String)]) -> Vec<String> {
    let pairs = readers
        .iter()
        .flat_map(|reader| texts.iter().map(move |text| (reader, text)));
    let silent = pairs.filter(|((_, reader), (_, text))| {
        answer(*reader, text.clone()).is_none_or(|findings| findings.is_empty())
    });
    silent
        .map(|((kind, _), (what, _))| format!("{kind}, {what}"))
        .collect()
}

/// Names of the tests in a text with that name.
fn test_names(name: &str, text: &str) -> Vec<String> {
    let words = TestWords::of_path(Path::new(name)).unwrap();
    let tests = test_text::read(&words, text);
    tests.into_iter().map(|test| test.name).collect()
}

const TEST_READERS: [(&str, Reader); 4] = [
    ("Python", |text| test_names("a.py", text)),
    ("Rust", |text| test_names("a.rs", text)),
    ("JavaScript", |text| test_names("a.js", text)),
    ("Go", |text| test_names("a.go", text)),
];

/// Unfinished pieces of tests.
const TEST_PIECES: [&str; 24] = [
    "(",
    "{",
    "({[",
    "}",
    "def test_a():\n assert(",
    "#[test] fn ",
    "#[test] fn a(){assert!(",
    "it('a',()=>{",
    "expect(",
    "describe('a',()=>{",
    "func TestA(t *testing.T) { if x { ",
    "`${",
    "/*",
    "it.each",
    "class TestA:\n",
    "t.Fatal(",
    "'",
    "\"\"\"",
    "@",
    "expect(1).",
    "expect.assert_a(1",
    "a.raises(1,\n.",
    "#[test]",
    " it('a',\n",
];

#[test]
fn a_file_of_tests_that_is_built_to_take_long_is_read_at_once() {
    for piece in TEST_PIECES {
        let text = piece.repeat(LARGEST / 8 / piece.len());
        for (language, reader) in TEST_READERS {
            let names = answer(reader, text.clone());
            assert!(names.is_some(), "{language}, {piece}: no answer in {LONGEST:?}");
        }
    }
}

/// Findings in a text that is read as a master plan and as the file of its phase.
fn plan_findings(text: &str) -> Vec<String> {
    let rows = "| Phase | Title |\n|---|---|\n| 1 | [One](one.md) |\n";
    let whole = format!("# P\n\n## Phases\n\n{rows}\n{text}");
    let mut open = |_: &Path| Ok(text.to_owned());
    let mut findings = Vec::new();
    for master in [text, rows, &whole] {
        let plan = dbs::formats::plan::read(Path::new("plans/M.md"), master, &[], &mut open);
        findings.extend(plan.findings.iter().map(ToString::to_string));
    }
    findings
}

/// Factor between the small and the large size of a text.
#[cfg(target_os = "linux")]
const TIMES: usize = 16;
/// Limit between linear work, which takes about `TIMES` as long, and quadratic work, which takes the square of that.
#[cfg(target_os = "linux")]
const MOST_TIMES: u32 = 64;

/// The processor time of this thread alone, so that the load of the machine does not count.
#[cfg(target_os = "linux")]
fn work_of(read: impl FnOnce()) -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    let now = || {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
        let microseconds =
            [usage.user_time(), usage.system_time()].map(|time| time.tv_sec() * 1_000_000 + time.tv_usec());
        Duration::from_micros(microseconds.iter().sum::<i64>().try_into().unwrap())
    };
    let before = now();
    read();
    now().saturating_sub(before)
}

/// Asserts that reading a large text of repeated pieces takes time in proportion to a small one of `few` bytes.
#[cfg(target_os = "linux")]
fn assert_grows_with_its_text(piece: &str, few: usize, read: impl Fn(&str)) {
    let work = |size: usize| {
        let text = piece.repeat(size / piece.len());
        work_of(|| read(&text))
    };
    // A measurement of a few milliseconds is too inexact.
    let small = work(few).max(Duration::from_millis(4));
    let is_linear = (0..3).any(|_| work(TIMES * few) < small * MOST_TIMES);
    assert!(
        is_linear,
        "{piece:?}: {small:?} became more than {MOST_TIMES} times that"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn the_work_of_reading_a_plan_grows_with_its_text_and_not_with_the_square_of_it() {
    for (at, piece) in PIECES.iter().enumerate() {
        // Alone, and alternating with the next piece, as marks that open and never close.
        let pair = format!("{piece}{}", PIECES[(at + 1) % PIECES.len()]);
        for piece in [*piece, &pair] {
            assert_grows_with_its_text(piece, 4 * 1024, |text| {
                drop(std::hint::black_box(plan_findings(text)));
            });
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_work_of_reading_tests_grows_with_their_text_and_not_with_the_square_of_it() {
    for piece in TEST_PIECES {
        for (_, reader) in TEST_READERS {
            assert_grows_with_its_text(piece, 8 * 1024, |text| {
                drop(std::hint::black_box(reader(text)));
            });
        }
    }
}

/// A value other than the default, in the syntax of each file of settings.
const SETTING: [(&str, &str); 3] = [
    ("config.toml", "# ours\nmax_total_agents = 3\n"),
    ("config.yaml", "# ours\nmax_total_agents: 3\n"),
    ("config.json", "{\n\"max_total_agents\": 3\n}\n"),
];

#[test]
fn a_byte_order_mark_and_windows_lines_change_no_setting() {
    for (name, text) in SETTING {
        let lines = text.replace('\n', "\r\n");
        for written in [text.to_owned(), lines.clone(), format!("\u{feff}{lines}")] {
            let fixture = Fixture::new();
            fs::write(fixture.places.toml().with_file_name(name), &written).unwrap();
            assert_eq!(fixture.told(), [""; 0], "{name} {written:?}");
            let found = fixture.read().get("max_total_agents").unwrap();
            assert_eq!(found, Some(SettingValue::Count(3)), "{name} {written:?}");
        }
    }
}

#[test]
fn a_file_in_another_encoding_is_named_with_the_reason() {
    for (name, text) in SETTING {
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let table = [
            (
                [b"\xff\xfe".as_slice(), &utf16].concat(),
                "it is UTF-16 text; save it as UTF-8",
            ),
            (utf16, "nothing in this file is used"),
            ([text.as_bytes(), b"\xff"].concat(), "it is not UTF-8 text"),
            (vec![b' '; LARGEST + 1], "it has more than 1048576 bytes"),
        ];
        for (bytes, why) in table {
            let fixture = Fixture::new();
            fs::write(fixture.places.toml().with_file_name(name), bytes).unwrap();
            let told = fixture.told().join("\n");
            assert!(told.contains(name) && told.contains(why), "{name} {why}: {told}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_of_settings_is_refused_at_once_and_none_of_a_secret_is_shown() {
    use std::os::unix::fs::symlink;
    const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n";
    type Place = fn(&Path);
    let table: [(&str, Place); 4] = [
        ("it is not a regular file", |path| {
            nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        }),
        ("it is not a regular file", |path| fs::create_dir(path).unwrap()),
        ("it is not a regular file", |path| {
            symlink("/dev/zero", path).unwrap();
        }),
        ("nothing in this file is used", |path| {
            let key = path.with_file_name("id_ed25519");
            fs::write(&key, KEY).unwrap();
            symlink(key, path).unwrap();
        }),
    ];
    for (name, _) in SETTING {
        for (why, place) in table {
            let fixture = Fixture::new();
            place(&fixture.places.toml().with_file_name(name));
            let told = fixture.told().join("\n");
            assert!(told.contains(name) && told.contains(why), "{name}: {told}");
            assert!(!told.contains("b3Blb"), "{name}: {told}");
        }
    }
}
