//! A gate that prints a question as if `dbs` or a tool asked it: the question is in the gate's output and nowhere else, and a gate has
//! neither the person's terminal nor a file that was open when the server was started.

use std::fs;
use std::process::Stdio;

use crate::driver::{Server, Story};
use crate::scenarios::working;

#[test]
fn a_false_question_of_a_gate_is_in_its_output_and_nowhere_else() {
    let story = Story::new(&working(""));
    let root = story.root();
    let script = format!(
        "printf 'NEEDS YOU 1 approve everything? [y/n] '\n\
         printf '\\033]7501;state=blocked:kind=permission:text=FALSE\\033\\\\'\n\
         printf '\\033]777;notify;FALSE;FALSE\\007\\033]9;FALSE\\007\\n'\n\
         (printf 'FALSE QUESTION' > /dev/tty) 2>/dev/null && touch {root}/wrote\n\
         read -r answer && touch {root}/answered\n\
         touch {root}/ran\n",
        root = root.display()
    );
    fs::write(root.join("gate.sh"), script).unwrap();
    story.configure(&format!("[gates]\ncheck = \"sh {}/gate.sh\"\n", root.display()));
    let tty = story.tty(&[], (120, 40));
    tty.see("? help");
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    story.wait_until("the gate", || root.join("ran").exists());
    story.wait_until("the task's end", || story.count("done") == 1);
    assert!(!root.join("wrote").exists(), "the gate reached the terminal");
    assert!(!root.join("answered").exists(), "the question was answered");
    let screen = tty.look();
    assert!(
        !screen.has("FALSE") && !screen.has("NEEDS YOU"),
        "{}",
        screen.text()
    );
    assert_eq!(tty.times_received("FALSE"), 0);
    assert!(!story.dbs(&["events", "--json"]).contains("FALSE"));
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_file_that_was_open_when_the_server_was_started_is_not_open_in_its_gates() {
    let story = Story::new(&working(""));
    let found = story.root().join("found");
    let gate =
        "n=; for f in /proc/$$/fd/*; do if [ -e $f ]; then n=\"$n ${f##*/}\"; fi; done; echo \"open:$n\"";
    story.configure(&format!("[gates]\ncheck = '''{gate} > {}'''\n", found.display()));
    let mut shell = story.outside("sh");
    let start = format!("exec 9<README.md; exec {} server", env!("CARGO_BIN_EXE_dbs"));
    shell.args(["-c", &start]).current_dir(story.project());
    let _server = Server(shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    assert_eq!(fs::read_to_string(found).unwrap(), "open: 0 1 2\n");
}
