//! The demo without a screen.

use crate::driver::{Story, said};

#[test]
fn the_demo_ends_well_and_says_so_in_json() {
    let story = Story::new("");
    let output = story.run(&["demo", "--headless", "--json", "--speed", "20"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let summary = lines.last().unwrap();
    assert_eq!(summary["exit"], 0);
    assert_eq!(summary["done"], summary["tasks"]);
    assert_eq!(summary["differences"], serde_json::json!([]));
    assert!(lines.len() > 20, "every event has a line");
}

#[test]
fn a_demo_is_kept_where_asked_and_never_over_something_else() {
    let story = Story::new("");
    let kept = story.root().join("kept");
    let place = kept.to_str().unwrap();
    let output = story.run(&["demo", "--headless", "--speed", "20", "--keep", place]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("origin holds exactly the expected tree"), "{text}");
    let origin = kept.join("origin.git");
    let cover = story.git(&origin, &["show", "feature/demo:cover.toml"]);
    assert!(
        cover.contains("motto = \"Tie it right, check it twice\""),
        "{cover}"
    );
    let again = story.run(&["demo", "--headless", "--keep", place]);
    assert!(!again.status.success());
    assert!(said(&again).contains("it is not empty"), "{}", said(&again));
}
