//! Processes below a server, a gate or an agent: they never count as a person, however they were started, and a server that an agent puts
//! in the place of the real one is not used.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use dbs::protocol::wire::{FromServer, Hello, PROTOCOL, encode_message};

use crate::driver::{Story, said};
use crate::scenarios::working;
use crate::script::write_script;

/// Script of a process without a parent and an environment: once it has lost its starter it acts as a person, and again when it is told to.
const ACTING: &str = r#"
orphaned() {
    parent=$(cut -d' ' -f4 /proc/$$/stat)
    [ "$parent" = 1 ] || tr '\0' ' ' <"/proc/$parent/cmdline" | grep -q ' keep '
}
try() {
    { "$PROGRAM" task create Smuggled --release; "$PROGRAM" config gates.extra true; } >>"$OUT/said" 2>&1
    echo $$ >"$OUT/$1.part" && mv "$OUT/$1.part" "$OUT/$1"
}
tries=0
until orphaned || [ $tries = 100 ]; do sleep 0.05; tries=$((tries + 1)); done
cd "$OUT/project" && try acted
until [ -e "$OUT/again" ]; do sleep 0.05; done
try acted-again
until [ -e "$OUT/end" ]; do sleep 0.05; done
"#;

/// Writes the script; returns a shell line that starts it and waits until it has acted.
fn acting(story: &Story) -> String {
    let (root, script) = (story.root(), story.root().join("act.sh"));
    let own = |name: &str| root.join(name).display().to_string();
    write_script(&script, ACTING);
    let environment = format!(
        "PATH=\"$PATH\" OUT='{}' PROGRAM='{}' HOME='{}' XDG_RUNTIME_DIR='{}'",
        root.display(),
        env!("CARGO_BIN_EXE_dbs"),
        own("home"),
        own("run"),
    );
    // The gates of the merge run this line again.
    format!(
        "[ -e '{0}' ] && exit 0\n(setsid env -i {environment} setsid sh '{1}' </dev/null >/dev/null 2>&1 &)\n\
         until [ -e '{0}' ]; do sleep 0.05; done",
        own("acted"),
        script.display(),
    )
}

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).join("cmdline").exists()
        && !fs::read(Path::new("/proc").join(pid.trim()).join("cmdline"))
            .unwrap_or_default()
            .is_empty()
}

/// Asserts that everything that was tried was refused in words and had no effect.
fn assert_refused(story: &Story, tries: usize) {
    let said = fs::read_to_string(story.root().join("said")).unwrap();
    assert_eq!(said.matches("is for persons").count(), tries, "{said}");
    assert!(!story.dbs(&["task", "list"]).contains("Smuggled"), "{said}");
    let settings = fs::read_to_string(story.project().join(".debussy/config.toml")).unwrap();
    assert!(!settings.contains("extra"), "{settings}");
}

#[test]
fn what_a_gate_leaves_without_a_parent_is_no_person_and_ends_with_its_gate() {
    let story = Story::new(&working(""));
    let gate = story.root().join("gate.sh");
    write_script(&gate, acting(&story));
    story.configure(&format!("[gates]\ncheck = \"sh {}\"\n", gate.display()));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    assert_refused(&story, 2);
    let pid = fs::read_to_string(story.root().join("acted")).unwrap();
    assert!(!is_alive(&pid), "{pid} lives on");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn what_a_gate_leaves_ends_with_a_server_that_is_killed() {
    let story = Story::new(&working(""));
    let gate = story.root().join("gate.sh");
    write_script(&gate, format!("{}\nsleep 600\n", acting(&story)));
    story.configure(&format!("[gates]\ncheck = \"sh {}\"\n", gate.display()));
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    let acted = story.root().join("acted");
    story.wait_until("the gate's process", || acted.exists());
    let pid = fs::read_to_string(acted).unwrap();
    assert!(is_alive(&pid));
    server.kill();
    story.wait_until("its end", || !is_alive(&pid));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_hook_of_a_remote_on_this_machine_is_no_person_nor_is_what_it_leaves() {
    // Only the engine pushes.
    let story = Story::new(&working("").replace("  { push = \"origin\" },\n", ""));
    let hook = story.origin().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let text = format!(
        "#!/bin/sh\nunset $(git rev-parse --local-env-vars)\n\
         [ -e '{0}/acted' ] && exit 0\n\
         (cd '{0}/project' && '{1}' task create Smuggled --release) >>'{0}/said' 2>&1\n{2}\n",
        story.root().display(),
        env!("CARGO_BIN_EXE_dbs"),
        acting(&story),
    );
    write_script(&hook, text);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    assert_refused(&story, 3);
    let pid = fs::read_to_string(story.root().join("acted")).unwrap();
    assert!(is_alive(&pid), "a process that the hook leaves is not ended");
    fs::write(story.root().join("again"), "").unwrap();
    story.wait_until("its second try", || story.root().join("acted-again").exists());
    assert_refused(&story, 5);
    fs::write(story.root().join("end"), "").unwrap();
    story.wait_until("its end", || !is_alive(&pid));
    story.dbs(&["stop", "--all"]);
}

/// Test that plays both parts: run again below an agent, it takes the place of the server and greets every client.
#[test]
fn a_server_that_an_agent_has_put_in_the_place_of_a_persons_is_refused_by_name() {
    #[expect(clippy::disallowed_methods, reason = "says which part to play")]
    if let Some(socket) = std::env::var_os("DBS_STORY_SOCKET") {
        return serve_falsely(&PathBuf::from(socket));
    }
    let story = Story::new("");
    let script = story.root().join("agent.sh");
    let test = "below::a_server_that_an_agent_has_put_in_the_place_of_a_persons_is_refused_by_name";
    let agent = format!(
        "#!/bin/sh\nmv \"$DBS_SOCKET\" \"$DBS_SOCKET.moved\"\n\
         DBS_STORY_SOCKET=\"$DBS_SOCKET\" '{}' {test} --exact --nocapture\n\
         while :; do sleep 1; done\n",
        std::env::current_exe().unwrap().display(),
    );
    write_script(&script, agent);
    story.configure(&format!(
        "[roles.developer]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        script.display()
    ));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    let false_server = || {
        let runtime = fs::read_dir(story.root().join("run/dbs")).unwrap();
        runtime
            .map(|entry| entry.unwrap().path())
            .find(|path| path.extension().is_some_and(|end| end == "listens"))
    };
    story.wait_until("the false server", || false_server().is_some());
    for command in [&["board"][..], &["attach", "--plain"], &["task", "create", "Two"]] {
        let refused = said(&story.run(command));
        assert!(
            refused.contains("could not use the server at")
                && refused.contains("the agent of attempt 1 has started it"),
            "{command:?}: {refused}"
        );
    }
    // The person moves the true socket back.
    let listens = false_server().unwrap();
    let socket = listens.with_extension("sock");
    fs::write(listens.with_extension("leave"), "").unwrap();
    story.wait_until("the true server", || {
        fs::rename(socket.with_extension("sock.moved"), &socket).ok();
        story.is_live()
    });
    story.dbs(&["stop", "--all"]);
}

fn serve_falsely(socket: &Path) {
    let listener = UnixListener::bind(socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    fs::write(socket.with_extension("listens"), "").unwrap();
    let hello = FromServer::Hello(Hello {
        protocol: PROTOCOL,
        program: "false".to_owned(),
    });
    let hello = encode_message(&hello).unwrap();
    let mut held = Vec::new();
    while !socket.with_extension("leave").exists() {
        if let Ok((mut stream, _)) = listener.accept() {
            let length = u32::try_from(hello.len()).unwrap().to_be_bytes();
            // A client leaves once it has seen what this is.
            stream
                .write_all(&length)
                .and_then(|()| stream.write_all(&hello))
                .ok();
            held.push(stream);
        }
        Story::let_pass(20);
    }
}
