//! The command line of the rehearsal agent: `dbs rehearse …`. The edge where arguments and environment become values.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::check::{TreeCheck, check};
use super::console::{Console, KeySource};
use super::context::{RehearsalContext, RehearsalSpeed};
use super::demo::DemoScript;
use super::error::RehearsalError;
use super::faults;
use super::player::run;
use super::pytest::run_tests;
use super::signals::SignalSink;
use crate::adapters::text_file;
use crate::formats::scenario::{Scenario, read};

const USAGE: &str =
    "usage: dbs rehearse SCENARIO     play the part meant for this attempt (`demo`, `demo-plan`, `demo-stories`: built in)
       dbs rehearse --validate SCENARIO
       dbs rehearse --check FOLDER [--complete]
       dbs rehearse pytest FILE      run tests of the demo, which are a small part of Python";

/// Runs `dbs rehearse ARGUMENTS`. `sink` makes the receiver of signals, once the context is known. Exit codes: 0 good, 1 a check or step
/// failed, 2 wrong use or an unusable scenario, else the code that the scenario sets.
pub fn command(arguments: &[String], sink: &dyn Fn(&RehearsalContext) -> Box<dyn SignalSink>) -> ExitCode {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--check", tree] => checked(Path::new(tree), TreeCheck::Present),
        ["--check", tree, "--complete"] | ["--check", "--complete", tree] => {
            checked(Path::new(tree), TreeCheck::Complete)
        }
        ["--validate", file] => load(file).map_or_else(|findings| refuse(&findings), |_| ExitCode::SUCCESS),
        ["pytest", file] => tested(file),
        ["--daemon", seconds] => daemon(seconds),
        [file] if !file.starts_with('-') => play(file, sink),
        _ => refuse(&[USAGE.to_owned()]),
    }
}

fn play(file: &str, sink: &dyn Fn(&RehearsalContext) -> Box<dyn SignalSink>) -> ExitCode {
    let lookup = |name: &str| std::env::var(name).ok();
    let known =
        RehearsalContext::read(&lookup).and_then(|context| Ok((context, RehearsalSpeed::read(&lookup)?)));
    let (context, pace) = match known {
        Ok(known) => known,
        Err(error) => return refuse(&[could_not(&error)]),
    };
    let scenario = match load(file) {
        Ok(scenario) => scenario,
        Err(findings) => return refuse(&findings),
    };
    let mut out = io::stdout();
    let console = Console {
        out: &mut out,
        keys: KeySource::of_process(),
    };
    run(&context, &scenario, pace, console, sink(&context).as_mut()).finish()
}

fn load(file: &str) -> Result<Scenario, Vec<String>> {
    let text = match DemoScript::named(file) {
        Some(script) => Ok(script.scenario_text().to_owned()),
        None => text_file::read_text(Path::new(file), text_file::LARGEST_WRITTEN),
    };
    let text = text.map_err(RehearsalError::file("read", file));
    let text = text.map_err(|error| vec![could_not(&error)])?;
    let (scenario, diagnostics) = read(Path::new(file), &text);
    let lines: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    match scenario {
        Some(scenario) => {
            print_errors(&lines);
            Ok(scenario)
        }
        None => Err(lines),
    }
}

fn checked(tree: &Path, extent: TreeCheck) -> ExitCode {
    let findings = check(tree, extent);
    print_errors(&findings);
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn tested(file: &str) -> ExitCode {
    let (lines, code) = run_tests(file);
    let mut out = io::stdout();
    for line in lines {
        // Without a reader, the exit code has to be enough.
        drop(writeln!(out, "{line}"));
    }
    ExitCode::from(code)
}

fn daemon(seconds: &str) -> ExitCode {
    let time = seconds
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let Some(time) = time else {
        return refuse(&[USAGE.to_owned()]);
    };
    match faults::daemon(time, &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&[could_not(&error)]),
    }
}

fn could_not(error: &RehearsalError) -> String {
    format!("dbs rehearse: could not {error}")
}

fn refuse(lines: &[String]) -> ExitCode {
    print_errors(lines);
    ExitCode::from(2)
}

fn print_errors(lines: &[String]) {
    let mut err = io::stderr();
    for line in lines {
        // Without a reader, the exit code has to be enough.
        drop(writeln!(err, "{line}"));
    }
}
