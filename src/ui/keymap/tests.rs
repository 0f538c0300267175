//! Key files: what they may say, and what they are told otherwise.

use super::*;

fn problem(own: &str) -> String {
    Keymap::with(own).expect_err("refused").to_string()
}

#[test]
fn an_own_file_changes_the_actions_it_names_and_no_others() {
    let map = Keymap::with("prefix = 'C-a'\n[nav]\napprove = ['y']\ncopy = ['Y']").expect("keys");
    assert_eq!(map.prefix().to_string(), "C-a");
    let key = |text: &str| text.parse::<Chord>().expect("key");
    assert_eq!(map.lookup(Place::Nav, key("y")), Some(Action::Approve));
    assert_eq!(map.lookup(Place::Nav, key("a")), None);
    assert_eq!(map.lookup(Place::Nav, key("r")), Some(Action::Retry));
}

#[test]
fn two_meanings_of_one_key_are_refused_by_name() {
    assert_eq!(
        problem("[nav]\napprove = ['r']"),
        "bind `r` twice: to retry and to approve; give one of them another key"
    );
    assert_eq!(
        problem("[nav]\napprove = ['C-b']"),
        "bind `C-b` twice: to approve and to the prefix; give one of them another key"
    );
}

#[test]
fn a_mode_is_never_left_without_a_way_out() {
    assert_eq!(
        problem("[nav]\nback = []"),
        "leave nav.back without a key: it is needed to get out of a mode"
    );
    assert!(problem("[prefixed]\nlook = []").contains("prefixed.look"));
}

#[test]
fn unknown_actions_and_keys_are_named() {
    assert!(problem("[nav]\nfly = ['f']").starts_with("bind `fly`: there is no such action"));
    assert!(problem("[nav]\napprove = ['C-']").contains("`C-` is no key"));
    assert!(problem("[nav]\napprove = ['Entr']").contains("`Entr` is no key"));
}
