//! The same verbs on the command line: what to type in a shell for an action. Data only.

use super::Action;

impl Action {
    /// The command that does the same; `ID` stands for the task, `TEXT` for what is said. Nothing for what only a screen has.
    pub fn command_line(self) -> Option<&'static str> {
        Some(match self {
            Action::Approve => "dbs approve ID",
            Action::Reject => "dbs reject ID TEXT",
            Action::Retry | Action::RetryNow => "dbs retry ID",
            Action::RetryWithNote => "dbs retry ID --note TEXT",
            Action::Withdraw => "dbs task withdraw ID",
            Action::RaisePriority => "dbs task update ID --priority 1",
            Action::LowerPriority => "dbs task update ID --priority 3",
            Action::EditTask => "dbs task edit ID",
            Action::Skip => "dbs skip ID",
            Action::TogglePark => "dbs task park ID TEXT",
            Action::Release => "dbs task release ID",
            Action::Answer => "dbs answer ID TEXT",
            Action::Comment => "dbs task comment ID TEXT",
            Action::NewTask => "dbs task create TEXT",
            Action::StopAgent => "dbs kill-agent ID",
            Action::CloseTask => "dbs task close ID TEXT",
            Action::TogglePause => "dbs pause",
            Action::Open => "dbs task show ID",
            Action::ShowBoard => "dbs board",
            Action::StopServer => "dbs stop",
            Action::Help => "dbs keys",
            Action::Demo => "dbs demo",
            Action::MergeNow => "dbs task update ID --stage merging",
            Action::Type => "dbs attach",
            Action::Show(page) => return page.command_line(),
            _ => return None,
        })
    }
}
