//! Reader of the file of a kind. Anything that cannot be meant, or would reach further than one tool, is refused with its line.

use std::collections::BTreeMap;
use std::path::Path;

use super::{
    DescribedKind, HeadlessArguments, LoginPlaces, PromptDelivery, RESERVED, ResumeArguments, ScreenRule,
    SessionChoice, TitleRule,
};
use crate::end_rules::EndRules;
use crate::finding::Finding;
use crate::permissions::{POLICIES, PermissionPolicy};
use crate::table::{self, Located, TableReader};

/// Maximum number of bytes of a file, of texts of a list and of bytes of one of them.
const LARGEST: usize = 64 * 1024;
const MOST_TEXTS: usize = 100;
const LONGEST_TEXT: usize = 2_000;
/// Minimum number of letters of the name of a variable before its `*`, so that no file asks for everything.
const SHORTEST_BEGIN: usize = 4;
/// Prefixes of the variables that tell agents about this program; they are set for each attempt.
const OUR_VARIABLES: [&str; 2] = ["DBS_", "DEBUSSY_"];
/// Limit of the lines below the last one of a rule for screens.
const MOST_BELOW: u64 = 4;
/// Refusal of a pattern that every line fits.
const NEEDS_WORDS: &str = "a pattern of a line needs more than `*`, for example `*esc to stop`";
/// Placeholder for several arguments: those of the model, the effort and the permissions.
const OPTIONS: &str = "options";
/// Placeholders allowed in the arguments for a session.
const SESSION_WORDS: [&str; 11] = [
    "prompt", "file", "session", OPTIONS, "folder", "task", "title", "body", "branch", "base", "role",
];

pub(super) fn read(name: &str, file: &Path, text: &str) -> (Option<DescribedKind>, Vec<Finding>) {
    let is_too_long = text.len() > LARGEST;
    let text = if is_too_long { "" } else { text };
    let root = |root: TableReader<'_>| {
        if is_too_long {
            let text = format_args!("it is longer than {LARGEST} bytes; make it shorter");
            root.file.error(0, text);
        }
        read_root(name, root)
    };
    table::read(file, text, "a kind of agent", |_| Vec::new(), root)
}

fn read_root(name: &str, mut root: TableReader<'_>) -> DescribedKind {
    check_name(name, &root);
    let start = arguments(&mut root, "start", &SESSION_WORDS);
    let kind = DescribedKind {
        name: name.to_owned(),
        title: root.need_name("title"),
        program: read_program(&mut root),
        delivery: read_delivery(&mut root, &start),
        resume: read_resume(&mut root, &start),
        headless: read_headless(&mut root),
        model: arguments(&mut root, "model", &["model"]),
        effort: arguments(&mut root, "effort", &["effort"]),
        permissions: read_permissions(&mut root),
        variables: read_variables(&mut root, "variables"),
        install: root.need_name("install"),
        login: read_login(&mut root),
        tells_version: root.item("version").is_none() || root.flag("version"),
        settings: read_home_files(&mut root, "settings"),
        end_is_report: root.item("end_is_report").is_some() && root.flag("end_is_report"),
        plugin: root.word("plugin"),
        titles: read_titles(&mut root),
        screens: read_screens(&mut root),
        ends: EndRules::of_tables(root.tables("end", "an end", "{ begins = \"…\", cause = \"quota\" }")),
        start,
    };
    check_options(&root, &kind);
    root.finish();
    kind
}

fn check_name(name: &str, root: &TableReader<'_>) {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if RESERVED.contains(&name) {
        let text = format_args!("`{name}` is a kind of the program itself; give the file another name");
        root.file.error(0, text);
    } else if name.is_empty() || !name.chars().all(is_plain) {
        let text = format_args!("the file is called `{name}`: use lower-case letters, digits and dashes");
        root.file.error(0, text);
    }
}

/// Reads a name that is looked for in `PATH`: a path into the project would start a program that is not trusted with the file.
fn read_program(root: &mut TableReader<'_>) -> String {
    let program = root.need_name("program");
    let is_plain = |c: char| !matches!(c, '/' | '\\' | '{') && !c.is_control();
    if !program.chars().all(is_plain) {
        root.error("program", "`program` must be a plain name that is found in PATH");
    }
    program
}

/// Reads arguments with placeholders, each of which must be one of `known`.
fn arguments(root: &mut TableReader<'_>, key: &'static str, known: &[&str]) -> Vec<String> {
    let words = bounded(root, key);
    for Located { value, line } in &words {
        for name in placeholders(value).filter(|name| !known.contains(name)) {
            let all: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
            let text = format_args!("there is no `{{{name}}}` for `{key}`: use {}", all.join(", "));
            root.file.error(*line, text);
        }
        if placeholders(value).any(|name| name == OPTIONS) && value != "{options}" {
            let text = "`{options}` stands for several arguments and must be a text by itself";
            root.file.error(*line, text);
        }
    }
    words.into_iter().map(|word| word.value).collect()
}

/// Reads the texts of a list that is neither long nor has long texts.
fn bounded(root: &mut TableReader<'_>, key: &'static str) -> Vec<Located<String>> {
    let texts = root.texts(key);
    if texts.len() > MOST_TEXTS {
        root.error(key, format_args!("`{key}` has more than {MOST_TEXTS} texts"));
    }
    for text in &texts {
        if text.value.len() > LONGEST_TEXT || text.value.chars().any(char::is_control) {
            let why =
                format_args!("a text of `{key}` has at most {LONGEST_TEXT} bytes and no control characters");
            root.file.error(text.line, why);
        }
    }
    texts
}

/// Returns the names in braces that could be meant as placeholders: lower-case letters only, so that JSON may stand in an argument.
fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    let names = word
        .split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0));
    names.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()))
}

fn has(words: &[String], name: &str) -> bool {
    words
        .iter()
        .any(|word| placeholders(word).any(|found| found == name))
}

fn read_delivery(root: &mut TableReader<'_>, start: &[String]) -> PromptDelivery {
    let ready: Vec<String> = bounded(root, "ready")
        .into_iter()
        .map(|text| text.value)
        .collect();
    let (argument, file) = (has(start, "prompt"), has(start, "file"));
    match (ready.is_empty(), argument, file) {
        (true, true, _) => PromptDelivery::Argument,
        (true, false, true) => PromptDelivery::File,
        (false, false, false) => PromptDelivery::Typed { ready },
        _ => {
            let text = "the prompt needs one way: `{prompt}` or `{file}` in `start`, or `ready` with patterns of the line of its screen \
                        that says that it takes a prompt, for example `ready = [\">*\"]`";
            root.error("start", text);
            PromptDelivery::Argument
        }
    }
}

fn read_resume(root: &mut TableReader<'_>, start: &[String]) -> Option<ResumeArguments> {
    let arguments = arguments(root, "resume", &SESSION_WORDS);
    let session: Option<SessionChoice> = root.word("session");
    if arguments.is_empty() {
        if root.item("session").is_some() {
            root.error(
                "session",
                "`session` says whose session `resume` means; say how with `resume = [\"…\"]`",
            );
        }
        return None;
    }
    let is_named = has(start, "session") && has(&arguments, "session");
    match session {
        None => root.missing("session", "\"chosen\"` or `session = \"folder\""),
        Some(SessionChoice::Chosen) if !is_named => {
            root.error(
                "session",
                "a chosen session must be given as `{session}` in `start` and in `resume`",
            );
        }
        Some(SessionChoice::Told) if has(start, "session") || !has(&arguments, "session") => {
            root.error(
                "session",
                "a session that the tool tells is given as `{session}` in `resume` only",
            );
        }
        Some(SessionChoice::Folder) if has(start, "session") || has(&arguments, "session") => {
            root.error(
                "session",
                "the tool finds the session of its folder itself; `{session}` stands for nothing",
            );
        }
        Some(SessionChoice::Chosen | SessionChoice::Folder | SessionChoice::Told) => {}
    }
    Some(ResumeArguments {
        arguments,
        session: session?,
    })
}

/// Reads the arguments of a protocol. There the prompt and the session are messages, and rules answer questions: only options of the model
/// are left.
fn read_headless(root: &mut TableReader<'_>) -> Option<HeadlessArguments> {
    let mut table = root.table(
        "headless",
        "a table, such as { protocol = \"acp\", arguments = [\"acp\"] }",
    )?;
    if table.item("protocol").is_none() {
        table.missing("protocol", "\"acp\"");
    }
    let protocol = table.word("protocol");
    let arguments = arguments(&mut table, "arguments", &[OPTIONS, "folder"]);
    table.finish();
    Some(HeadlessArguments {
        protocol: protocol?,
        arguments,
    })
}

fn read_permissions(root: &mut TableReader<'_>) -> BTreeMap<PermissionPolicy, Vec<String>> {
    let Some(mut table) = root.table("permissions", "a table of lists, such as { ask = [\"--ask\"] }") else {
        return BTreeMap::new();
    };
    let mut permissions = BTreeMap::new();
    for (word, policy) in POLICIES {
        if table.item(word).is_some() {
            permissions.insert(policy, arguments(&mut table, word, &[]));
        }
    }
    table.finish();
    permissions
}

/// Checks that the options have a place in every line of arguments.
fn check_options(root: &TableReader<'_>, kind: &DescribedKind) {
    let has_options = !kind.model.is_empty()
        || !kind.effort.is_empty()
        || kind.permissions.values().any(|words| !words.is_empty());
    let resume = kind.resume.as_ref().map(|resume| ("resume", &resume.arguments));
    for (key, words) in [("start", &kind.start)].into_iter().chain(resume) {
        if has_options && !has(words, OPTIONS) {
            let text =
                format_args!("`{key}` does not say where `{{options}}` stand: model, effort and permissions");
            root.error(key, text);
        }
    }
    for (key, words) in [("model", &kind.model), ("effort", &kind.effort)] {
        if !words.is_empty() && !has(words, key) {
            root.error(key, format_args!("`{key}` does not say where `{{{key}}}` stands"));
        }
    }
}

fn read_variables(root: &mut TableReader<'_>, key: &'static str) -> Vec<String> {
    let names = bounded(root, key);
    for name in &names {
        let begin = name.value.trim_end_matches('*');
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_plain = begin.chars().all(is_name) && name.value.len() - begin.len() <= 1;
        let is_ours = OUR_VARIABLES
            .iter()
            .any(|ours| begin.starts_with(ours) || ours.starts_with(begin));
        if !is_plain || begin.len() < SHORTEST_BEGIN || is_ours {
            let text = format_args!(
                "`{key}` names `{}`: use the name of a variable of the tool, at least {SHORTEST_BEGIN} letters, with `*` at its end \
                 for all that begin so",
                name.value
            );
            root.file.error(name.line, text);
        }
    }
    names.into_iter().map(|name| name.value).collect()
}

/// Reads paths below the person's home.
fn read_home_files(table: &mut TableReader<'_>, key: &'static str) -> Vec<String> {
    let files = bounded(table, key);
    for file in &files {
        let leaves = file.value.split(['/', '\\']).any(|part| part == "..");
        if file.value.starts_with(['/', '\\', '~']) || leaves {
            let text = format_args!(
                "`{key}` names `{}`: use paths below the person's home",
                file.value
            );
            table.file.error(file.line, text);
        }
    }
    files.into_iter().map(|file| file.value).collect()
}

fn read_login(root: &mut TableReader<'_>) -> LoginPlaces {
    let Some(mut table) = root.table("login", "a table, such as { way = \"run `tool login`\" }") else {
        return LoginPlaces::default();
    };
    let login = LoginPlaces {
        way: table.text("way"),
        variables: read_variables(&mut table, "variables"),
        files: read_home_files(&mut table, "files"),
    };
    table.finish();
    login
}

fn read_titles(root: &mut TableReader<'_>) -> Vec<TitleRule> {
    let tables = root.tables(
        "window",
        "a window",
        "{ title = \"Working*\", state = \"working\" }",
    );
    let rules = tables.into_iter().filter_map(|mut fields| {
        let pattern = fields.need_name("title");
        if fields.item("state").is_none() {
            fields.missing("state", "\"working\"");
        }
        let state = fields.word("state");
        fields.finish();
        Some(TitleRule {
            pattern,
            state: state?,
        })
    });
    rules.collect()
}

fn read_screens(root: &mut TableReader<'_>) -> Vec<ScreenRule> {
    let example = "{ lines = [\"*esc to stop\"], state = \"working\" }";
    let tables = root.tables("screen", "a screen", example);
    let rules = tables.into_iter().filter_map(|mut fields| {
        let lines = values(bounded(&mut fields, "lines"));
        if fields.item("lines").is_none() {
            fields.missing("lines", "[\"*esc to stop\"]");
        } else if lines.iter().all(|line| says_nothing(line)) {
            fields.error("lines", NEEDS_WORDS);
        }
        let without = values(bounded(&mut fields, "without"));
        let below = fields.number("below", 0..MOST_BELOW);
        let text = fields.text("text");
        if text.as_ref().is_some_and(|text| says_nothing(text)) {
            fields.error("text", NEEDS_WORDS);
        }
        if fields.item("state").is_none() {
            fields.missing("state", "\"working\"");
        }
        let state = fields.word("state");
        fields.finish();
        Some(ScreenRule {
            lines,
            below: below.and_then(|below| usize::try_from(below).ok()).unwrap_or(0),
            without,
            text,
            state: state?,
        })
    });
    rules.collect()
}

fn values(texts: Vec<Located<String>>) -> Vec<String> {
    texts.into_iter().map(|text| text.value).collect()
}

/// Returns true for a pattern that every line fits.
fn says_nothing(pattern: &str) -> bool {
    pattern.chars().all(|sign| sign == '*' || sign.is_whitespace())
}
