//! Next steps of a person after a demo, in a repository of their own: shown when all is done, and printed after they have left.

/// Demo that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NextSteps {
    #[default]
    Tasks,
    Plan,
    Stories,
}

/// The line above the commands.
pub const NEXT_STEPS: &str = "Next, in a repository of your own:";

const INIT: (&str, &str) = ("dbs init", "makes it a project");
const AGENT: (&str, &str) = ("dbs config roles.default.agent claude", "or another agent");

impl NextSteps {
    /// Returns the commands, each with its purpose.
    pub fn commands(self) -> &'static [(&'static str, &'static str)] {
        match self {
            NextSteps::Tasks => &[
                INIT,
                ("dbs agents", "what is found here"),
                AGENT,
                ("dbs task create \"Say hello\" --release", "a task, handed over"),
                ("dbs", "this screen"),
            ],
            NextSteps::Plan => &[
                INIT,
                AGENT,
                ("dbs convert IDEAS.md", "an agent makes a plan of a text"),
                ("dbs init \"Say hello\"", "or a plan to fill in yourself"),
                ("dbs run PLAN", "its phases become tasks"),
                ("dbs", "this screen"),
            ],
            NextSteps::Stories => &[
                INIT,
                AGENT,
                ("dbs atdd init", "documents and folder of stories"),
                ("dbs atdd new IDEAS.md", "an agent writes stories of a text"),
                ("dbs atdd run", "tests first, then the code"),
                ("dbs", "this screen"),
            ],
        }
    }
}
