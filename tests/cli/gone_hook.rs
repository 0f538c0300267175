//! A hook whose tool is gone.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "starts a shell in place of a tool")]

use std::cell::OnceCell;
use std::io::{BufRead as _, BufReader};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Child, Stdio};

use dbs::adapters::holder::process::ProcessIdentity;
use dbs::domain::Tri;

use crate::shop::Shop;

/// A hook that asks at `socket`, and the tool that called it: a shell that ends with its standard input.
fn asking_hook(shop: &Shop, socket: &Path) -> (Child, ProcessIdentity) {
    let event = shop.git.root().join("event.json");
    let asked = r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    std::fs::write(&event, asked).unwrap();
    let hook = format!(
        "{} hook < {} > /dev/null 2>&1 & echo $!; read gone",
        env!("CARGO_BIN_EXE_dbs"),
        event.display()
    );
    let mut tool = std::process::Command::new("sh");
    tool.args(["-c", &hook])
        .env("DBS_ATTEMPT", "1")
        .env("DBS_TOKEN", "t")
        .env("DBS_SOCKET", socket);
    let mut tool = tool.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pid = String::new();
    BufReader::new(tool.stdout.take().unwrap())
        .read_line(&mut pid)
        .unwrap();
    let hook = ProcessIdentity::of(pid.trim().parse().unwrap());
    (tool, hook.unwrap())
}

#[test]
fn a_hook_whose_tool_is_gone_waits_no_longer_for_a_server() {
    let shop = Shop::new();
    for stays in [false, true] {
        let socket = shop.git.root().join(format!("s{stays}"));
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        let (mut tool, hook) = asking_hook(&shop, &socket);
        let connection = OnceCell::new();
        shop.wait_for("its first call", || {
            listener
                .accept()
                .is_ok_and(|(call, _)| connection.set(call).is_ok())
        });
        // The server is gone, or it stays and never answers.
        let silent = connection.into_inner().filter(|_| stays);
        drop(listener);
        assert_eq!(hook.is_alive(), Tri::Yes);
        drop(tool.stdin.take());
        tool.wait().unwrap();
        shop.wait_for("the end of the hook", || hook.is_alive() != Tri::Yes);
        drop(silent);
    }
}
