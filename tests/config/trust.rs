//! Commands in a project's files are in force only in the form that a person has trusted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dbs::adapters::project::{Project, StateOrigin};
use dbs::config::trust::{ProjectTrust, TrustChange, TrustError, TrustItem, TrustKind, TrustedGates};
use dbs::config::{
    Config, ConfigFiles, ConfigOverrides, SettingOrigin, SettingTrust, keys, schema, set, unset,
};
use dbs::domain::{EnvironmentRules, Timestamp, Tri};
use dbs::ports::gates::{GateEnv, GateExit, GateReport, GateRun, Gates};
use tempfile::TempDir;

/// A project, with the settings and the state folder of a person.
struct Trusting {
    folder: TempDir,
    files: ConfigFiles,
}

impl Trusting {
    fn new() -> Trusting {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["project/.debussy/workflows", "config/dbs"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let files = ConfigFiles::new(&root.join("project/.debussy"), Some(&root.join("config")), None);
        let trusting = Trusting { folder, files };
        trusting.begin_repository();
        trusting
    }

    fn with(text: &str) -> Trusting {
        let trusting = Trusting::new();
        trusting.write(text);
        trusting
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    fn write(&self, text: &str) {
        fs::write(self.files.toml(), text).unwrap();
    }

    fn file(&self, name: &str, text: &str) {
        let file = self.root().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("state")
    }

    /// Makes the project a git repository without state, and prepares it.
    fn begin_repository(&self) {
        fs::create_dir_all(self.root().join(".git")).unwrap();
        self.project().prepare(Some(&self.state())).unwrap();
        let origin = self.project().state_origin(Some(&self.state())).unwrap();
        assert_eq!(origin, StateOrigin::Own);
    }

    fn project(&self) -> Project {
        Project::find(&self.root()).unwrap()
    }

    fn trust(&self) -> ProjectTrust {
        ProjectTrust::new(&self.project(), &self.files, Some(&self.state()))
    }

    /// The file with everything trusted in the project.
    fn record(&self) -> PathBuf {
        let entries = fs::read_dir(self.state().join("trust")).unwrap();
        let mut files = entries.map(|entry| entry.unwrap().path());
        files.find(|file| file.is_file()).unwrap()
    }

    fn hash(&self) -> String {
        self.trust().look().listing.hash()
    }

    /// Trusts everything in the project, as a person does.
    fn trust_all(&self) {
        self.trust().trust(&self.hash()).unwrap();
    }

    fn config(&self) -> Config {
        self.trust().config(&ConfigOverrides::default())
    }

    fn gates(&self) -> Vec<String> {
        let gates = self.config().settings().gates.into_iter();
        gates.map(|gate| gate.command).collect()
    }

    /// True if nothing may start; nothing if everything is trusted.
    fn holds(&self) -> Option<bool> {
        self.trust().look().untrusted().map(|files| files.holds)
    }
}

const GATE: &str = "[gates]\ncheck = \"make check\"\n";

#[test]
fn every_setting_that_runs_sends_or_steers_is_listed_with_its_line_and_no_other() {
    for spec in keys() {
        let name = spec
            .name
            .replace("<role>", "developer")
            .replace("<stage>", "reviewing")
            .replace("<name>", "check");
        let name = name
            .replace("<action>", "help")
            .replace("<label>", "x")
            .replace("<event>", "x");
        let trusting = Trusting::with(&format!("# a line\n{name} = \"x\"\n"));
        let listed = trusting.trust().look().listing.items;
        let found: Vec<_> = listed
            .iter()
            .map(|one| (one.item.name.as_str(), one.line))
            .collect();
        let expected = if spec.trust == SettingTrust::Harmless {
            vec![]
        } else {
            vec![(name.as_str(), 2)]
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn what_a_project_would_start_is_not_in_force_before_it_is_trusted() {
    let trusting = Trusting::with(
        "prefix = \"p\"\n[gates]\ncheck = \"make check\"\n[roles.default]\ncommand = \"evil\"\n",
    );
    trusting.file(".debussy/workflows/kanban.toml", "hostile");
    let config = trusting.config();
    assert_eq!(
        config.value(&schema::PREFIX),
        "p",
        "harmless settings need no trust"
    );
    assert_eq!(config.family(&schema::ROLE_COMMAND), []);
    assert_eq!(trusting.gates(), <[String; 0]>::default());
    assert_eq!(trusting.trust().workflows(), []);
    assert_eq!(trusting.holds(), Some(true));
    trusting.trust_all();
    let command = ("default".to_owned(), "evil".to_owned());
    assert_eq!(trusting.config().family(&schema::ROLE_COMMAND), [command]);
    let file = trusting.root().join(".debussy/workflows/kanban.toml");
    assert_eq!(trusting.trust().workflows(), [(file, "hostile".to_owned())]);
    assert_eq!(trusting.holds(), None);
}

#[test]
fn what_a_person_has_in_files_of_their_own_or_in_the_environment_needs_no_trust() {
    let trusting = Trusting::with("[roles.default]\ncommand = \"evil\"\n");
    let own = trusting.folder.path().join("config/dbs/config.toml");
    fs::write(own, "[roles.default]\ncommand = \"mine\"\n").unwrap();
    let commands = |given: &ConfigOverrides| trusting.trust().config(given).family(&schema::ROLE_COMMAND);
    let named = |name: &str| vec![("default".to_owned(), name.to_owned())];
    assert_eq!(commands(&ConfigOverrides::default()), named("mine"));
    let given = ConfigOverrides {
        environment: vec![("DBS_ROLES_DEFAULT_COMMAND".to_owned(), "now".to_owned())],
        ..ConfigOverrides::default()
    };
    assert_eq!(commands(&given), named("now"));
}

#[test]
fn what_was_trusted_stays_in_force_until_the_change_is_trusted() {
    let trusting = Trusting::with(GATE);
    trusting.file(".debussy/workflows/own.toml", "first");
    trusting.trust_all();
    trusting.file(".debussy/workflows/own.toml", "second");
    let flow = trusting.root().join(".debussy/workflows/own.toml");
    for changed in [
        "[gates]\ncheck = \"true\"\n",
        "",
        "[gates]\ncheck = \"make check\"\nmore = \"x\"\n",
        "[gates\n",
    ] {
        trusting.write(changed);
        assert_eq!(trusting.gates(), ["make check"], "{changed}");
        assert_eq!(trusting.holds(), Some(false), "{changed}");
        assert_eq!(trusting.trust().workflows(), [(flow.clone(), "first".to_owned())]);
    }
    trusting.write("[gates]\ncheck = \"true\"\n");
    let shown = trusting.config().explain("gates.check").unwrap();
    assert_eq!(shown.origin, SettingOrigin::Trusted);
    trusting.trust_all();
    assert_eq!(trusting.gates(), ["true"]);
    assert_eq!(trusting.trust().workflows(), [(flow, "second".to_owned())]);
}

#[test]
fn the_hash_is_of_every_text_and_of_the_order_and_of_nothing_else() {
    let trusting = Trusting::with("[gates]\na = \"sh a.sh\"\nb = \"y\"\n");
    trusting.file("a.sh", "one");
    let first = trusting.hash();
    trusting.write("prefix = \"p\"\n# a comment\n[gates]\na = \"sh a.sh\"\nb = \"y\"\n");
    assert_eq!(
        trusting.hash(),
        first,
        "moved lines and harmless settings do not count"
    );
    let mut seen = vec![first];
    for text in [
        "[gates]\na = \"sh a.sh\"\nb = \"z\"\n",
        "[gates]\nb = \"y\"\na = \"sh a.sh\"\n",
        "[gates]\na = \"sh a.sh\"\nc = \"y\"\n",
        "[gates]\na = \"sh a.sh\"\n",
        "[gates]\na = \"sh a.sh b = y\"\n",
    ] {
        trusting.write(text);
        let hash = trusting.hash();
        assert!(!seen.contains(&hash), "{text}");
        seen.push(hash);
    }
    trusting.file("a.sh", "two");
    assert!(!seen.contains(&trusting.hash()), "a script");
    trusting.file(".debussy/workflows/w.toml", "");
    assert!(!seen.contains(&trusting.hash()), "a workflow");
}

#[test]
fn another_hash_than_that_of_the_files_trusts_nothing() {
    let trusting = Trusting::with(GATE);
    let old = trusting.hash();
    trusting.write("[gates]\ncheck = \"true\"\n");
    let refused = trusting.trust().trust(&old).unwrap_err();
    assert!(matches!(&refused, TrustError::OtherHash { .. }), "{refused}");
    assert!(refused.to_string().contains("dbs trust show"), "{refused}");
    assert_eq!(trusting.gates(), <[String; 0]>::default());
}

#[test]
fn trust_is_forgotten() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    trusting.trust().forget().unwrap();
    assert_eq!(trusting.holds(), Some(true));
    trusting.trust().forget().unwrap();
}

#[test]
fn a_repository_that_was_moved_is_asked_about_once() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    let moved = trusting.root().with_file_name("moved");
    fs::rename(trusting.root(), &moved).unwrap();
    let files = ConfigFiles::new(&moved.join(".debussy"), None, None);
    let trust = ProjectTrust::new(&Project::find(&moved).unwrap(), &files, Some(&trusting.state()));
    assert!(trust.look().untrusted().unwrap().holds);
    trust.trust(&trust.look().listing.hash()).unwrap();
    assert!(trust.look().is_trusted());
}

#[test]
fn another_repository_at_a_trusted_path_is_not_trusted_in_anything() {
    let trusting = Trusting::with("[gates]\ncheck = \"make check\"\n[roles.default]\ncommand = \"agent\"\n");
    trusting.file(".debussy/workflows/own.toml", "own");
    trusting.trust_all();
    let commands = [TrustItem {
        kind: TrustKind::Program,
        name: "phase 1 gate test".to_owned(),
        text: "make test".to_owned(),
    }];
    trusting
        .trust()
        .of_plan("MASTER.md")
        .trust(&commands, |_| true)
        .unwrap();
    fs::remove_dir_all(trusting.root()).unwrap();
    fs::create_dir_all(trusting.root().join(".debussy")).unwrap();
    trusting.begin_repository();
    assert_eq!(trusting.holds(), None, "the files of the project start nothing");
    assert_eq!(
        trusting.gates(),
        <[String; 0]>::default(),
        "gates of the old repository are not in force"
    );
    assert_eq!(trusting.config().family(&schema::ROLE_COMMAND), []);
    assert_eq!(trusting.trust().workflows(), []);
    assert_eq!(trusting.trust().plans().unwrap(), []);
    assert_eq!(trusting.trust().of_plan("MASTER.md").trusted().unwrap(), []);
    // The same text is new, too: it starts the files that this repository has under that name.
    trusting.write(GATE);
    let untrusted = trusting.trust().look().untrusted().unwrap();
    assert!(
        untrusted.holds
            && untrusted
                .text
                .contains("another repository than the one you trusted"),
        "{untrusted:?}"
    );
    assert_eq!(trusting.gates(), <[String; 0]>::default());
    // A setting made by the person here does not bring back trust given there.
    let act = || set(&trusting.files, "gates.own", "mine");
    let (written, kept) = trusting.trust().by_own_hand("gates.own", Some("mine"), act);
    written.unwrap();
    kept.unwrap();
    assert_eq!(
        (trusting.gates(), trusting.holds()),
        (vec!["mine".to_owned()], Some(true))
    );
    trusting.trust_all();
    assert_eq!(trusting.gates(), ["make check", "mine"]);
}

#[test]
fn a_record_of_an_earlier_version_counts_for_nothing_until_the_person_is_asked_once() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    let text = fs::read_to_string(trusting.record()).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text).unwrap();
    record.as_object_mut().unwrap().remove("repository").unwrap();
    fs::write(trusting.record(), record.to_string()).unwrap();
    let untrusted = trusting.trust().look().untrusted().unwrap();
    assert!(
        untrusted.holds && untrusted.text.contains("asked once more"),
        "{untrusted:?}"
    );
    assert_eq!(trusting.gates(), <[String; 0]>::default());
    trusting.trust_all();
    assert_eq!(trusting.holds(), None);
}

#[test]
fn without_an_identity_of_the_repository_nothing_is_trusted() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    fs::remove_file(trusting.root().join(".git/dbs/identity")).unwrap();
    assert_eq!(trusting.holds(), Some(true));
    let refused = trusting.trust().trust(&trusting.hash()).unwrap_err().to_string();
    assert!(refused.contains("dbs trust --state"), "{refused}");
}

#[test]
fn what_a_person_sets_is_trusted_by_that_and_nothing_beside_it() {
    let trusting = Trusting::new();
    let (written, kept) = trusting.trust().by_own_hand("gates.one", Some("first"), || {
        set(&trusting.files, "gates.one", "first")
    });
    written.unwrap();
    kept.unwrap();
    assert_eq!(
        (trusting.gates(), trusting.holds()),
        (vec!["first".to_owned()], None)
    );
    // Another process adds a gate; a later setting by the person does not trust it.
    trusting.write("[gates]\none = \"first\"\ntwo = \"second\"\n");
    let own_hand = |key: &str, value: Option<&str>| {
        let act = || match value {
            Some(value) => set(&trusting.files, key, value),
            None => unset(&trusting.files, key),
        };
        let (written, kept) = trusting.trust().by_own_hand(key, value, act);
        written.unwrap();
        kept.unwrap();
    };
    own_hand("gates.three", Some("third"));
    assert_eq!(trusting.gates(), ["first", "third"]);
    assert_eq!(trusting.holds(), Some(false));
    own_hand("gates.one", None);
    assert_eq!(trusting.gates(), ["third"]);
    // In a project that was never trusted as a whole, a setting made by the person does not let the others pass.
    let foreign = Trusting::with("[roles.default]\ncommand = \"evil\"\n");
    let act = || set(&foreign.files, "gates.mine", "make");
    let (written, kept) = foreign.trust().by_own_hand("gates.mine", Some("make"), act);
    written.unwrap();
    kept.unwrap();
    assert_eq!(
        (foreign.gates(), foreign.holds()),
        (vec!["make".to_owned()], Some(true))
    );
}

#[test]
fn a_value_that_stands_there_already_is_trusted_by_being_set_once_more() {
    let trusting = Trusting::with("[gates]\none = \"first\"\n");
    trusting.trust_all();
    trusting.write("[gates]\none = \"theirs\"\ntwo = \"second\"\n");
    assert_eq!(trusting.gates(), ["first"]);
    let act = || set(&trusting.files, "gates.one", "theirs");
    let (written, kept) = trusting.trust().by_own_hand("gates.one", Some("theirs"), act);
    written.unwrap();
    kept.unwrap();
    assert_eq!(trusting.gates(), ["theirs"]);
}

#[test]
fn what_changes_while_a_person_sets_a_key_is_not_trusted_with_it() {
    let trusting = Trusting::with("[gates]\none = \"first\"\n");
    trusting.file("check.sh", "#!/bin/sh\nmake\n");
    trusting.file("other.sh", "#!/bin/sh\nmake other\n");
    trusting.trust_all();
    // Everything was trusted; an agent writes between the two looks.
    let (written, kept) = trusting
        .trust()
        .by_own_hand("gates.two", Some("sh check.sh"), || {
            trusting.write(
                "[gates]\none = \"evil\"\nextra = \"sh other.sh\"\n[roles.default]\ncommand = \"evil\"\n",
            );
            set(&trusting.files, "gates.two", "sh check.sh")
        });
    written.unwrap();
    kept.unwrap();
    assert_eq!(trusting.gates(), ["first", "sh check.sh"]);
    let report = trusting.trust().look();
    let changed = report
        .entries()
        .into_iter()
        .filter(|entry| entry.change != TrustChange::Same);
    let mut changed: Vec<String> = changed.map(|entry| entry.listed.item.name).collect();
    changed.sort();
    assert_eq!(
        changed,
        ["gates.extra", "gates.one", "other.sh", "roles.default.command"]
    );
    // The value in the file is not the one that the person set, because another process was faster.
    let (written, kept) = trusting.trust().by_own_hand("gates.two", Some("mine"), || {
        let written = set(&trusting.files, "gates.two", "mine");
        set(&trusting.files, "gates.two", "theirs").unwrap();
        written
    });
    written.unwrap();
    kept.unwrap();
    assert_eq!(trusting.gates(), ["first", "sh check.sh"]);
}

#[test]
fn what_is_trusted_of_a_plan_is_never_that_of_the_project_or_of_another_plan_and_is_forgotten_with_it() {
    let command = |name: &str, text: &str| TrustItem {
        kind: TrustKind::Program,
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let trusting = Trusting::with("[gates]\none = \"first\"\n");
    let plan = |name| trusting.trust().of_plan(name);
    let texts = |name| -> Vec<String> {
        let items = plan(name).trusted().unwrap().into_iter();
        items.map(|item| item.text).collect()
    };
    let both = [command("gates.one", "first"), command("gone", "rm x")];
    plan("a.md").trust(&both, |_| true).unwrap();
    assert!(
        !trusting.trust().look().is_trusted(),
        "a setting of the project has the same name"
    );
    assert_eq!((texts("a.md").len(), texts("b.md").len()), (2, 0));
    // Trusted anew under the same name; an item that is no longer in the plan is dropped.
    let other = [command("gates.one", "second")];
    plan("a.md").trust(&other, |name| name != "gone").unwrap();
    assert_eq!(texts("a.md"), ["second"]);
    // Files of the person in a place where they do not belong do not count.
    let state = trusting.folder.path().canonicalize().unwrap().join("state/trust");
    let folder = |ending: &str| {
        let all = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().path());
        all.into_iter()
            .find(|path| path.extension().is_some_and(|found| found == ending))
            .unwrap()
    };
    let only_record = || {
        let mut records = fs::read_dir(folder("plans")).unwrap();
        records.next().unwrap().unwrap().path()
    };
    fs::copy(only_record(), folder("plans").with_extension("json")).unwrap();
    let report = trusting.trust().look();
    assert!(
        !report.is_trusted()
            && report
                .problem
                .is_some_and(|why| why.contains("another project, plan"))
    );
    trusting.trust().forget().unwrap();
    assert!(texts("a.md").is_empty() && trusting.trust().plans().unwrap().is_empty());
    trusting.trust_all();
    plan("b.md").trust(&other, |_| true).unwrap();
    fs::copy(folder("json"), only_record()).unwrap();
    let refused = plan("b.md").trusted().unwrap_err().to_string();
    assert!(
        refused.contains("another project, plan") && refused.contains("dbs trust --forget"),
        "{refused}"
    );
}

#[test]
fn a_key_that_is_set_among_others_leaves_everything_trusted_that_was() {
    let text = "[gates]\none = \"first\"\ntwo = \"second\"\n[roles.default]\ncommand = \"agent\"\n";
    let trusting = Trusting::with(text);
    trusting.file("check.sh", "#!/bin/sh\nmake\n");
    trusting.trust_all();
    for (key, value) in [
        ("gates.three", Some("sh check.sh")),
        ("gates.one", Some("sh check.sh --all")),
        ("roles.tester.command", Some("tester")),
        ("gates.two", None),
        ("gates.three", None),
        ("gates.one", None),
    ] {
        let (written, kept) = trusting.trust().by_own_hand(key, value, || match value {
            Some(value) => set(&trusting.files, key, value),
            None => unset(&trusting.files, key),
        });
        written.unwrap();
        kept.unwrap();
        assert_eq!(trusting.holds(), None, "{key}");
    }
}

#[cfg(unix)]
#[test]
fn settings_that_are_swapped_between_two_looks_bring_nothing_into_force_that_is_not_trusted() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    let hash = trusting.hash();
    let (good, evil) = (trusting.root().join("good"), trusting.root().join("evil"));
    fs::write(&good, GATE).unwrap();
    fs::write(&evil, GATE.replace("make check", "evil")).unwrap();
    // Dropped also when a check fails, so that the swapping ends.
    let running = std::sync::Arc::new(());
    let is_running = std::sync::Arc::downgrade(&running);
    std::thread::scope(|scope| {
        let running = running;
        let swapping = scope.spawn(|| {
            let spare = trusting.root().join("spare");
            while is_running.strong_count() > 0 {
                for file in [&evil, &good] {
                    fs::copy(file, &spare).unwrap();
                    fs::rename(&spare, trusting.files.toml()).unwrap();
                }
            }
        });
        let (mut trusted, mut refused) = (0, 0);
        while trusted < 200 || refused < 200 {
            assert_eq!(trusting.gates(), ["make check"]);
            match trusting.trust().trust(&hash) {
                Ok(()) => trusted += 1,
                Err(TrustError::OtherHash { .. }) => refused += 1,
                Err(why) => panic!("{why}"),
            }
        }
        drop(running);
        swapping.join().unwrap();
    });
}

#[test]
fn a_record_that_cannot_be_read_trusts_nothing_and_is_told() {
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    fs::write(trusting.record(), "{").unwrap();
    let untrusted = trusting.trust().look().untrusted().unwrap();
    assert!(
        untrusted.holds && untrusted.text.contains(".json"),
        "{untrusted:?}"
    );
    assert_eq!(trusting.gates(), <[String; 0]>::default());
}

#[test]
fn without_a_folder_to_keep_it_in_nothing_can_be_trusted() {
    let trusting = Trusting::with(GATE);
    let nowhere = ProjectTrust::new(&trusting.project(), &trusting.files, None);
    let refused = nowhere.trust(&trusting.hash()).unwrap_err().to_string();
    assert!(refused.contains("XDG_STATE_HOME"), "{refused}");
    assert!(!nowhere.look().is_trusted());
}

#[cfg(unix)]
#[test]
fn the_record_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let trusting = Trusting::with(GATE);
    trusting.trust_all();
    for path in [trusting.state().join("trust"), trusting.record()] {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn scripts_that_commands_start_are_listed_and_files_they_work_on_are_not() {
    let trusting = Trusting::with(
        "rehearsal.scenario = \"play.toml\"\n[gates]\na = \"cd . && ./ci/run.sh README.md\"\nb = \"python3 tool.py <notes.txt\"\n\
         c = \"sh ../outside.sh; sh /etc/passwd\"\n[roles.default]\ncommand = \"bin/agent {title}\"\n",
    );
    for name in ["README.md", "notes.txt", "tool.py", "play.toml", "../outside.sh"] {
        trusting.file(name, "text");
    }
    for name in ["ci/run.sh", "bin/agent"] {
        trusting.file(name, "#!/bin/sh\n");
    }
    let listed = trusting.trust().look().listing.items.into_iter();
    let scripts = listed.filter(|one| one.item.kind == TrustKind::Script);
    let names: Vec<String> = scripts.map(|one| one.item.name).collect();
    assert_eq!(names, ["bin/agent", "ci/run.sh", "play.toml", "tool.py"]);
}

#[test]
fn differences_are_named_by_what_happened_in_order_of_danger() {
    let trusting = Trusting::with("[gates]\na = \"1\"\nb = \"2\"\n[notify]\nurl = \"https://a.org\"\n");
    trusting.trust_all();
    trusting.write("merge = \"agent\"\n[gates]\na = \"1\"\n[notify]\nurl = \"https://b.org\"\n");
    let entries = trusting.trust().look().entries();
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.listed.item.name.as_str(), &entry.change))
        .collect();
    let old = TrustChange::Changed("https://a.org".to_owned());
    assert_eq!(
        found,
        [
            ("gates.a", &TrustChange::Same),
            ("gates.b", &TrustChange::Gone),
            ("notify.url", &old),
            ("merge", &TrustChange::New),
        ]
    );
}

/// Gates that pass and are counted.
#[derive(Default)]
struct Passing(AtomicUsize);

impl Gates for Passing {
    fn run(&self, _run: &GateRun) -> GateReport {
        self.0.fetch_add(1, Ordering::Relaxed);
        GateReport {
            exit: GateExit::Code(0),
            outcome: Tri::Yes,
            duration_ms: 0,
            tail: String::new(),
            truncated: false,
            tests: None,
        }
    }
}

fn gate_run(command: &str, folder: &Path) -> GateRun {
    GateRun {
        name: "check".to_owned(),
        command: command.to_owned(),
        commit: "c0ffee".to_owned(),
        began: Timestamp(0),
        cwd: folder.to_owned(),
        env: GateEnv::default(),
        timeout: Duration::from_secs(1),
        output: folder.join("out"),
        output_limit: 0,
    }
}

#[test]
fn a_gate_whose_script_an_agent_has_changed_is_not_run() {
    let trusting = Trusting::with("[gates]\ncheck = \"sh check.sh\"\n");
    trusting.file("check.sh", "make check");
    trusting.trust_all();
    let checkout = tempfile::tempdir().unwrap();
    let gates = TrustedGates {
        gates: Passing::default(),
        trust: trusting.trust(),
    };
    let run = |text: &str| {
        fs::write(checkout.path().join("check.sh"), text).unwrap();
        let report = gates.run(&gate_run("sh check.sh", checkout.path()));
        (report.outcome, gates.gates.0.load(Ordering::Relaxed))
    };
    assert_eq!(run("make check"), (Tri::Yes, 1));
    let (outcome, runs) = run("true");
    assert_eq!(runs, 1, "the changed script is not run");
    let Tri::Unknown(why) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(
        why.text
            .contains("check.sh of commit c0ffee is not what you trusted"),
        "{why}"
    );
}

#[test]
fn a_script_that_runs_the_tests_of_stories_is_not_run_once_an_agent_has_changed_it() {
    let trusting = Trusting::with(
        "[atdd]\ntest_cmd = \"sh run.sh '{file}' --name={name}\"\nsuite_cmd = \"sh suite.sh\"\n",
    );
    trusting.file("run.sh", "pytest $1");
    trusting.file("suite.sh", "pytest");
    trusting.trust_all();
    let checkout = tempfile::tempdir().unwrap();
    let gates = TrustedGates {
        gates: Passing::default(),
        trust: trusting.trust(),
    };
    let own = "sh run.sh tests/test_US_001.py --name=test_US_001";
    // As set when a task was made, or as in a plan.
    let earlier = "sh run.sh tests/test_US_001.py --quick && sh unknown.sh";
    fs::write(checkout.path().join("unknown.sh"), "true").unwrap();
    for (script, command, own, other) in [
        ("run.sh", own, "pytest $1", "true"),
        ("run.sh", earlier, "pytest $1", "true"),
        ("suite.sh", "sh suite.sh", "pytest", "true"),
    ] {
        fs::write(checkout.path().join(script), own).unwrap();
        let trusted = gates.run(&gate_run(command, checkout.path()));
        assert_eq!(trusted.outcome, Tri::Yes, "{script}");
        fs::write(checkout.path().join(script), other).unwrap();
        let changed = gates.run(&gate_run(command, checkout.path()));
        let Tri::Unknown(why) = changed.outcome else {
            panic!("{script}: the changed script was run")
        };
        assert!(
            why.text
                .contains(&format!("{script} of commit c0ffee is not what you trusted")),
            "{why}"
        );
    }
    assert_eq!(gates.gates.0.load(Ordering::Relaxed), 3);
}

#[test]
fn no_gate_runs_while_nothing_is_trusted() {
    let trusting = Trusting::with(GATE);
    let gates = TrustedGates {
        gates: Passing::default(),
        trust: trusting.trust(),
    };
    assert!(
        gates
            .withheld()
            .is_some_and(|why| why.text.contains("dbs trust show"))
    );
    trusting.trust_all();
    assert_eq!(gates.withheld(), None);
}

#[test]
fn an_agent_is_not_started_with_a_script_that_has_changed_where_it_would_run() {
    let trusting = Trusting::with("[roles.default]\ncommand = \"sh agent.sh {title}\"\n");
    trusting.file("agent.sh", "exec real-agent");
    let words: Vec<String> = ["sh", "agent.sh", "{title}"].map(str::to_owned).into();
    let worktree = tempfile::tempdir().unwrap();
    let start = |text: &str| {
        fs::write(worktree.path().join("agent.sh"), text).unwrap();
        trusting.trust().check_start(&words, worktree.path())
    };
    assert!(start("exec real-agent").is_err(), "before anything is trusted");
    trusting.trust_all();
    assert_eq!(start("exec real-agent"), Ok(()));
    assert!(start("exec other").is_err_and(|why| why.text.contains("agent.sh")));
    // A changed script in the project's own checkout holds back every start, and its command is not in force.
    trusting.file("agent.sh", "exec other");
    assert_eq!(trusting.holds(), Some(true));
    assert_eq!(trusting.config().family(&schema::ROLE_COMMAND), []);
    assert!(start("exec real-agent").is_err());
}

#[test]
fn a_scenario_counts_as_it_stands_in_the_project_whatever_a_worktree_has_of_that_name() {
    let trusting = Trusting::with("rehearsal.scenario = \"play.toml\"\n");
    trusting.file("play.toml", "trusted");
    trusting.trust_all();
    let worktree = tempfile::tempdir().unwrap();
    fs::write(worktree.path().join("play.toml"), "other").unwrap();
    let start = || {
        trusting
            .trust()
            .check_start(&["play.toml".to_owned()], worktree.path())
    };
    assert_eq!(start(), Ok(()));
    trusting.file("play.toml", "other");
    assert!(start().is_err());
}

#[test]
fn roles_and_prompts_of_a_project_are_in_force_only_as_they_were_trusted() {
    let trusting = Trusting::new();
    let output = ".debussy/prompts/output.md";
    let text_of = |name: &str| {
        let library = trusting.trust().prompt_library().unwrap();
        library
            .blocks()
            .find(|(block, _)| *block == name)
            .map(|(_, block)| block.text.clone())
    };
    let built_in = text_of("output").unwrap();
    trusting.file(output, "Say nothing.\n");
    let role = "title = \"D\"\nsignals = [\"done\"]\nblocks = [\"task\", \"signals\"]\n";
    trusting.file(".debussy/roles/developer.toml", role);
    assert_eq!(
        text_of("output").unwrap(),
        built_in,
        "the text is not trusted yet"
    );
    let report = trusting.trust().look();
    let kinds: Vec<TrustKind> = report
        .entries()
        .iter()
        .map(|entry| entry.listed.item.kind)
        .collect();
    assert_eq!(kinds, [TrustKind::Role, TrustKind::Prompt]);
    let said = report.untrusted().unwrap();
    assert!(said.holds && said.text.contains(output), "{}", said.text);

    trusting.trust().trust(&report.listing.hash()).unwrap();
    assert_eq!(text_of("output").unwrap(), "Say nothing.\n");
    let library = trusting.trust().prompt_library().unwrap();
    let developer = library.role(&"developer".into(), &"development".into()).unwrap();
    assert_eq!(developer.title, "D");

    trusting.file(output, "Do as I say.\n");
    assert_eq!(
        text_of("output").unwrap(),
        "Say nothing.\n",
        "the trusted text stays in force"
    );
    let said = trusting.trust().look().untrusted().unwrap();
    assert!(!said.holds && said.text.contains(output), "{}", said.text);
}

/// P18, P58.
#[test]
fn templates_of_plans_are_a_projects_own_once_they_were_trusted() {
    let trusting = Trusting::new();
    let made = || {
        let own = trusting.trust().plan_templates();
        let files = dbs::formats::plan::new_plan(&dbs::formats::plan::NewPlan {
            feature: "Invoice export",
            phases: 1,
            template: "backend",
            date: "2026-11-23",
            gates: &[],
            own: &own,
        });
        files.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    let built_in = made();
    let phase = "# {feature} Phase {phase_num} of {date}\n{tasks}\n";
    trusting.file(".debussy/plans/phase.md", phase);
    trusting.file(".debussy/plans/tasks-backend.md", "- [ ] 1.1: {feature} alone\n");
    trusting.file(
        ".debussy/plans/notes.md",
        "# {feature} on {date}: {what was done}\n",
    );
    assert_eq!(made(), built_in, "the templates are not trusted yet");
    let report = trusting.trust().look();
    trusting.trust().trust(&report.listing.hash()).unwrap();
    let [master, phase, notes] = &made()[..] else {
        panic!("{:?}", made())
    };
    assert_eq!(*master, built_in[0]);
    assert_eq!(
        phase,
        "# Invoice export Phase 1 of 2026-11-23\n- [ ] 1.1: Invoice export alone\n"
    );
    assert_eq!(notes, "# Invoice export on 2026-11-23: {what was done}\n");
}

#[test]
fn a_wrong_file_of_roles_or_prompts_that_is_trusted_is_named_with_its_line() {
    let trusting = Trusting::new();
    trusting.file(".debussy/prompts/output.md", "one\n{% if %}\n");
    trusting.file(".debussy/roles/developer.toml", "titel = \"D\"\n");
    let hash = trusting.trust().look().listing.hash();
    trusting.trust().trust(&hash).unwrap();
    let why = trusting.trust().prompt_library().unwrap_err().to_string();
    assert!(why.contains("prompts/output.md:2: error"), "{why}");
    assert!(
        why.contains("roles/developer.toml:1: error: a role has no `titel`, did you mean `title`"),
        "{why}"
    );
}

#[test]
fn a_repository_passes_no_variable_to_an_agent_and_sets_none_before_it_is_trusted() {
    let trusting = Trusting::with(
        "[environment]\npass = [\"GITHUB_TOKEN\"]\nmode = \"minimal\"\n[environment.set]\nPATH = \"tools\"\n",
    );
    assert_eq!(trusting.config().environment_rules(), EnvironmentRules::default());
    assert_eq!(trusting.holds(), Some(true));
    trusting.trust_all();
    let rules = trusting.config().environment_rules();
    assert_eq!(
        (rules.pass, rules.set.len()),
        (vec!["GITHUB_TOKEN".to_owned()], 1)
    );
    // The trusted list stays in force while the file says more.
    trusting.write("[environment]\npass = [\"GITHUB_TOKEN\", \"AWS_*\"]\n");
    assert_eq!(trusting.config().environment_rules().pass, ["GITHUB_TOKEN"]);
    assert_eq!(trusting.holds(), Some(false));
}
