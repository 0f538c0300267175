//! The thin binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    dbs::app::run()
}
