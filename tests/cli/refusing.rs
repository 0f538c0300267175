//! Messages for wrong input, each read as a whole: what was tried, why it failed, and the way out.

use crate::shop::Shop;

/// The whole output of a command, with words in capitals for the parts that differ from run to run.
fn said(shop: &Shop, arguments: &[&str]) -> String {
    let said = shop.run(arguments);
    assert_ne!(said.code, 0, "{arguments:?}: {said:?}");
    let text = format!("{}{}", said.out, said.err);
    let state = shop.git.state().display().to_string();
    let project = shop.git.project().display().to_string();
    text.replace(&state, "STATE").replace(&project, "PROJECT")
}

/// Commands of a person in a fresh project, with the answers.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["run", "."],
        "dbs: could not find a plan in the folder .: there is no MASTER_PLAN.md, .design/plan.json or PRD in it; `dbs convert TEXT` makes a plan, or name the file of one\n",
    ),
    (
        &["audit", "."],
        "dbs: could not find a plan in the folder .: there is no MASTER_PLAN.md, .design/plan.json or PRD in it; `dbs convert TEXT` makes a plan, or name the file of one\n",
    ),
    (
        &["audit", "text.md"],
        "text.md: error: this is not a plan: there is no table of phases and no heading of one; write a table with the columns Phase, Title and Status below a heading Phases, or have an agent do it: `dbs convert text.md` (NO_PHASES)\n",
    ),
    (
        &["run", "text.md"],
        "text.md: error: this is not a plan: there is no table of phases and no heading of one; write a table with the columns Phase, Title and Status below a heading Phases, or have an agent do it: `dbs convert text.md` (NO_PHASES)\n\
         dbs: could not run the plan: it has errors; fix those listed above\n",
    ),
    (
        &["run", "nope.md"],
        "dbs: could not read the plan nope.md: it is not there; name the file of a plan, such as docs/MASTER.md or .design/plan.json\n",
    ),
    (
        &["execute"],
        "dbs: could not find a plan: there is no .design/plan.json; `dbs design \"GOAL\"` makes one, `dbs run FILE` runs another\n",
    ),
    (
        &["run"],
        "dbs: could not find a plan: there is no .design/plan.json; `dbs design \"GOAL\"` makes one, `dbs run FILE` runs another\n",
    ),
    (
        &["atdd", "run"],
        "dbs: could not read the plan PROJECT/prds: it is not there; `dbs atdd init` makes the folder, `dbs atdd new TEXT` a PRD in it\n",
    ),
    (
        &["restore", "text.md"],
        "dbs: could not restore from PROJECT/text.md: it is not a complete copy of a store: it is cut off before its first page; \
         `dbs backup` makes copies, and the existing ones are in STATE/backups\n",
    ),
    (
        &["restore", "nope.db"],
        "dbs: could not restore from PROJECT/nope.db: it is not there; `dbs backup` makes copies, and the existing ones are in STATE/backups\n",
    ),
    (
        &["backup", "nowhere/copy.db"],
        "dbs: could not write backup PROJECT/nowhere/copy.db: there is no folder PROJECT/nowhere\n",
    ),
    (
        &["batch", "show", "x"],
        "dbs: there is no batch x: `dbs batch list` lists all batches\n",
    ),
    (
        &["task", "import", "nope.json"],
        "dbs: could not read tasks from nope.json: it is not there\n",
    ),
    (
        &["convert", "nope.md"],
        "dbs: could not convert nope.md: it is not there\n",
    ),
    (
        &["workflow", "check", "nope.toml"],
        "dbs: could not read nope.toml: it is not there\n",
    ),
    (
        &["task", "create", "x", "--agent", "cluade"],
        "dbs: could not use the agent cluade: there is no kind of agent of that name, did you mean `claude`; there are claude, codex, \
         custom, rehearsal, opencode, gemini, aider\n",
    ),
    (
        &["config", "agent", "claude"],
        "dbs: could not find the setting `agent`: there is none of that name; did you mean `roles.default.agent`?\n",
    ),
    (
        &["config", "gates", "make"],
        "dbs: could not use `gates` as a setting: it is a table; its settings are written like `gates.NAME`\n",
    ),
    (
        &["config", "roles.developer", "claude"],
        "dbs: could not use `roles.developer` as a setting: it is a table; its settings are written like `roles.developer.agent`\n",
    ),
    (
        &["config", "base_branch", ""],
        "dbs: could not set base_branch: it is empty; `dbs config base_branch --unset` takes it out\n",
    ),
    (
        &["config", "max_total_agents", "many"],
        "dbs: could not set max_total_agents: it must be a whole number from 1 to 999, or auto, not `many`\n",
    ),
    (
        &["stauts"],
        "error: unrecognized subcommand 'stauts'\n\n  tip: some similar subcommands exist: 'status', 'stats', 'start'\n\n\
         Usage: dbs [OPTIONS]\n       dbs <COMMAND>\n\nFor more information, try '--help'.\n",
    ),
];

#[test]
fn wrong_input_is_answered_with_what_is_wrong_and_the_way_out() {
    let shop = Shop::new();
    std::fs::write(shop.git.project().join("text.md"), "Some text.\n").unwrap();
    shop.does(&["task", "create", "So that there is a store"]);
    let differ: Vec<String> = REFUSED
        .iter()
        .filter_map(|(arguments, wanted)| {
            let text = said(&shop, arguments);
            (text != *wanted).then(|| format!("{arguments:?}\n  is {text:?}\n not {wanted:?}"))
        })
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn a_setting_without_an_effect_is_kept_and_that_is_said() {
    let said = Shop::new().run(&["config", "plan_generation_model", "haiku"]);
    let wanted = "dbs: plan_generation_model is kept: without effect in this version\n";
    assert_eq!((said.code, said.err.as_str()), (0, wanted));
}

#[test]
fn a_base_branch_is_doubted_also_where_no_remote_can_be_asked() {
    let shop = Shop::new();
    shop.git.git(&shop.git.project(), &["remote", "remove", "origin"]);
    let said = shop.run(&["config", "base_branch", "mian"]);
    let doubt = "there is no branch mian here, and origin cannot be asked; did you mean `main`?";
    assert!(said.err.contains(doubt), "{said:?}");
    assert!(doctor(&shop, "base").contains(doubt), "{}", doctor(&shop, "base"));
}

#[test]
fn what_is_taken_and_cannot_be_used_is_said_at_once_with_the_nearest_name() {
    let shop = Shop::new();
    let file = shop.git.project().join(".debussy/config.toml");
    let place = file.display().to_string();
    for (key, value, wanted) in [
        (
            "base_branch",
            "mian",
            format!(
                "dbs: could not use base_branch, at {place}:1: there is no branch mian, neither here nor on origin; did you mean `main`? \
                 dbs config base_branch main\n"
            ),
        ),
        (
            "base_branch",
            "nothing/like/it",
            format!(
                "dbs: could not use base_branch, at {place}:1: there is no branch nothing/like/it, neither here nor on origin; name one that \
                 is: dbs config base_branch NAME\n"
            ),
        ),
        ("base_branch", "main", String::new()),
        (
            "roles.developer.agent",
            "custom",
            "dbs: could not use agent custom for role developer: it has no command yet; set it with `dbs config roles.developer.command \
             'PROGRAM ARGUMENT …'`\n"
                .to_owned(),
        ),
        (
            "roles.developer.command",
            "nosuchprogram",
            "dbs: could not use roles.developer: nosuchprogram is in none of the folders of PATH; install it, or name another with `dbs \
             config roles.developer.command 'PROGRAM ARGUMENT …'`\n"
                .to_owned(),
        ),
        ("roles.developer.command", "sleep 1", String::new()),
        (
            "roles.develper.model",
            "opus",
            format!(
                "dbs: could not use roles.develper.model, at {place}:LINE: no workflow has a role develper, did you mean `developer`; `dbs \
                 workflow list` names workflows, and `dbs config roles.develper.model --unset` takes it away\n"
            ),
        ),
        (
            "model",
            "opus",
            "dbs: model is of an earlier program; did you mean `roles.default.model`?\n".to_owned(),
        ),
    ] {
        let said = shop.run(&["config", key, value]);
        let text = std::fs::read_to_string(&file).unwrap();
        let line = text.lines().position(|line| line.contains(value)).unwrap() + 1;
        let wanted = wanted.replace("LINE", &line.to_string());
        assert_eq!((said.code, said.err), (0, wanted), "{key} {value}");
    }
    assert_eq!(
        shop.does(&["config", "prefix", "--unset"]),
        format!("prefix was not set in {place}\n")
    );
}

/// The line of `dbs doctor` about something.
fn doctor(shop: &Shop, about: &str) -> String {
    let said = shop.run(&["doctor"]);
    let project = shop.git.project().display().to_string();
    let line = said
        .out
        .lines()
        .find(|line| line.get(8..).is_some_and(|line| line.starts_with(about)));
    line.unwrap_or_else(|| panic!("no line about {about}: {said:?}"))
        .replace(&project, "PROJECT")
}

#[test]
fn doctor_says_of_settings_what_is_so() {
    let shop = Shop::new();
    let file = shop.git.project().join(".debussy/config.toml");
    assert_eq!(
        doctor(&shop, "gates"),
        "WARNING gates        none is set, so work is accepted unchecked, and an acceptance waits: dbs config gates.NAME COMMAND"
    );
    // Written by hand and not yet trusted.
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    std::fs::write(
        &file,
        "[gates]\ntest = \"make\"\n[roles.default]\nagent = \"claude\"\n",
    )
    .unwrap();
    assert_eq!(
        doctor(&shop, "gates"),
        "WARNING gates        set, but not trusted: gates.test (.debussy/config.toml:2); look with dbs trust show"
    );
    assert_eq!(
        doctor(&shop, "agents"),
        "MISSING agents       set, but not trusted: roles.default.agent (.debussy/config.toml:4); look with dbs trust show"
    );
    // Trusted and then broken: no setting has changed, but a file cannot be read.
    let hash = shop.run(&["trust"]).out;
    shop.does(&["trust", "--hash", hash.trim().rsplit(' ').next().unwrap()]);
    std::fs::write(&file, "[gates\ntest = \"make\"\n").unwrap();
    let why = "PROJECT/.debussy/config.toml:1: nothing in this file is used: unclosed table, expected `]`";
    assert_eq!(
        doctor(&shop, "trust"),
        format!(
            "MISSING trust        not trusted: could not use {why}; fix the file, what you trusted stays in force"
        )
    );
    assert_eq!(
        doctor(&shop, "settings"),
        "MISSING settings     PROJECT/.debussy/config.toml:1: error: nothing in this file is used: unclosed table, expected `]`"
    );
    assert_eq!(
        doctor(&shop, "base"),
        "MISSING base branch  not known while a file of the settings cannot be read"
    );
    let status = shop.does(&["status"]);
    assert!(status.contains("settings: could not use "), "{status}");
    std::fs::remove_file(&file).unwrap();
    shop.git.git(&shop.git.project(), &["remote", "remove", "origin"]);
    assert!(doctor(&shop, "remote").starts_with("MISSING remote       no remote called origin; "));
}

#[test]
fn folders_of_the_project_and_relative_ones_in_path_lead_to_no_program() {
    let shop = Shop::new();
    let (project, mark) = (shop.git.project(), shop.git.root().join("mark"));
    for name in ["git", "node_modules/.bin/git", "bin/git"] {
        let file = project.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        crate::script::write_script(&file, format!("#!/bin/sh\necho ran >> {}\n", mark.display()));
    }
    let text = |word: std::ffi::OsString| word.into_string().unwrap();
    let own = shop
        .environment()
        .into_iter()
        .map(|(name, value)| (text(name), text(value)));
    let mut env: std::collections::BTreeMap<String, String> = own.collect();
    let inside = project.join("bin").display().to_string();
    let given = format!(".::node_modules/.bin:{inside}:{}", env["PATH"]);
    env.insert("PATH".to_owned(), given);
    for arguments in [
        &["doctor"][..],
        &["status"],
        &["board"],
        &["trust", "show"],
        &["config", "base_branch", "main"],
        &["task", "create", "x"],
        &["agents"],
    ] {
        shop.run_with(&env, arguments);
        assert!(!mark.exists(), "{arguments:?} ran a program of the repository");
    }
    let said = shop.run_with(&env, &["doctor"]);
    let wanted = format!(
        "WARNING PATH         left out for git, gates and agents, because a repository could put programs there: ., an empty entry, \
         node_modules/.bin, {inside}; call such a program by its path"
    );
    assert!(said.out.lines().any(|line| line == wanted), "{said:?}");
}
