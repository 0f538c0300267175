//! `dbs man`: manual pages of all commands, from the command line as it is.

use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;

use crate::cli::commands::command_line::command;
use crate::cli::commands::prelude::*;

/// Print the manual page of dbs, or write all pages to a folder
///
/// Each command has a page, such as `man dbs-task-create`.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs man ~/.local/share/man/man1\ndbs man >dbs.1"))]
pub struct ManArgs {
    /// Folder for the pages of all commands
    folder: Option<PathBuf>,
}

impl RunCommand for ManArgs {
    /// Prints the page of the program, or writes all pages into a folder, which is made if need be.
    fn run(self, _env: &ProcessEnv) -> CommandResult {
        let pages = pages().map_err(failed("could not write the manual"))?;
        let Some(folder) = &self.folder else {
            if let Some((_, page)) = pages.first() {
                output::bytes(page);
            }
            return Ok(ExitCode::SUCCESS);
        };
        std::fs::create_dir_all(folder).map_err(failed(format!("could not make {}", folder.display())))?;
        for (name, page) in &pages {
            let file = folder.join(name);
            std::fs::write(&file, page).map_err(failed(format!("could not write {}", file.display())))?;
        }
        output::line(&format!(
            "{} pages are in {}; read one with `man -l {}`",
            pages.len(),
            folder.display(),
            folder.join("dbs.1").display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the pages, that of the program first, each with the name of its file.
fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut all = command();
    all.build();
    let mut pages = Vec::new();
    page(&all, "dbs", &mut pages)?;
    Ok(pages)
}

fn page(command: &Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let titled = command.clone().name(name.to_owned());
    let mut text = Vec::new();
    Man::new(titled).render(&mut text)?;
    pages.push((format!("{name}.1"), text));
    for verb in command.get_subcommands() {
        if !verb.is_hide_set() {
            page(verb, &format!("{name}-{}", verb.get_name()), pages)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verbs(command: &Command, name: &str, found: &mut Vec<String>) {
        found.push(format!("{name}.1"));
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            verbs(verb, &format!("{name}-{}", verb.get_name()), found);
        }
    }

    #[test]
    fn every_command_has_a_page_that_says_what_it_does_and_shows_examples() {
        let pages = pages().unwrap();
        let mut wanted = Vec::new();
        verbs(&command(), "dbs", &mut wanted);
        let names: Vec<&String> = pages.iter().map(|(name, _)| name).collect();
        assert_eq!(names, wanted.iter().collect::<Vec<_>>());
        for (name, page) in &pages {
            let text = String::from_utf8(page.clone()).unwrap();
            let own = name.trim_end_matches(".1").replace('-', "\\-");
            for part in [".TH", ".SH NAME", ".SH SYNOPSIS", own.as_str()] {
                assert!(text.contains(part), "{name} lacks {part}: {text}");
            }
            let is_group = [
                "dbs-atdd.1",
                "dbs-batch.1",
                "dbs-plan.1",
                "dbs-task.1",
                "dbs-workflow.1",
            ]
            .contains(&name.as_str());
            assert!(is_group || text.contains("Examples:"), "{name}: {text}");
        }
    }
}
