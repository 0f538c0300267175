//! Settings: their sources, diagnostics of values that are not understood, and changes.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is a failed test")]

use std::fs;
use std::path::Path;

use dbs::config::{
    Config, ConfigError, ConfigFiles, ConfigOverrides, SettingOrigin, SettingSpec, SettingStatus,
    SettingValue, ValueKind, keys, schema, set, unset,
};
use dbs::display::{AlertEvents, Glyphs, MouseCapture};
use dbs::domain::time::Span;
use dbs::domain::{AgentLayers, BoardSettings, DeliveryMode, EnvironmentMode, MergeStyle, RoleId};
use dbs::formats::finding::FindingLevel;
use tempfile::TempDir;

#[path = "config/appearance.rs"]
mod appearance;
#[path = "config/design_documents.rs"]
mod design_documents;
#[path = "config/graph_plans.rs"]
mod graph_plans;
#[path = "config/graph_progress.rs"]
mod graph_progress;
#[path = "config/graph_tasks.rs"]
mod graph_tasks;
#[path = "config/hostile.rs"]
mod hostile;
#[path = "config/plan_corpus.rs"]
mod plan_corpus;
#[path = "config/plan_shapes.rs"]
mod plan_shapes;
#[path = "config/plans.rs"]
mod plans;
#[path = "config/prds.rs"]
mod prds;
#[path = "config/prompts.rs"]
mod prompts;
#[path = "config/story_contexts.rs"]
mod story_contexts;
#[path = "config/story_files.rs"]
mod story_files;
#[path = "config/story_queue.rs"]
mod story_queue;
#[path = "config/story_settings.rs"]
mod story_settings;
#[path = "config/test_runners.rs"]
mod test_runners;
#[path = "config/test_texts.rs"]
mod test_texts;
#[path = "config/trust.rs"]
mod trust;
#[path = "config/work_lists.rs"]
mod work_lists;

struct Fixture {
    folder: TempDir,
    places: ConfigFiles,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let places = ConfigFiles::new(
            &folder.path().join(".debussy"),
            Some(&folder.path().join("user")),
            Some(&folder.path().join("home")),
        );
        fs::create_dir_all(folder.path().join(".debussy")).unwrap();
        fs::create_dir_all(folder.path().join("user/dbs")).unwrap();
        Fixture { folder, places }
    }

    fn toml(self, text: &str) -> Fixture {
        fs::write(self.places.toml(), text).unwrap();
        self
    }

    fn json(self, text: &str) -> Fixture {
        fs::write(self.places.json(), text).unwrap();
        self
    }

    fn user(self, text: &str) -> Fixture {
        fs::write(self.places.user.first().unwrap(), text).unwrap();
        self
    }

    fn read(&self) -> Config {
        Config::read(&self.places, &ConfigOverrides::default())
    }

    fn told(&self) -> Vec<String> {
        let root = format!("{}/", self.folder.path().display());
        let config = self.read();
        config
            .diagnostics()
            .iter()
            .map(|finding| finding.to_string().replace(&root, ""))
            .collect()
    }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn deliveries_and_missing_notes_are_judged_as_the_settings_say() {
    let rules = |text: &str| {
        let settings = Fixture::new().user(text).read().settings();
        (settings.deliver, settings.accepts_missing_notes)
    };
    assert_eq!(rules(""), (DeliveryMode::Tell, false));
    let without = "remote = \"none\"\n";
    assert_eq!(rules(without).0, DeliveryMode::FastForward);
    assert_eq!(
        rules(&format!("{without}deliver = \"tell\"\n")).0,
        DeliveryMode::Tell
    );
    assert_eq!(
        rules(&format!("{without}deliver = \"off\"\n")).0,
        DeliveryMode::Off
    );
    assert_eq!(rules("deliver = \"fast-forward\"\n").0, DeliveryMode::FastForward);
    assert!(!rules("[compliance]\nnotes_missing = \"fix\"\n").1);
    assert!(rules("[compliance]\nnotes_missing = \"warn\"\n").1);
}

#[test]
fn a_person_hears_of_all_events_where_an_earlier_programs_notifications_are_in_use() {
    let events = |text: &str| dbs::config::appearance::alert_events(&Fixture::new().user(text).read());
    let earlier = "[notifications]\nprovider = \"ntfy\"\n";
    for (text, wanted) in [
        (String::new(), AlertEvents::Needs),
        (earlier.to_owned(), AlertEvents::All),
        (format!("{earlier}enabled = false\n"), AlertEvents::Needs),
        (
            "[notifications]\nprovider = \"none\"\n".to_owned(),
            AlertEvents::Needs,
        ),
        (
            format!("{earlier}[notify]\nevents = \"done\"\n"),
            AlertEvents::Done,
        ),
    ] {
        assert_eq!(events(&text), wanted, "{text}");
    }
}

#[test]
fn without_any_source_every_default_holds_and_gives_the_default_settings() {
    let config = Fixture::new().read();
    assert!(config.diagnostics().is_empty());
    // The rules alone deliver nothing; in a project with a remote the default is `Tell`.
    let rules = BoardSettings {
        deliver: DeliveryMode::Tell,
        // A task may name an agent that is in no setting.
        agents: AgentLayers {
            both_ways: ["claude", "codex", "gemini", "opencode"]
                .map(str::to_owned)
                .into(),
            ..AgentLayers::default()
        },
        ..BoardSettings::default()
    };
    assert_eq!(config.settings(), rules);
    assert_eq!(config.get("base_branch").unwrap(), None);
    let shown = config.explain("max_total_agents").unwrap();
    assert_eq!(
        (shown.value, shown.origin),
        (Some(SettingValue::Count(8)), SettingOrigin::Default)
    );
    assert!(!config.value(&schema::PAUSED));
    assert_eq!(config.text("merge").unwrap(), "engine");
    assert_eq!(config.value(&schema::TERMINAL_LOG_LIMIT_MIB), 64);
}

#[test]
fn agents_go_on_with_their_sessions_unless_their_role_or_the_default_says_otherwise() {
    let claude = "[roles.default]\nagent = \"claude\"\n";
    let allows = |text: &str| {
        let resume = Fixture::new()
            .toml(&format!("{claude}{text}"))
            .read()
            .settings()
            .resume;
        ["developer", "reviewer"].map(|role| resume.allows(&RoleId::from(role)))
    };
    assert_eq!(allows(""), [true, true]);
    assert_eq!(allows("resume = false\n"), [false, false]);
    assert_eq!(allows("[roles.reviewer]\nresume = false\n"), [true, false]);
    assert_eq!(
        allows("resume = false\n[roles.reviewer]\nresume = true\n"),
        [false, true]
    );
    let scripted = "[roles.reviewer]\nagent = \"rehearsal\"\n";
    assert_eq!(allows(scripted), [true, false], "a rehearsal keeps no sessions");
}

#[test]
fn every_default_fits_its_own_key_and_every_name_is_there_once() {
    let mut names: Vec<&str> = Vec::new();
    for key in keys() {
        if let Some(default) = key.default {
            assert!(key.kind.parse(&default.to_string()).is_ok(), "{}", key.name);
        }
        assert!(key.covers(key.name.split('.')), "{}", key.name);
        names.push(key.name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), keys().count());
}

#[test]
fn every_word_of_a_choice_stands_for_the_value_of_its_row() {
    let chosen = |text: &str| {
        let config = Fixture::new().toml(text).read();
        (
            config.choice(&schema::MOUSE),
            config.choice(&schema::GLYPHS),
            config.choice(&schema::MERGE_BY_AGENT),
        )
    };
    assert_eq!(chosen(""), (MouseCapture::All, None, false));
    assert_eq!(
        chosen("mouse = \"scroll\"\nglyphs = \"unicode\"\nmerge = \"agent\"\n"),
        (MouseCapture::Scroll, Some(Glyphs::Unicode), true)
    );
    assert_eq!(
        chosen("mouse = \"off\"\nglyphs = \"ascii\"\nmerge = \"engine\"\n"),
        (MouseCapture::Off, Some(Glyphs::Ascii), false)
    );
}

#[test]
fn stronger_sources_hide_weaker_ones_and_explain_says_so() {
    let fixture = Fixture::new()
        .user("max_total_agents = 2\n")
        .json("{\"max_total_agents\": 3}")
        .toml("# agents\n\nmax_total_agents = 4\n");
    let given = ConfigOverrides {
        flags: pairs(&[("max_total_agents", "6")]),
        environment: pairs(&[("DBS_MAX_TOTAL_AGENTS", "5"), ("PATH", "x"), ("DBS_TOKEN", "t")]),
    };
    let shown = Config::read(&fixture.places, &given)
        .explain("max_total_agents")
        .unwrap();
    let values: Vec<String> = std::iter::once((shown.value.unwrap(), shown.origin))
        .chain(shown.hidden)
        .map(|(value, origin)| format!("{value} {}", origin.to_string().rsplit('/').next().unwrap()))
        .collect();
    assert_eq!(
        values,
        [
            "6 flag",
            "5 environment DBS_MAX_TOTAL_AGENTS",
            "4 config.toml:3",
            "3 config.json:1",
            "2 config.toml:1"
        ]
    );
    assert_eq!(fixture.read().value(&schema::MAX_TOTAL_AGENTS), 4);
}

#[test]
fn tables_merge_key_by_key_and_gates_keep_the_order_they_are_written_in() {
    let fixture = Fixture::new()
        .user("[gates]\nlint = \"make lint\"\ntest = \"make slow\"\n[roles.developer]\nagent = \"codex\"\ncommand = \"x\"\n")
        .toml("[gates]\nunit = \"make unit\"\ntest = \"make test\"\n\n[roles]\ndeveloper.agent = \"claude\"\n");
    let config = fixture.read();
    let gates = config.settings().gates;
    let gates: Vec<(&str, &str)> = gates
        .iter()
        .map(|gate| (gate.name.as_str(), gate.command.as_str()))
        .collect();
    assert_eq!(
        gates,
        [
            ("unit", "make unit"),
            ("test", "make test"),
            ("lint", "make lint")
        ]
    );
    assert_eq!(config.text("roles.developer.agent").unwrap(), "claude");
    assert_eq!(config.text("roles.developer.command").unwrap(), "x");
    assert_eq!(config.text("roles.reviewer.agent"), None);
    assert!(config.diagnostics().is_empty(), "{:?}", config.diagnostics());
}

#[test]
fn the_key_says_what_a_value_is_not_its_spelling() {
    let fixture = Fixture::new()
        .json("{\"max_total_agents\": 1, \"paused\": 1, \"base_branch\": 12, \"agent_timeout\": \"90m\"}");
    let config = fixture.read();
    assert_eq!(
        config.get("max_total_agents").unwrap(),
        Some(SettingValue::Count(1))
    );
    assert_eq!(config.get("paused").unwrap(), Some(SettingValue::Switch(true)));
    assert_eq!(
        config.get("base_branch").unwrap(),
        Some(SettingValue::Text("12".to_owned()))
    );
    assert_eq!(config.settings().agent_timeout, Span::minutes(90));
    for (text, yes) in [
        ("true", true),
        ("YES", true),
        ("on", true),
        ("0", false),
        ("no", false),
        ("Off", false),
    ] {
        assert_eq!(
            ValueKind::Switch.parse(text),
            Ok(SettingValue::Switch(yes)),
            "{text}"
        );
    }
    for (kind, wrong) in [
        (ValueKind::Switch, "2"),
        (ValueKind::Switch, ""),
        (ValueKind::Count { least: 1, most: 9 }, "true"),
        (ValueKind::Count { least: 1, most: 9 }, "0"),
        (ValueKind::Count { least: 1, most: 9 }, "1.0"),
        (ValueKind::Seconds { least: 0 }, "5 days"),
        (ValueKind::Seconds { least: 0 }, "9999999999999999999h"),
        (ValueKind::Seconds { least: 0 }, "9223372036854775807h"),
        (ValueKind::Seconds { least: 0 }, "ü"),
        (ValueKind::Decimal, "NaN"),
        (ValueKind::Decimal, "-1"),
        (ValueKind::Text, "  "),
        (ValueKind::Name, "Dbs"),
        (ValueKind::Choice(&["a", "b"]), "c"),
    ] {
        assert!(kind.parse(wrong).is_err(), "{kind:?} {wrong}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_holds_a_secret_is_closed_to_others_when_it_is_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    for key in ["notify.token", "notify.secret"] {
        let fixture = Fixture::new();
        let file = fixture.places.toml();
        set(&fixture.places, "base_branch", "main").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        set(&fixture.places, "base_branch", "develop").unwrap();
        assert_eq!(mode(file), 0o644, "nothing in the file is a secret");
        set(&fixture.places, key, "s3cret").unwrap();
        assert_eq!(mode(file), 0o600, "{key}");
        fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        set(&fixture.places, "base_branch", "main").unwrap();
        assert_eq!(mode(file), 0o600, "{key}: the mode was widened by hand");
        let fixture = Fixture::new();
        set(&fixture.places, key, "s3cret").unwrap();
        assert_eq!(mode(fixture.places.toml()), 0o600, "{key}: a new file");
    }
}

#[test]
fn a_key_without_its_table_is_answered_with_the_one_it_stands_for() {
    let fixture = Fixture::new();
    for (typed, meant) in [
        ("agent", "roles.default.agent"),
        ("command", "roles.default.command"),
        ("permissions", "roles.default.permissions"),
        ("base_brnach", "base_branch"),
        ("roles.developer.agnet", "roles.developer.agent"),
    ] {
        let refused = set(&fixture.places, typed, "claude").unwrap_err().to_string();
        assert!(
            refused.ends_with(&format!("did you mean `{meant}`?")),
            "{typed}: {refused}"
        );
    }
}

#[test]
fn what_is_not_understood_is_told_with_its_line_and_the_next_source_holds() {
    let fixture = Fixture::new()
        .user("max_total_agents = 3\n")
        .toml("max_total_agents = true\nmax_total_agent = 4\ngates = \"make\"\n[limits]\nlinger = [1]\nzzzzzzzzz = 1\n[roles]\nreviewer.agnet = \"x\"\n");
    assert_eq!(
        fixture.told(),
        [
            ".debussy/config.toml:1: warning: max_total_agents must be a whole number from 1 to 999, or auto, not `true`; this value is ignored",
            ".debussy/config.toml:2: warning: there is no setting `max_total_agent`; did you mean `max_total_agents`? It is kept, but ignored",
            ".debussy/config.toml:3: warning: `gates` is a table: its settings are written as `gates.NAME`; this value is kept, but ignored",
            ".debussy/config.toml:5: warning: limits.linger must be seconds, or a time like 90s, 5m, 2h, not the list `[1]`; this value is ignored",
            ".debussy/config.toml:6: warning: there is no setting `limits.zzzzzzzzz`; it is kept, but ignored",
            ".debussy/config.toml:8: warning: there is no setting `roles.reviewer.agnet`; did you mean `roles.reviewer.agent`? It is kept, but ignored",
        ]
    );
    assert_eq!(fixture.read().value(&schema::MAX_TOTAL_AGENTS), 3);
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_line_left_alone_and_the_others_hold() {
    let broken = "max_total_agents = 4\nbase_branch = \"main\n";
    let fixture = Fixture::new()
        .json("{\"base_branch\": \"develop\",\n oops}")
        .user("base_branch = \"trunk\"\n")
        .toml(broken);
    let config = fixture.read();
    let findings: Vec<(FindingLevel, usize)> = config
        .diagnostics()
        .iter()
        .map(|one| (one.severity, one.line))
        .collect();
    assert_eq!(findings, [(FindingLevel::Error, 2), (FindingLevel::Error, 2)]);
    assert_eq!(config.text("base_branch").unwrap(), "trunk");
    let refused = set(&fixture.places, "base_branch", "main").unwrap_err();
    assert!(matches!(&refused, ConfigError::Unusable { .. }), "{refused}");
    assert!(refused.to_string().contains("line 2"), "{refused}");
    assert_eq!(fs::read_to_string(fixture.places.toml()).unwrap(), broken);
}

#[cfg(unix)]
#[test]
fn a_file_of_settings_without_end_or_that_is_no_file_is_refused_at_once_and_the_others_hold() {
    let fixture = Fixture::new().json("{\"max_total_agents\": 7}");
    let toml = fixture.places.toml();
    let refused = |why: &str| {
        let config = fixture.read();
        let found: Vec<String> = config.diagnostics().iter().map(ToString::to_string).collect();
        assert!(
            found
                .iter()
                .any(|line| line.contains("config.toml") && line.contains(why)),
            "{found:?}"
        );
        assert_eq!(
            config.explain("max_total_agents").unwrap().value,
            Some(SettingValue::Count(7))
        );
        assert!(
            set(&fixture.places, "max_total_agents", "3").is_err(),
            "the file is left alone"
        );
    };
    std::os::unix::fs::symlink("/dev/zero", toml).unwrap();
    refused("not a regular file");
    fs::remove_file(toml).unwrap();
    nix::unistd::mkfifo(toml, nix::sys::stat::Mode::S_IRWXU).unwrap();
    refused("not a regular file");
    fs::remove_file(toml).unwrap();
    fs::write(toml, "# much\n".repeat(200_000)).unwrap();
    refused("more than 1048576 bytes");
}

#[test]
fn the_environment_names_families_too_and_only_slips_are_told() {
    let given = ConfigOverrides {
        flags: Vec::new(),
        environment: pairs(&[
            ("DBS_ROLES_SECURITY_REVIEWER_AGENT", "codex"),
            ("DBS_GATES_UNIT", "make unit"),
            ("DBS_LIMITS_COOLDOWN", "5m"),
            ("DBS_BASE_BRNCH", "x"),
            ("DBS_ATTEMPT", "17"),
            ("DBS_TERMINAL_ENGINE", "xterm"),
        ]),
    };
    let config = Config::read(&Fixture::new().places, &given);
    assert_eq!(config.text("roles.security-reviewer.agent").unwrap(), "codex");
    assert_eq!(config.text("gates.unit").unwrap(), "make unit");
    assert_eq!(config.settings().cooldown, Some(Span::minutes(5)));
    let told: Vec<String> = config.diagnostics().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "DBS_BASE_BRNCH: warning: there is no such setting; did you mean DBS_BASE_BRANCH?",
            "DBS_TERMINAL_ENGINE: warning: terminal.engine must be one of rio, vt100, not `xterm`; this value is ignored",
        ]
    );
}

#[test]
fn keys_of_earlier_programs_are_read_without_a_word_and_the_obsolete_one_explains_itself() {
    let fixture = Fixture::new().json(
        "{\"use_tmux_windows\": true, \"role_models\": {\"developer\": \"opus\"}, \"max_role_agents\": {\"developer\": 3}, \
         \"autonomy\": \"high\", \"conductor_session_id\": null, \"paused_until\": 5}",
    );
    assert!(fixture.told().is_empty(), "{:?}", fixture.told());
    let config = fixture.read();
    let obsolete = config.explain("use_tmux_windows").unwrap();
    assert!(obsolete.note.unwrap().contains("real terminal"));
    assert_eq!(
        config.settings().max_by_role.get(&RoleId::from("developer")),
        Some(&3)
    );
    let listed: Vec<String> = config.list().into_iter().map(|shown| shown.key).collect();
    assert!(listed.contains(&"role_models.developer".to_owned()), "{listed:?}");
    assert!(
        !listed.contains(&"timeout".to_owned()),
        "without effect and not set"
    );
    let written = set(&fixture.places, "use_tmux_windows", "false").unwrap();
    assert!(written.note.unwrap().contains("real terminal"));
    assert!(written.file.ends_with("config.json"), "{written:?}");
}

#[test]
fn setting_a_value_changes_nothing_else_in_the_file() {
    let fixture = Fixture::new().toml(
        "# ours\nmax_total_agents = 4 # not more\nunheard_of = [1, 2]\n\n[gates] # all of them\nunit = \"make unit\"\n",
    );
    set(&fixture.places, "max_total_agents", "6").unwrap();
    set(&fixture.places, "gates.lint", "make lint").unwrap();
    set(&fixture.places, "terminal.engine", "vt100").unwrap();
    assert_eq!(
        fs::read_to_string(fixture.places.toml()).unwrap(),
        "# ours\nmax_total_agents = 6 # not more\nunheard_of = [1, 2]\n\n[gates] # all of them\nunit = \"make unit\"\nlint = \"make lint\"\n\n[terminal]\nengine = \"vt100\"\n"
    );
    unset(&fixture.places, "gates.unit").unwrap();
    unset(&fixture.places, "unheard_of").unwrap();
    let text = fs::read_to_string(fixture.places.toml()).unwrap();
    assert!(
        !text.contains("unit") && !text.contains("unheard_of") && text.contains("lint"),
        "{text}"
    );
}

#[test]
fn who_merges_and_how_stand_in_one_table() {
    let fixture = Fixture::new().toml("merge = \"agent\" # for now\n");
    set(&fixture.places, "merge.style", "squash").unwrap();
    let text = || fs::read_to_string(fixture.places.toml()).unwrap();
    let by_and_style = |config: &Config| {
        (
            config.choice(&schema::MERGE_BY_AGENT),
            config.choice(&schema::MERGE_STYLE),
        )
    };
    assert_eq!(
        by_and_style(&fixture.read()),
        (true, MergeStyle::Squash),
        "{}",
        text()
    );
    set(&fixture.places, "merge", "engine").unwrap();
    assert_eq!(
        by_and_style(&fixture.read()),
        (false, MergeStyle::Squash),
        "{}",
        text()
    );
    unset(&fixture.places, "merge").unwrap();
    assert!(
        text().contains("squash") && !text().contains("engine"),
        "{}",
        text()
    );
    let fixture = Fixture::new().toml("[merge]\nstyle = \"rebase\"\n");
    set(&fixture.places, "merge", "agent").unwrap();
    assert_eq!(by_and_style(&fixture.read()), (true, MergeStyle::Rebase));
}

#[test]
fn a_value_goes_to_the_file_that_has_the_key_otherwise_to_config_toml() {
    let fixture = Fixture::new().json("{\"zeta\": {\"kept\": true}, \"max_total_agents\": 3}");
    assert_eq!(
        set(&fixture.places, "max_total_agents", "1").unwrap().file,
        fixture.places.json()
    );
    assert_eq!(
        fs::read_to_string(fixture.places.json()).unwrap(),
        "{\n  \"zeta\": {\n    \"kept\": true\n  },\n  \"max_total_agents\": 1\n}\n"
    );
    // Settings of the earlier program go into its file, the others into our own.
    assert_eq!(
        set(&fixture.places, "agent_timeout", "2h").unwrap().file,
        fixture.places.json()
    );
    assert!(!fixture.places.toml().exists());
    assert_eq!(
        set(&fixture.places, "prefix", "shop").unwrap().file,
        fixture.places.toml()
    );
    set(&fixture.places, "prefix", "till").unwrap();
    assert_eq!(fixture.read().text("prefix").unwrap(), "till");
    assert_eq!(
        fs::read_to_string(fixture.places.toml()).unwrap(),
        "prefix = \"till\"\n"
    );
    assert_eq!(
        unset(&fixture.places, "max_total_agents").unwrap().file,
        fixture.places.json()
    );
    assert_eq!(fixture.read().value(&schema::MAX_TOTAL_AGENTS), 8);
}

#[test]
fn what_is_set_is_what_is_read_back_for_every_key() {
    let fixture = Fixture::new();
    for key in keys() {
        let name = key
            .name
            .replace("set.<name>", "set.MY_NAME")
            .replace("<name>", "my gate")
            .replace("<role>", "security-reviewer")
            .replace("<stage>", "security_review");
        let text = match key.kind {
            ValueKind::Count { most, .. } => most.to_string(),
            ValueKind::CountOrAuto { .. } => "auto".to_owned(),
            ValueKind::Seconds { .. } => "90".to_owned(),
            ValueKind::Decimal => "0.25".to_owned(),
            ValueKind::Switch => "yes".to_owned(),
            ValueKind::Text | ValueKind::Variable => {
                "tricky \"text\" with 'all' # kinds\n= of [things] ü".to_owned()
            }
            ValueKind::CommitTemplate => "{task} at {stage}: {title} {status}".to_owned(),
            ValueKind::MessageTemplate => "{subject}\n\n\"why\": {plan}\n\nRefs: {branch}".to_owned(),
            ValueKind::Name => "prj".to_owned(),
            ValueKind::Key => "alt-z".to_owned(),
            ValueKind::Words => "notify-send 'from dbs' --icon=\"x\"".to_owned(),
            ValueKind::Address => "https://example.org:8443/a?b=c".to_owned(),
            ValueKind::Secret => "tricky \"secret\" 'with' # all = [of] it".to_owned(),
            ValueKind::Size => "750 MiB".to_owned(),
            ValueKind::Hours => " 22:00-7:00, 12:30-13:30".to_owned(),
            ValueKind::Choice(words) => (*words.last().unwrap()).to_owned(),
            ValueKind::Permissions => "allow run make*; deny".to_owned(),
            ValueKind::TestCommand => "run {file}".to_owned(),
            ValueKind::Commands => "npm ci, then more\nmake 'all'".to_owned(),
            ValueKind::TestPath => "a/{name}.py".to_owned(),
            ValueKind::VariableNames => "NPM_TOKEN, AWS_*".to_owned(),
            ValueKind::WordsOrNone | ValueKind::InnerPath | ValueKind::InnerPaths | ValueKind::List => {
                "a".to_owned()
            }
        };
        // One file cannot contain both spellings of a table.
        if name.starts_with("notifications.") {
            continue;
        }
        set(&fixture.places, &name, &text).unwrap();
        assert_eq!(
            fixture.read().get(&name).unwrap(),
            Some(key.kind.parse(&text).unwrap()),
            "{name}"
        );
    }
    assert!(fixture.told().is_empty(), "{:?}", fixture.told());
}

#[test]
fn a_list_of_entries_is_one_value_in_toml_and_json_and_no_list_of_other_things() {
    for (file, text) in [
        (
            "config.toml",
            "[workspace]\nsetup = [\"npm ci\", 'a, b']\ncopy = [\n  \".env*\", # mine\n  \"x\",\n]\nkey = \"a, b\"\n",
        ),
        (
            "config.json",
            r#"{"workspace": {"setup": ["npm ci", "a, b"], "copy": [".env*", "x"], "key": "a, b"}}"#,
        ),
    ] {
        let fixture = Fixture::new();
        fs::write(fixture.places.toml().with_file_name(file), text).unwrap();
        let config = fixture.read();
        let value = |key: &str| config.text(key);
        assert_eq!(
            value("workspace.setup").as_deref(),
            Some("npm ci\na, b"),
            "{file}"
        );
        assert_eq!(value("workspace.copy").as_deref(), Some(".env*, x"), "{file}");
        assert_eq!(value("workspace.key").as_deref(), Some("a, b"), "{file}");
    }
    let fixture = Fixture::new();
    fs::write(
        fixture.places.toml(),
        "[workspace]\nsetup = [1, 2]\nkey = [\"../out\"]\n",
    )
    .unwrap();
    assert_eq!(fixture.read().text("workspace.key"), None);
    let told = format!("{:?}", fixture.told());
    assert!(
        told.contains("workspace.key") && told.contains("workspace.setup"),
        "{told}"
    );
}

#[test]
fn unknown_keys_and_wrong_values_are_refused_with_the_way_out() {
    let fixture = Fixture::new();
    let said = |error: ConfigError| error.to_string();
    assert_eq!(
        said(set(&fixture.places, "base_brnch", "x").unwrap_err()),
        "find the setting `base_brnch`: there is none of that name; did you mean `base_branch`?"
    );
    assert_eq!(
        said(fixture.read().get("entirely.else").unwrap_err()),
        "find the setting `entirely.else`: there is none of that name; `dbs config` lists all"
    );
    assert_eq!(
        said(set(&fixture.places, "max_total_agents", "many").unwrap_err()),
        "set max_total_agents: it must be a whole number from 1 to 999, or auto, not `many`"
    );
    assert!(
        fs::read_dir(fixture.places.toml().parent().unwrap())
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn a_scalar_where_a_table_is_needed_is_refused_and_left_alone() {
    let fixture = Fixture::new().toml("gates = 1\n");
    assert!(matches!(
        set(&fixture.places, "gates.unit", "make"),
        Err(ConfigError::Unusable { .. })
    ));
    assert_eq!(fs::read_to_string(fixture.places.toml()).unwrap(), "gates = 1\n");
}

/// The settings of an earlier program as its documentation shows them.
const YAML: &str = "\
# how long, how often
timeout: 1800            # seconds per phase
max_retries: 2
model: sonnet
notifications: { enabled: true, provider: desktop, ntfy_server: \"https://ntfy.sh\" }
context_threshold: 70.0
gates:
  unit: make unit
  lint: 'make: lint'     # quoted
max_total_agents: 3
unheard_of:
  - 1
  - 2
";

#[test]
fn files_of_earlier_programs_are_read_in_every_dialect_and_each_value_knows_its_line() {
    let fixture = Fixture::new()
        .toml("[debussy]\ntimeout = 900\n")
        .json("{\"max_total_agents\": 2}");
    let yaml = fixture.places.project[1].clone();
    fs::write(&yaml, YAML).unwrap();
    let home = fixture.folder.path().join("home/.debussy");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.yml"), "base_branch: trunk\nmax_retries: 9\n").unwrap();
    let config = fixture.read();
    let shown = |key: &str| {
        let shown = config.explain(key).unwrap();
        let place = shown.origin.to_string();
        format!("{} {}", shown.value.unwrap(), place.rsplit('/').next().unwrap())
    };
    assert_eq!(shown("timeout"), "900 config.toml:2");
    assert_eq!(shown("max_retries"), "2 config.yaml:3");
    assert_eq!(shown("notifications.provider"), "desktop config.yaml:5");
    assert_eq!(shown("context_threshold"), "70 config.yaml:6");
    assert_eq!(shown("context.threshold"), "70 config.yaml:6");
    assert_eq!(shown("agent_timeout"), "900 config.toml:2");
    assert_eq!(config.value(&schema::AGENT_TIMEOUT), Span::seconds(900));
    assert_eq!(config.value(&schema::CONTEXT_THRESHOLD), 70);
    assert_eq!(shown("gates.lint"), "make: lint config.yaml:9");
    assert_eq!(shown("max_total_agents"), "3 config.yaml:10");
    assert_eq!(shown("base_branch"), "trunk config.yml:1");
    assert_eq!(
        fixture.told(),
        [".debussy/config.yaml:11: warning: there is no setting `unheard_of`; it is kept, but ignored"]
    );
}

/// C17, P51: each value in the files of the phased predecessor reaches the rules under its own key.
#[test]
fn keys_of_an_earlier_program_decide_what_their_settings_decide() {
    let yaml = "timeout: 61\ncontext_threshold: 62.0\ntool_call_threshold: 63\nmax_restarts: 7\nauto_commit: false\n\
                strict_compliance: true\ncommit_message_template: \"{phase_id} {status}\"\nmodel: opus\n";
    let fixture = Fixture::new().toml("[roles.default]\nagent = \"claude\"\n");
    fs::write(&fixture.places.project[1], yaml).unwrap();
    let config = fixture.read();
    assert_eq!(fixture.told(), Vec::<String>::new());
    let settings = config.settings();
    assert_eq!(settings.agent_timeout, Span::seconds(61));
    let context = settings.context;
    assert_eq!(
        (context.threshold, context.tool_calls, context.restarts),
        (62, 63, 7)
    );
    assert!(!settings.auto_commit && settings.strict);
    assert_eq!(
        config.value(&schema::COMMIT_MESSAGE).as_deref(),
        Some("{phase_id} {status}")
    );
    assert_eq!(settings.agents.others.model.as_deref(), Some("opus"));
    let model = |toml: &str| {
        let fixture = Fixture::new().toml(toml);
        fs::write(&fixture.places.project[1], yaml).unwrap();
        fixture.read().settings().agents.others.model
    };
    let own = model("[roles.default]\nagent = \"claude\"\nmodel = \"haiku\"\n");
    assert_eq!(
        own.as_deref(),
        Some("haiku"),
        "the newer setting takes precedence"
    );
    assert_eq!(
        model("[roles.default]\nagent = \"codex\"\n"),
        None,
        "sonnet and opus are models of Claude"
    );
}

/// P51.
#[test]
fn settings_that_are_set_and_have_no_effect_are_told_with_their_place_and_no_others() {
    let fixture = Fixture::new().toml("prefix = \"shop\"\nuse_tmux_windows = true\n");
    fs::write(
        &fixture.places.project[1],
        "timeout: 9\nautonomy: high\noutput: both\ninteractive: true\nmax_retries: 1\n",
    )
    .unwrap();
    let idle = fixture.read().idle();
    let named: Vec<&str> = idle.iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(named, ["use_tmux_windows", "autonomy"]);
    assert!(
        idle[1].ends_with("config.yaml:2: without effect in this version"),
        "{}",
        idle[1]
    );
    let fixture = Fixture::new().toml("[roles.default]\nagent = \"codex\"\n");
    fs::write(&fixture.places.project[1], "model: opus\n").unwrap();
    let idle = fixture.read().idle();
    assert!(
        idle.len() == 1
            && idle[0].contains("config.yaml:1: without effect: roles.default.agent is not claude"),
        "{idle:?}"
    );
}

#[test]
fn each_key_of_the_context_monitor_reaches_what_it_is_called_now() {
    type Reached = fn(&Config) -> String;
    let cases: [(&str, Reached, &str); 7] = [
        (
            "context_threshold: 70.0",
            |config| config.settings().context.threshold.to_string(),
            "70",
        ),
        (
            "tool_call_threshold: 41",
            |config| config.settings().context.tool_calls.to_string(),
            "41",
        ),
        (
            "max_restarts: 7",
            |config| config.settings().context.restarts.to_string(),
            "7",
        ),
        (
            "auto_commit: false",
            |config| config.settings().auto_commit.to_string(),
            "false",
        ),
        (
            "timeout: 901",
            |config| config.settings().agent_timeout.0.to_string(),
            "901000",
        ),
        (
            "strict_compliance: true",
            |config| config.settings().strict.to_string(),
            "true",
        ),
        (
            "commit_message_template: \"{phase_id} is done\"",
            |config| format!("{:?}", config.value(&schema::COMMIT_MESSAGE)),
            "Some(\"{phase_id} is done\")",
        ),
    ];
    let bare = Fixture::new().read();
    for (line, reached, wanted) in cases {
        let fixture = Fixture::new();
        fs::write(&fixture.places.project[1], format!("{line}\n")).unwrap();
        assert_eq!(reached(&fixture.read()), wanted, "{line}");
        assert_ne!(reached(&bare), wanted, "{line} changes nothing");
    }
}

#[test]
fn an_unknown_set_of_glyphs_and_a_prefix_that_could_not_be_typed_are_told_with_their_line() {
    let fixture = Fixture::new().toml("# looks\nglyphs = \"solarised\"\nkeys.prefix = \"a\"\n");
    let told = fixture.told();
    assert!(
        told[0].starts_with(".debussy/config.toml:2: warning: glyphs must be one of auto, unicode, ascii"),
        "{told:?}"
    );
    assert!(
        told[1].starts_with(".debussy/config.toml:3: warning: keys.prefix must be a key like ctrl-b"),
        "{told:?}"
    );
    assert_eq!(fixture.read().text("keys.prefix").unwrap(), "C-b");
    assert!(set(&fixture.places, "keys.prefix", "?").is_err());
    assert!(set(&fixture.places, "theme", "mono").is_ok());
}

#[test]
fn a_value_in_a_yaml_file_is_changed_there_and_nothing_else() {
    let fixture = Fixture::new();
    let yaml = fixture.places.project[1].clone();
    fs::write(&yaml, YAML).unwrap();
    for (key, value) in [
        ("timeout", "60"),
        ("gates.lint", "make \"all\""),
        ("max_total_agents", "5"),
    ] {
        assert_eq!(set(&fixture.places, key, value).unwrap().file, yaml);
        assert_eq!(fixture.read().get(key).unwrap().unwrap().to_string(), value);
    }
    let text = fs::read_to_string(&yaml).unwrap();
    assert!(
        text.contains("timeout: 60            # seconds per phase\n")
            || text.contains("timeout: 60 # seconds per phase\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), YAML.lines().count());
    // A value that shares its line with others is left to the person.
    let refused = set(&fixture.places, "notifications.provider", "none")
        .unwrap_err()
        .to_string();
    assert!(refused.contains("line 5 by hand"), "{refused}");
    assert_eq!(fs::read_to_string(&yaml).unwrap(), text);
    assert_eq!(unset(&fixture.places, "gates.unit").unwrap().file, yaml);
    assert!(!fs::read_to_string(&yaml).unwrap().contains("unit"));
}

#[test]
fn a_yaml_file_that_cannot_be_read_is_told_with_its_line() {
    for (text, line) in [
        ("a: 1\na: 2\n", 2),
        ("a: 1\n\tb: 2\n", 2),
        ("max_total_agents: [1\n", 2),
    ] {
        let fixture = Fixture::new();
        fs::write(&fixture.places.project[2], text).unwrap();
        let config = fixture.read();
        let found = &config.diagnostics()[0];
        assert!(
            found.severity == FindingLevel::Error && found.line.abs_diff(line) <= 1,
            "{found}"
        );
        assert!(found.text.starts_with("nothing in this file is used"), "{found}");
    }
    let fixture = Fixture::new();
    fs::write(&fixture.places.project[2], "# nothing yet\n").unwrap();
    assert!(fixture.told().is_empty());
}

#[test]
fn shown_settings_can_be_written_as_json() {
    let fixture = Fixture::new().toml("paused = true\n");
    let json = serde_json::to_value(fixture.read().explain("paused").unwrap()).unwrap();
    assert_eq!(json["value"], true);
    assert!(json["origin"].as_str().unwrap().ends_with("config.toml:1"));
}

/// Returns the table of all settings in Markdown, as in the documentation.
fn reference() -> String {
    let mut text = String::from(
        "| setting | value | default | takes effect | what it is for | from |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for key in keys() {
        text.push_str(&row(key));
    }
    text
}

fn row(key: &SettingSpec) -> String {
    let default = key
        .default
        .map_or("not set".to_owned(), |default| format!("`{default}`"));
    let doc = match key.status {
        SettingStatus::Used | SettingStatus::Legacy | SettingStatus::Kept => key.doc.to_owned(),
        SettingStatus::Obsolete(why) => format!("Obsolete: {why}. {}", key.doc),
    };
    format!(
        "| `{}` | {} | {default} | {} | {doc} | {} |\n",
        key.name, key.kind, key.effect, key.source
    )
}

#[test]
fn the_documentation_holds_the_table_of_all_settings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- settings -->\n", "<!-- end of settings -->");
    let (before, rest) = text.split_once(begin).unwrap();
    let (table, after) = rest.split_once(end).unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the switch that rewrites generated documents"
    )]
    if std::env::var("DBS_UPDATE").is_ok() {
        fs::write(&path, format!("{before}{begin}{}{end}{after}", reference())).unwrap();
        return;
    }
    assert_eq!(table, reference(), "run the tests once with DBS_UPDATE=1");
}

#[test]
fn names_of_variables_are_texts_or_lists_and_those_of_all_sources_count_together() {
    let fixture = Fixture::new()
        .toml("[environment]\npass = [\"NPM_TOKEN\", \"AWS_*\"]\nset = { JAVA_HOME = \"/opt/java\", EMPTY = \"\", N = 3 }\n")
        .user("[environment]\npass = \"GH_TOKEN\"\nhide = \"OLD, OLDER\"\nmode = \"minimal\"\n");
    assert!(fixture.told().is_empty(), "{:?}", fixture.told());
    let rules = fixture.read().environment_rules();
    assert_eq!(rules.mode, EnvironmentMode::Minimal);
    assert_eq!(rules.pass, ["NPM_TOKEN", "AWS_*", "GH_TOKEN"]);
    assert_eq!(rules.hide, ["OLD", "OLDER"]);
    let set = pairs(&[("JAVA_HOME", "/opt/java"), ("EMPTY", ""), ("N", "3")]);
    assert_eq!(rules.set, set);
    let given = ConfigOverrides {
        flags: Vec::new(),
        environment: pairs(&[("DBS_ENVIRONMENT_SET_JAVA_HOME", "/else")]),
    };
    let rules = Config::read(&Fixture::new().places, &given).environment_rules();
    assert_eq!(rules.set, pairs(&[("JAVA_HOME", "/else")]));
}

#[test]
fn names_that_no_variable_can_have_are_refused_with_their_line() {
    let fixture = Fixture::new().toml(
        "[environment]\npass = [\"A=B\"]\nhide = [1]\n[environment.set]\nDBS_TOKEN = \"x\"\na-b = \"x\"\nPATH = \"/opt/bin\"\n",
    );
    let told = fixture.told();
    let lines: Vec<&str> = told.iter().filter_map(|line| line.split(": ").next()).collect();
    let ends: Vec<&str> = lines.iter().filter_map(|line| line.rsplit(':').next()).collect();
    assert_eq!(ends, ["2", "3", "5", "6"], "{told:?}");
    assert_eq!(
        fixture.read().environment_rules().set,
        pairs(&[("PATH", "/opt/bin")])
    );
}
