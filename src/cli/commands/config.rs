//! `dbs config`: show one value, all values, or set one (K68).

use crate::cli::commands::prelude::*;
use crate::config::appearance;
use crate::config::faults::RemoteDoubt;
use crate::config::session_setup;
use crate::config::themes::own_themes;
use crate::config::{self, Config, ResolvedSetting, faults, schema, set, unset};
use crate::display::{ColourDepth, DisplayCaps, Glyphs};
use crate::formats::finding::{Finding, FindingLevel};
use crate::protocol::wire::{CallReply, ServerCall};
use crate::ui::Theme;

/// Show or change settings
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs config\ndbs config base_branch develop\ndbs config max_total_agents --explain\ndbs config max_total_agents --unset").for_persons_with(&[("value", "KEY VALUE"), ("unset", "KEY VALUE")]))]
pub struct ConfigArgs {
    /// Key of the setting
    key: Option<String>,
    /// New value
    #[arg(allow_negative_numbers = true)]
    value: Option<String>,
    /// Show the source of each value
    #[arg(long)]
    explain: bool,
    /// Remove the key from this project's settings; the value of the next source applies
    #[arg(long, requires = "key", conflicts_with_all = ["value", "explain"])]
    unset: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ConfigArgs {
    /// Shows, sets or unsets configuration.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        if let Some(key) = &self.key
            && (self.value.is_some() || self.unset)
        {
            return change(env, place, key, &self);
        }
        let config = place.read_config();
        for finding in config
            .diagnostics()
            .iter()
            .chain(&theme_diagnostic(&place, &config))
        {
            output::problem(&finding.to_string());
        }
        let shown = match &self.key {
            Some(key) => vec![config.explain(key)?],
            None => config.list(),
        };
        if self.json.json {
            output::json(&shown);
        } else {
            for value in &shown {
                print(value, &self);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the problem with the theme that is set, with the place where it is set.
fn theme_diagnostic(paths: &ProjectPaths, config: &Config) -> Option<Finding> {
    let why = theme_problem(paths, config, None)?;
    let shown = config.explain("theme").ok()?;
    let (file, line) = shown.origin.place();
    Some(Finding::new(
        FindingLevel::Warning,
        file,
        line,
        could_not(why).to_string(),
    ))
}

/// Returns the reason why the theme of that name, or the one that is set, cannot be loaded.
fn theme_problem(paths: &ProjectPaths, config: &Config, name: Option<&str>) -> Option<String> {
    let (own, _unreadable) = own_themes(paths);
    let looks = DisplayCaps {
        palette: ColourDepth::True,
        glyphs: Glyphs::Unicode,
        ground: None,
    };
    let theme = Theme::of(&appearance::read(config, own), name, looks);
    theme.err().map(|problem| problem.to_string())
}

fn print(shown: &ResolvedSetting, args: &ConfigArgs) {
    let value = shown
        .value
        .as_ref()
        .map_or_else(|| "not set".to_owned(), ToString::to_string);
    if !args.explain {
        return output::line(&match args.key {
            Some(_) => value,
            None => format!("{:<28} {value}", shown.key),
        });
    }
    output::line(&format!("{:<28} {value}  ({})", shown.key, shown.origin));
    for (hidden, origin) in &shown.hidden {
        output::line(&format!("{:<28}   hides {hidden}  ({origin})", ""));
    }
    output::line(&format!("{:<28}   {}", "", without_links(shown.doc)));
    output::line(&format!("{:<28}   takes effect {}", "", shown.effect));
    if let Some(note) = shown.note {
        output::line(&format!("{:<28}   {note}", ""));
    }
}

/// Returns the text with the name of each linked document in place of its Markdown link.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let parts = link
            .split_once("](")
            .filter(|(name, _)| !name.contains([' ', ']']));
        let Some((name, tail)) = parts.and_then(|(name, place)| Some((name, place.split_once(')')?.1)))
        else {
            plain.push('[');
            rest = link;
            continue;
        };
        plain.push_str("docs/");
        plain.push_str(name);
        rest = tail;
    }
    plain + rest
}

/// Returns the problem with the settings for the work, after one of them was written.
fn faults_of(paths: &ProjectPaths, key: &str) -> Option<String> {
    let names = ["stages.", "roles.", "max_role_agents."];
    let config = paths.read_config();
    let mut found = Vec::new();
    if schema::BASE_BRANCH.covers(key) {
        let base = config.value(&schema::BASE_BRANCH);
        found.extend(base.and_then(|base| faults::base_branch(paths, &config, &base, RemoteDoubt::Counts)));
    } else if names.iter().any(|table| key.starts_with(table)) {
        let flows = session_setup::workflows(Some(paths)).ok()?;
        found = faults::written(paths, &config, &flows);
        if found.is_empty() {
            found = faults::programs(paths, &config);
        }
    }
    let own = found.iter().find(|fault| fault.text.contains(key));
    Some(own.or(found.first())?.text.clone())
}

/// Writes the value, or removes it, then lets a running server read its settings again.
fn change(env: &ProcessEnv, paths: ProjectPaths, key: &str, args: &ConfigArgs) -> CommandResult {
    let (value, json) = (args.value.as_deref(), args.json);
    if key == "theme"
        && let Some(value) = value
        && let Some(why) = theme_problem(&paths, &paths.read_config(), Some(value.trim()))
    {
        return Err(could_not(why));
    }
    paths.prepare()?;
    let places = &paths.sources.files;
    let write = || match value {
        Some(value) => set(places, key, value),
        None => unset(places, key),
    };
    // A value set by a person is trusted by that act; a value set by an agent waits for a person.
    let written = if env.is_agent() {
        write()?
    } else {
        let (written, trusted) = paths.trust.by_own_hand(key, value, write);
        let written = written?;
        trusted?;
        written
    };
    let fault = faults_of(&paths, key);
    let mut access = BoardAccess::open_project(paths)?;
    let note = match (access.call(ServerCall::Reload { by: env.author() })?, fault) {
        (Some(CallReply::Failed(why)), _) | (_, Some(why)) => Some(why),
        _ => {
            let meant = config::keys().find_map(|known| config::with_end(known, key));
            let earlier =
                meant.map(|meant| format!("{key} is of an earlier program; did you mean `{meant}`?"));
            let kept = written.note.map(|note| format!("{key} is kept: {note}"));
            kept.or(earlier)
        }
    };
    if json.json {
        output::json(&serde_json::json!({ "key": key, "file": written.file, "note": note }));
    } else {
        let done = match (value, written.was_set) {
            (Some(_), _) => "is set",
            (None, true) => "is not set any more",
            (None, false) => "was not set",
        };
        output::line(&format!("{key} {done} in {}", written.file.display()));
    }
    if let Some(why) = note {
        output::problem(&why);
    }
    Ok(ExitCode::SUCCESS)
}
