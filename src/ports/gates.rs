//! Gates as the engine sees them: a trusted command in, an exit code and an output file out. Nothing here runs one.

mod run;

pub use run::{GateExit, GateReport, GateRun, Gates};
