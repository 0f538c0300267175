//! Stories of a list of work: its items become tasks, and are closed in it once the person asks for that.

use std::fs;

use crate::driver::Story;
use crate::scenarios::working;

const FIRST: &str =
    "{\"id\":\"app-1\",\"title\":\"One\",\"status\":\"open\", \"issue_type\":\"task\",\"other\":[1,  2]}\n";
const SECOND: &str = "{\"id\":\"app-2\" ,\"title\":\"Two\",\"status\":\"open\",\"issue_type\":\"task\"}\n";

#[test]
fn an_issue_is_closed_in_its_store_once_its_task_is_done_and_the_person_asked_for_that() {
    let story = Story::new(&working(""));
    let file = story.project().join(".beads/issues.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = format!("{FIRST}{SECOND}");
    fs::write(&file, &text).unwrap();
    story.dbs(&["import", "--yes"]);
    let server = story.server();
    story.dbs(&["task", "release", "app-1"]);
    story.wait_until("the first task is done", || story.count("done") == 1);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        text,
        "nothing is written before the person asks for it"
    );
    story.dbs(&["config", "import.write_back", "true"]);
    story.dbs(&["task", "park", "app-2", "later"]);
    story.wait_until("the first issue is closed", || {
        fs::read_to_string(&file).unwrap() != text
    });
    let written = fs::read_to_string(&file).unwrap();
    let (first, rest) = written.split_once('\n').unwrap();
    assert_eq!(
        rest, SECOND,
        "an issue whose task is not done stays byte for byte"
    );
    let begin = "{\"id\":\"app-1\",\"title\":\"One\",\"status\":\"closed\", \"issue_type\":\"task\",\"other\":[1,  2],\"updated_at\":\"";
    assert!(
        first.starts_with(begin) && first.contains("\"closed_at\":\""),
        "{first}"
    );
    drop(server);
    story.dbs(&["stop", "--all"]);
}
