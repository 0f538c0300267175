//! Every figure with a target for the program, measured on the real binary in real terminals, beside tmux with the same work in the same
//! run where tmux can do it. `cargo bench --bench figures` prints one Markdown table for `docs/performance.md`; words after `--` choose
//! groups, `DBS_BENCH_QUICK=1` runs everything with small sizes. Must not be run on a busy machine, and kills only processes that it
//! started.
#![cfg_attr(unix, expect(clippy::print_stdout, reason = "the table is what it is for"))]
#![cfg_attr(
    unix,
    expect(clippy::print_stderr, reason = "prints the progress beside the table")
)]

#[cfg(unix)]
#[path = "figures/agents.rs"]
mod agents;
#[cfg(unix)]
#[path = "figures/boards.rs"]
mod boards;
#[cfg(unix)]
#[path = "figures/dbs.rs"]
mod dbs;
#[cfg(unix)]
#[path = "figures/frames.rs"]
mod frames;
#[cfg(unix)]
#[path = "figures/load.rs"]
mod load;
#[cfg(unix)]
#[path = "figures/outer.rs"]
mod outer;
#[cfg(unix)]
#[path = "figures/panes.rs"]
mod panes;
#[cfg(unix)]
#[path = "figures/processes.rs"]
mod processes;
#[cfg(unix)]
#[path = "figures/states.rs"]
mod states;
#[cfg(unix)]
#[path = "figures/table.rs"]
mod table;
#[cfg(unix)]
#[path = "figures/tasks.rs"]
mod tasks;
#[cfg(unix)]
#[path = "figures/tmux.rs"]
mod tmux;
#[cfg(unix)]
#[path = "figures/worktrees.rs"]
mod worktrees;

/// The name of a group of figures and the function that measures it.
#[cfg(unix)]
type Group = (&'static str, fn(&mut table::Table));

/// The group that needs registries, and is therefore measured only if it is named.
#[cfg(unix)]
const PROJECTS: &str = "projects";

#[cfg(unix)]
fn main() {
    use table::{Sizes, Table};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((load::PLAY, rest)) = arguments
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        return load::play(rest);
    }
    let wanted: Vec<String> = arguments
        .into_iter()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let sizes = Sizes::chosen();
    let mut table = Table::new(sizes, tmux::version());
    let groups: [Group; 15] = [
        ("text", panes::throughput),
        ("echo", panes::echo),
        ("flood", panes::beside_agents),
        ("start", agents::starts),
        ("agents", agents::twenty),
        ("load", load::animated),
        ("state", states::states),
        ("kill", agents::killed),
        ("signal", boards::signal_to_spawn),
        ("board", boards::ten_thousand),
        ("keys", boards::keys),
        ("frames", frames::frames),
        ("batch", boards::batch),
        ("worktrees", worktrees::large),
        (PROJECTS, worktrees::projects),
    ];
    for (name, measure) in groups {
        let is_usual = wanted.is_empty() && name != PROJECTS;
        if is_usual || wanted.iter().any(|word| word == name) {
            eprintln!("figures: {name}");
            measure(&mut table);
        }
    }
    println!("\n{table}");
}

#[cfg(not(unix))]
fn main() {}
