//! Key files: their allowed content, and the errors for everything else.

use dbs::keymap::{Action, Chord, KeyTable, Keymap, entries};

fn problem(own: &str) -> String {
    Keymap::with_overrides(own).expect_err("refused").to_string()
}

#[test]
fn an_own_file_changes_the_actions_it_names_and_no_others() {
    let map = Keymap::with_overrides("prefix = 'C-a'\n[nav]\napprove = ['y']\ncopy = ['Y']").expect("keys");
    assert_eq!(map.prefix().to_string(), "C-a");
    let key = |text: &str| text.parse::<Chord>().expect("key");
    assert_eq!(map.lookup(KeyTable::Nav, key("y")), Some(Action::Approve));
    assert_eq!(map.lookup(KeyTable::Nav, key("a")), None);
    assert_eq!(map.lookup(KeyTable::Nav, key("r")), Some(Action::Retry));
}

#[test]
fn two_meanings_of_one_key_are_refused_by_name() {
    assert_eq!(
        problem("[nav]\napprove = ['r']"),
        "bind `r` twice in nav: to retry and to approve; give one of them another key"
    );
    assert_eq!(
        problem("[nav]\napprove = ['C-b']"),
        "bind `C-b` twice in nav: to approve and to the prefix; give one of them another key"
    );
}

#[test]
fn a_mode_is_never_left_without_a_way_out() {
    assert_eq!(
        problem("[nav]\nback = []"),
        "leave nav.back without a key: it is needed to get out of a mode"
    );
    assert!(problem("[prefixed]\nlook = []").contains("prefixed.look"));
    assert!(problem("[nav]\nleave = []").contains("nav.leave"));
    assert!(problem("[copy]\nback = []").contains("copy.back"));
    assert_eq!(
        problem("[found]\nnext_match = ['Esc']"),
        "bind `Esc` to next_match in found: in a filtered list it is needed to get out; give it another key"
    );
}

#[test]
fn unknown_actions_and_keys_are_named() {
    assert!(problem("[nav]\nfly = ['f']").starts_with("bind `fly`: there is no such action"));
    assert!(problem("[nav]\napprove = ['C-']").contains("`C-` is not a key"));
    assert!(problem("[nav]\napprove = ['Entr']").contains("`Entr` is not a key"));
}

#[test]
fn every_preset_is_without_contradiction_and_leaves_every_action_a_key() {
    for name in ["default", "tmux", "vim", "emacs"] {
        let map = Keymap::with_overrides(&format!("preset = '{name}'"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for entry in entries() {
            let keys = KeyTable::ALL.map(|place| map.keys(place, entry.action).len());
            assert!(keys.iter().any(|many| *many > 0), "{name}: {}", entry.name);
        }
    }
    assert!(problem("preset = 'nano'").contains("there are default, tmux, vim and emacs"));
}

#[test]
fn an_own_key_wins_over_a_preset() {
    let map = Keymap::with_overrides("preset = 'vim'\n[prefixed]\nclose_pane = ['k']\nfocus_up = []")
        .expect("keys");
    assert_eq!(
        map.lookup(KeyTable::Prefixed, "k".parse().expect("key")),
        Some(Action::ClosePane)
    );
    assert_eq!(map.lookup(KeyTable::Nav, "Up".parse().expect("key")), None);
}

#[test]
fn a_prefix_that_prompts_or_programs_need_is_refused() {
    for prefix in ["Esc", "Enter", "b", "Space", "C-c"] {
        assert!(
            problem(&format!("prefix = '{prefix}'")).starts_with("use `"),
            "{prefix}"
        );
    }
    assert!(Keymap::with_overrides("prefix = 'F12'").is_ok());
}

#[test]
fn a_prefix_that_old_terminals_send_as_another_key_is_refused() {
    for prefix in [
        "C-i",
        "C-m",
        "C-[",
        "C-Enter",
        "C-Tab",
        "S-Tab",
        "A-Tab",
        "A-Esc",
        "C-Backspace",
        "C-1",
        "C-;",
        "A-[",
        "A-O",
        "A-ü",
        "C-ü",
    ] {
        let error = problem(&format!("prefix = '{prefix}'"));
        assert!(error.starts_with("use `"), "{prefix}: {error}");
    }
    for prefix in [
        "C-a", "C-b", "C-Space", "C-\\", "C-]", "C-^", "C-_", "A-a", "A-Enter", "C-Up", "S-F1", "C-A-x",
    ] {
        let map = Keymap::with_overrides(&format!("prefix = '{prefix}'\n[nav]\n[copy]\n"));
        let error = map.err().map(|error| error.to_string());
        assert!(
            !error.as_ref().is_some_and(|text| text.starts_with("use `")),
            "{error:?}"
        );
    }
}
