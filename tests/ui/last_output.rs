//! The last output of agents, as a card shows it: recordings of real agents, at every moment at which it changed.

use std::fmt::Write as _;
use std::path::PathBuf;

use dbs::term::{EmulatorKind, Size, Terminal};
use dbs::ui::{LiveScreen, ScreenRead};

/// Every last output of an agent, one after the other.
fn last_outputs(name: &str) -> Vec<String> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
        .iter()
        .collect();
    let content = std::fs::read_to_string(path).expect("a recording");
    let mut lines = content
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let header = lines.next().expect("a header");
    let side = |key: &str| u16::try_from(header[key].as_u64().expect("a size")).expect("a size");
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(side("width"), side("height")), 1000);
    let mut outputs: Vec<String> = Vec::new();
    for event in lines {
        let content = event[2].as_str().expect("text");
        match event[1].as_str() {
            Some("o") => drop(terminal.feed(0, content.as_bytes())),
            Some("r") => {
                let (columns, rows) = content.split_once('x').expect("a size");
                drop(terminal.resize(Size::new(
                    columns.parse().expect("columns"),
                    rows.parse().expect("rows"),
                )));
            }
            _ => continue,
        }
        if !terminal.presentable(0) {
            continue;
        }
        let last = LiveScreen::new(&mut terminal, true).last_line();
        if outputs.last() != Some(&last) {
            outputs.push(last);
        }
    }
    outputs
}

#[test]
fn the_last_output_of_real_agents_is_never_their_prompt_or_what_stands_below_it() {
    let mut all = String::new();
    for name in [
        "permission_prompt_osc7501",
        "inline_renderer_permission_resize",
        "subagent_and_question_osc7501",
        "no_query_replies_title_only",
        "trust_dialog",
        "tui_approval",
        "tui_action_required",
    ] {
        writeln!(
            all,
            "{name}\n  {}",
            last_outputs(&format!("{name}.cast")).join("\n  ")
        )
        .expect("writing to a string cannot fail");
    }
    insta::assert_snapshot!("said", all);
}
