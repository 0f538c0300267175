//! Says which real agents and which other programs the tests can run, so that the tests of the others are ignored.
//!
//! Links the program of a development build at a fixed address. At any other the loader adjusts about 180,000 places at each start,
//! two fifths of the time of a short command, and tests start thousands. What is released is linked as the compiler does by itself.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script about the build by its environment alone"
)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|found| found == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bin=dbs=-no-pie");
    }
    find_agents();
    find_programs();
}

/// Sets `has_gpg`, `has_ssh_keygen` and `has_git_lfs` where these programs are on `PATH`. One that is installed later is found when this
/// script changes, or by a build from the start.
fn find_programs() {
    println!("cargo::rustc-check-cfg=cfg(has_gpg, has_ssh_keygen, has_git_lfs)");
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in ["gpg", "ssh-keygen", "git-lfs"] {
        if std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            println!("cargo::rustc-cfg=has_{}", program.replace('-', "_"));
        }
    }
}

/// Sets `has_claude`, `has_codex` and `has_opencode` where these programs are in the folder that `DBS_AGENT_TOOLS` names.
fn find_agents() {
    println!("cargo::rerun-if-env-changed=DBS_AGENT_TOOLS");
    println!("cargo::rustc-check-cfg=cfg(has_claude, has_codex, has_opencode)");
    let Some(folder) = std::env::var_os("DBS_AGENT_TOOLS").filter(|folder| !folder.is_empty()) else {
        return;
    };
    for tool in ["claude", "codex", "opencode"] {
        let program = std::path::Path::new(&folder).join(tool);
        println!("cargo::rerun-if-changed={}", program.display());
        if program.is_file() {
            println!("cargo::rustc-cfg=has_{tool}");
        }
    }
}
