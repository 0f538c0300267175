//! The screen through its public interface: drawing, the effect of keys and clicks, and impossible states.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a fixture that cannot be built is a failed test, and the text says which part"
)]

#[path = "ui/acts.rs"]
mod acts;
#[path = "ui/alerts.rs"]
mod alerts;
#[path = "ui/answering.rs"]
mod answering;
#[path = "ui/appearance.rs"]
mod appearance;
#[path = "ui/breaking.rs"]
mod breaking;
#[path = "ui/cache_entries.rs"]
mod cache_entries;
#[path = "ui/cards.rs"]
mod cards;
#[path = "ui/differences.rs"]
mod differences;
#[path = "ui/docs.rs"]
mod docs;
#[path = "ui/finding.rs"]
mod finding;
#[path = "ui/fixture.rs"]
mod fixture;
#[path = "ui/flowchart.rs"]
mod flowchart;
#[expect(dead_code, reason = "a fixture for other tests, too")]
#[path = "support/git_fixture.rs"]
mod git_fixture;
#[path = "ui/golden.rs"]
mod golden;
#[path = "ui/inbox.rs"]
mod inbox;
#[path = "ui/key_reference.rs"]
mod key_reference;
#[path = "ui/keymap.rs"]
mod keymap;
#[path = "ui/keys.rs"]
mod keys;
#[path = "ui/last_output.rs"]
mod last_output;
#[path = "ui/links.rs"]
mod links;
#[path = "ui/lists.rs"]
mod lists;
#[path = "ui/live_activity.rs"]
mod live_activity;
#[path = "ui/live_screen.rs"]
mod live_screen;
#[path = "ui/machine.rs"]
mod machine;
#[path = "ui/main_tab.rs"]
mod main_tab;
#[path = "ui/mouse.rs"]
mod mouse;
#[path = "ui/never.rs"]
mod never;
#[path = "ui/output_search.rs"]
mod output_search;
#[path = "ui/palette.rs"]
mod palette;
#[path = "ui/parts.rs"]
mod parts;
#[path = "ui/picture.rs"]
mod picture;
#[path = "ui/plain.rs"]
mod plain;
#[path = "ui/plan_details.rs"]
mod plan_details;
#[path = "ui/plan_table.rs"]
mod plan_table;
#[path = "ui/screens.rs"]
mod screens;
#[path = "ui/small.rs"]
mod small;
#[path = "ui/snapshots.rs"]
mod snapshots;
#[path = "ui/states.rs"]
mod states;
#[path = "ui/trust.rs"]
mod trust;
#[path = "ui/verbs.rs"]
mod verbs;
#[path = "ui/wide.rs"]
mod wide;
#[path = "ui/words.rs"]
mod words;
