//! The table of actions: each row describes one action, and the enum is made from the rows. A row reads `Action { name, title, help, [other
//! words], when CONDITION, shell COMMAND }`; an action that is always possible has no condition, and one that only a screen has has no
//! command. Actions with a parameter have one row for each of its values. The order is that of the help.

use super::{ActionEntry, ActionGroup, Availability, Axis, Direction, SelectionMode, TextMove, ViewName};

macro_rules! actions {
    ($($group:ident { $($action:ident $(($parameter:ty))? { $(
        $(($value:expr))? $name:literal, $title:literal, $help:literal,
            [$($synonym:literal),*] $(, when $availability:ident)? $(, shell $command:literal)?
    );+ })+ })+) => {
        /// Action of a person in the interface, named once and bound to keys, clicks and the palette.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action {
            $($($(#[doc = $help])+ $action $(($parameter))?,)+)+
        }

        const ENTRIES: &[ActionEntry] = &[$($($(ActionEntry {
            action: Action::$action $(($value))?,
            name: $name,
            title: $title,
            help: $help,
            synonyms: &[$($synonym),*],
            group: ActionGroup::$group,
            availability: [$(Availability::$availability,)? Availability::Always][0],
            command: [$(Some($command),)? None][0],
        },)+)+)+];
    };
}

/// Returns every action, in the order of the help.
pub fn entries() -> impl Iterator<Item = &'static ActionEntry> {
    ENTRIES.iter()
}

actions! {
    Moving {
        Step(Direction) {
            (Direction::Up) "up", "up", "One step up; in a terminal or text, one line back.",
                ["previous", "scroll"];
            (Direction::Down) "down", "down", "One step down; in a terminal or text, one line on.",
                ["next", "scroll"];
            (Direction::Left) "left", "left", "The column to the left, or the pane there.", ["column"];
            (Direction::Right) "right", "right", "The column to the right, or the pane there.", ["column"]
        }
        First { "first", "top", "To the first row, or the oldest line.", ["home", "begin"] }
        Last { "last", "end", "To the last row, or the newest line, and follow it.", ["end", "bottom", "follow"] }
        PageUp { "page_up", "page up", "One page back.", ["scroll"] }
        PageDown { "page_down", "page down", "One page on.", ["scroll"] }
        NextPart { "next_part", "next part", "The next file of the differences, the next check.",
            ["next file", "next check"], when Parts }
        PreviousPart { "previous_part", "previous part", "The previous file of the differences, the previous check.",
            ["previous file", "previous check"], when Parts }
        NextPane { "next_pane", "next pane", "The next pane of this tab.", ["cycle", "other"] }
        PreviousPane { "previous_pane", "previous pane", "The previous pane of this tab.", ["cycle"] }
        LastPane { "last_pane", "last pane", "Back to the pane that had the focus before.", ["toggle"], when Panes }
        Focus(Direction) {
            (Direction::Left) "focus_left", "pane left", "The pane to the left.", ["select"], when Panes;
            (Direction::Right) "focus_right", "pane right", "The pane to the right.", ["select"], when Panes;
            (Direction::Up) "focus_up", "pane up", "The pane above.", ["select"], when Panes;
            (Direction::Down) "focus_down", "pane down", "The pane below.", ["select"], when Panes
        }
        Open { "open", "open", "Look inside: a task's agent or its details; on a terminal, begin to type.",
            ["enter", "drill", "attach", "view"], shell "dbs task show ID" }
        Back { "back", "back", "One level out. Never quits.", ["escape", "close", "return"] }
        ShowBoard { "board", "board", "To the board.", ["kanban", "tasks", "home"], shell "dbs board" }
        ToggleDiffBase { "against", "against", "Compare with the base branch, or with what the last review saw.",
            ["compare", "since review"], when Diff }
        GoToAttention { "needs_you", "needs you", "To what has waited longest for you, then to the next; to the next pane when nothing has. While typing you go on typing, there.",
            ["attention", "inbox", "next", "hop"] }
        Find { "find", "find", "Search: narrows a list while you type, finds text in a terminal and its history.",
            ["search", "filter", "grep"] }
        NextMatch { "next_match", "next match", "The next row or place that matches.", ["find next"], when Matches }
        PreviousMatch { "previous_match", "previous match", "The previous row or place that matches.",
            ["find previous"], when Matches }
        Sort { "sort", "sort", "The next order of a list: its own, newest first, oldest first, by name.",
            ["order", "newest", "oldest"] }
        Jump { "jump", "jump", "Show letters at everything that can be chosen; typing them goes there.",
            ["labels", "hint", "ace"] }
    }
    Tasks {
        Approve { "approve", "approve", "Say yes: to a task that waits for approval, to an agent that asks for a permission.",
            ["allow", "yes", "accept", "ok"], when Approval, shell "dbs approve ID" }
        ApproveAll { "approve_all", "approve all", "Say yes to all that ask the same; names them first.",
            ["allow all", "batch", "identical"], when Approval }
        Deny { "deny", "deny", "Say no to the agent that asks for a permission, or decline its question; it may be told why. Denies what is asked now and nothing that is asked later.",
            ["no", "refuse", "forbid"], when Permission, shell "dbs reject ID TEXT" }
        Reject { "reject", "send back", "Send the work back with a reason; asks for it.",
            ["reject", "no", "deny", "refuse"], when Rejectable, shell "dbs reject ID TEXT" }
        Retry { "retry", "retry", "Retry a held, parked, failed or skipped task; its counters start anew.",
            ["again", "restart", "unblock", "resume"], when Retryable, shell "dbs retry ID" }
        RetryNow { "try_now", "try now", "Try at once what waits because of something outside: no answer from the remote, a missing agent, a lock, a full disk.",
            ["look again", "network", "again", "reconnect"], when Trouble, shell "dbs retry ID" }
        Skip { "skip", "skip", "Skip the task; what depends on it is skipped or waits, as its workflow says. Asks first where an agent works on it.",
            ["omit", "ignore"], when Skippable, shell "dbs skip ID" }
        MergeNow { "merge_now", "merge now", "Merge the task's work without the stages that are still to come; asks first. The engine's own checks hold.",
            ["integrate", "land", "skip reviews"], when Unfinished, shell "dbs task update ID --stage merging" }
        TogglePark { "park", "park", "Park the task with a reason; a parked task is retried.",
            ["set aside", "shelve", "pause task"], when Unfinished, shell "dbs task park ID TEXT" }
        Release { "release", "release", "Hand a backlog task to the pipeline; gives its batch the go-ahead.",
            ["start", "go", "begin", "run"], when Backlog, shell "dbs task release ID" }
        Answer { "answer", "answer", "Answer the question of the agent that works on the task, or tell it something; a permission is allowed or denied instead.",
            ["reply", "tell", "say", "send"], when Agent, shell "dbs answer ID TEXT" }
        Comment { "comment", "comment", "Write one line on the task; the next agent reads it.",
            ["note", "write"], when Task, shell "dbs task comment ID TEXT" }
        NewTask { "new_task", "new task", "Write a task: title, description, kind, workflow, priority.",
            ["add", "create"], shell "dbs task create TEXT" }
        Conduct { "conduct", "conductor", "Start a conductor: an agent that plans tasks with you in its terminal; you release them. Asks what is to be built.",
            ["plan", "requirement", "goal", "planner"], shell "dbs conduct TEXT" }
        RunPlan { "run_plan", "run plan", "Carry out a plan: asks for its file, shows what it would run, and puts its tasks on the board after a yes.",
            ["plan", "execute", "start"], shell "dbs run" }
        Design { "design", "design", "Have agents make a plan for a goal; asks for it. What they make waits for your yes.",
            ["plan", "goal"], shell "dbs design TEXT" }
        StopAgent { "stop_agent", "stop agent", "Stop the agent. Its task goes back to its stage and no budget is used up.",
            ["kill", "abort", "cancel", "terminate"], when Agent, shell "dbs kill-agent ID" }
        StopTurn { "stop_turn", "stop turn", "End the turn of the task's agent, as Esc in its terminal does; its session stays, and an answer begins the next turn.",
            ["escape", "interrupt agent", "halt"], when Agent, shell "dbs interrupt ID" }
        SwitchMode { "switch_mode", "switch mode", "Let the task's agent go on with its session without its tool's interface, or with it again.",
            ["headless", "visible", "mode", "transcript", "display"], when Agent, shell "dbs mode ID" }
        CloseTask { "close_task", "close task", "Close the task without it being done; asks for the reason, and for a word where work would go. The work is kept first.",
            ["cancel", "discard", "drop"], when Unfinished, shell "dbs task close ID TEXT" }
        TogglePause { "pause", "pause all", "Start nothing new and stop what runs; pressed again, go on.",
            ["resume", "hold", "freeze", "continue"], shell "dbs pause" }
        ToggleFinished { "finished", "finished", "Show or hide finished tasks in lists.",
            ["done", "hidden", "show"] }
        Copy { "copy", "copy", "Copy something of the marked row or its task: id, title, branch, path, command; pressed twice, the first of them.",
            ["yank", "clipboard", "id", "branch", "path", "commit"] }
        RetryWithNote { "retry_with_note", "retry + note", "Retry the task and tell the next agent something.",
            ["again with", "hint", "instruct"], when Retryable, shell "dbs retry ID --note TEXT" }
        Withdraw { "withdraw", "to backlog", "Move a task that no agent works on back to the backlog.",
            ["unrelease", "take back", "backlog"], when Unfinished, shell "dbs task withdraw ID" }
        RaisePriority { "more_urgent", "more urgent", "Raise the priority by one.",
            ["priority", "important", "raise"], when Unfinished, shell "dbs task update ID --priority 1" }
        LowerPriority { "less_urgent", "less urgent", "Lower the priority by one.",
            ["priority", "lower"], when Unfinished, shell "dbs task update ID --priority 3" }
        EditTask { "edit", "edit", "Change title and description in your editor.",
            ["editor", "change", "title", "body", "rewrite"], when Task, shell "dbs task edit ID" }
        ToggleMark { "mark", "mark", "Mark the task, or no longer; what is done next is done to all that are marked.",
            ["select", "several", "batch", "multiple"], when Task }
        Undo { "undo", "undo", "Undo what was just done; possible for ten seconds.",
            ["take back", "revert", "oops"] }
        Redo { "redo", "redo", "Redo what was undone.", ["again", "repeat"] }
    }
    Terminals {
        Type { "type", "type here", "Send every key but the prefix to the terminal.",
            ["insert", "attach", "interact", "takeover"], when Terminal, shell "dbs attach" }
        StopTyping { "look", "look", "Keep the keys and look at the terminal: scroll back and forth.",
            ["scroll", "copy mode", "detach keys", "read"] }
        NewShell { "new_shell", "new shell", "A new tab with a shell.", ["terminal", "window", "command"] }
        ToggleTyping { "toggle_typing", "type or look", "Send every key to the terminal, or keep them again.",
            ["toggle", "mode"], when Terminal }
        OpenBeside { "open_beside", "open beside", "Show the agent in a new pane beside this one.",
            ["split agent", "new pane"], when Agent }
        ShellHere { "shell_here", "shell there", "Open a shell where the agent of this task works; else in the project's folder.",
            ["worktree", "terminal", "command"], when Workplace }
        FindEverywhere { "find_everywhere", "find in all", "Search what all agents have shown, from their logs; Tab leads there from any other search, too.",
            ["search all", "history", "grep", "logs"] }
    }
    Copying {
        CopyMode { "copy_mode", "copy mode", "Hold the terminal still to move over it, search it and copy from it.",
            ["yank", "scrollback", "select", "history"], when TerminalFocus }
        Select(SelectionMode) {
            (SelectionMode::Text) "select", "select", "Begin to select, letter by letter; again: stop.",
                ["visual", "mark text"], when CopyMode;
            (SelectionMode::Lines) "select_lines", "select lines", "Begin to select whole lines; again: stop.",
                ["visual line"], when CopyMode;
            (SelectionMode::Block) "select_block", "select block", "Begin to select a rectangle; again: stop.",
                ["rectangle", "column"], when CopyMode
        }
        OtherEnd { "other_end", "other end", "To the other end of the selection; without one, open the link under the cursor.",
            ["swap ends"], when CopyMode }
        CopySelection { "yank", "copy", "Copy what is selected, or the line; wrapped lines are joined.",
            ["clipboard", "take"], when CopyMode }
        FindBackward { "find_back", "find above", "Search upward.", ["search back", "reverse"], when TerminalFocus }
        PreviousPrompt { "previous_prompt", "prompt above", "To the prompt above, where the shell marks its prompts (OSC 133).",
            ["command", "shell", "output", "jump"], when TerminalFocus }
        NextPrompt { "next_prompt", "prompt below", "To the prompt below, where the shell marks its prompts (OSC 133).",
            ["command", "shell", "output", "jump"], when TerminalFocus }
        Text(TextMove) {
            (TextMove::WordNext) "word_next", "next word", "To the beginning of the next word.",
                ["word"], when CopyMode;
            (TextMove::WordBack) "word_back", "word back", "To the beginning of the word, or of the one before.",
                ["word"], when CopyMode;
            (TextMove::WordEnd) "word_end", "word end", "To the end of the word, or of the next one.",
                ["word"], when CopyMode;
            (TextMove::LineStart) "line_start", "line start", "To the first column.",
                ["column", "begin"], when CopyMode;
            (TextMove::LineFirst) "line_first", "first letter", "To the first letter of the line.",
                ["indent"], when CopyMode;
            (TextMove::LineEnd) "line_end", "line end", "To the last letter of the line.",
                ["column"], when CopyMode;
            (TextMove::Top) "screen_top", "top line", "To the first line that is seen.", ["high"], when CopyMode;
            (TextMove::Middle) "screen_middle", "middle line", "To the line in the middle.",
                ["centre"], when CopyMode;
            (TextMove::Bottom) "screen_bottom", "bottom line", "To the last line that is seen.",
                ["low"], when CopyMode;
            (TextMove::HalfUp) "half_up", "half page up", "Half a page back.", ["scroll"], when CopyMode;
            (TextMove::HalfDown) "half_down", "half page down", "Half a page on.", ["scroll"], when CopyMode
        }
        TakeOffer { "take_copy", "take copy", "Copy what the program in the terminal just wanted to put into your clipboard.",
            ["clipboard", "osc 52"] }
        Paste { "paste", "paste", "Type what was copied last into the terminal.", ["insert", "put"], when Terminal }
        EditScrollback { "edit_text", "in editor", "Open what is selected, or all that the terminal has shown, in your editor; it can be saved there as a file.",
            ["editor", "file", "save", "export"], when TerminalFocus }
        OpenLink { "open_link", "open link", "Open the link under the cursor, or one of those on the screen; shows where it leads, and asks. Control and a click do the same.",
            ["url", "browser", "web", "address"], when TerminalFocus }
    }
    Panes {
        Split(Axis) {
            (Axis::Columns) "split_columns", "split right", "Split the pane side by side; choose what the new one shows.",
                ["vertical", "divide"];
            (Axis::Rows) "split_rows", "split below", "Split the pane in two rows; choose what the new one shows.",
                ["horizontal", "divide"]
        }
        ClosePane { "close_pane", "close pane", "Close the pane. Never stops an agent; a shell that runs is asked about.",
            ["kill pane", "remove"] }
        Zoom { "zoom", "zoom", "Show the pane alone, or all of them again.",
            ["maximise", "fullscreen"], when Panes }
        Resize(Direction) {
            (Direction::Left) "narrower", "line left", "Move the line beside the pane to the left.",
                ["resize", "shrink"], when Panes;
            (Direction::Right) "wider", "line right", "Move the line beside the pane to the right.",
                ["resize", "grow"], when Panes;
            (Direction::Up) "lower", "line up", "Move the line below the pane up.",
                ["resize", "shrink"], when Panes;
            (Direction::Down) "higher", "line down", "Move the line below the pane down.",
                ["resize", "grow"], when Panes
        }
        SwapPrevious { "swap_back", "swap back", "Change places with the previous pane.", ["move"], when Panes }
        SwapNext { "swap_on", "swap on", "Change places with the next pane.", ["move"], when Panes }
        BreakPane { "break_out", "break out", "Make the pane a tab of its own.", ["move", "window"], when Panes }
        NextLayout { "arrange", "arrange", "The next arrangement: tiled, side by side, stacked, one large at the left.",
            ["layout", "tile", "cycle"], when Panes }
        Tab(u8) {
            (1) "tab_1", "tab 1", "Tab 1.", ["window", "screen"];
            (2) "tab_2", "tab 2", "Tab 2.", ["window", "screen"];
            (3) "tab_3", "tab 3", "Tab 3.", ["window", "screen"];
            (4) "tab_4", "tab 4", "Tab 4.", ["window", "screen"];
            (5) "tab_5", "tab 5", "Tab 5.", ["window", "screen"];
            (6) "tab_6", "tab 6", "Tab 6.", ["window", "screen"];
            (7) "tab_7", "tab 7", "Tab 7.", ["window", "screen"];
            (8) "tab_8", "tab 8", "Tab 8.", ["window", "screen"];
            (9) "tab_9", "tab 9", "Tab 9.", ["window", "screen"];
            (10) "tab_10", "tab 10", "Tab 10.", ["window", "screen"]
        }
        NextTab { "next_tab", "next tab", "The next tab.", ["window"], when Tabs }
        PreviousTab { "previous_tab", "previous tab", "The previous tab.", ["window"], when Tabs }
        RenameTab { "rename_tab", "rename tab", "Give the tab another name.", ["title", "name"] }
        CloseTab { "close_tab", "close tab", "Close the tab with all its panes; asks first. Never stops an agent.",
            ["kill window", "remove"], when Tabs }
        ListPanes { "list_panes", "all panes", "Choose among all tabs and panes.", ["tree", "windows", "jump"] }
    }
    Program {
        Palette { "palette", "palette", "Find any action, task or pane by a few letters and run it, or go there.",
            ["command", "search", "menu", "everything"] }
        Help { "help", "help", "What you see, what the keys do here, and all keys; type to search, Enter runs.",
            ["keys", "manual", "what"], shell "dbs keys" }
        Demo { "demo", "demo", "Play the demo: scripted agents in a throw-away repository, no account, no network. You come back here.",
            ["try", "example", "tour", "first"], shell "dbs demo" }
        Detach { "leave", "leave", "Leave the screen. The server and the agents go on. Its plain key goes back first, out of what was opened in a pane.",
            ["quit", "exit", "detach"] }
        Redraw { "redraw", "redraw", "Draw the whole screen again.", ["refresh", "clear"] }
        ChooseTheme { "theme", "theme", "Choose how the screen looks; each theme is shown while it is marked.",
            ["colours", "colors", "dark", "light", "contrast", "looks"] }
        ReviewTrust { "trust", "trust", "What this project's files would start, and whether you trust it: the most dangerous first, with file and line.",
            ["security", "untrusted", "hash", "commands"], shell "dbs trust show" }
        RenameSession { "rename_session", "rename session", "Give the session another name: in the top bar, in the list of sessions, for `dbs attach`.",
            ["title", "name", "project"] }
        Interrupt { "interrupt", "interrupt", "Never stops anything: says how to leave and how to stop.",
            ["ctrl-c", "cancel"] }
        StopServer { "stop_server", "stop server", "Stop the server; asks first. Agents go on and are found again at the next start.",
            ["shutdown", "kill server"], shell "dbs stop" }
    }
    Moving {
        Show(ViewName) {
            (ViewName::of("log")) "log", "log", "What happened, the newest at the bottom; leads to what an agent's screen showed then.",
                ["events", "history", "watcher"], shell "dbs logs";
            (ViewName::of("task")) "task", "task", "The task in full: what it asks for, why it stands where it stands, what was tried and written.",
                ["details", "description", "body", "attempts", "comments"], when Task, shell "dbs task show ID";
            (ViewName::of("inbox")) "inbox", "inbox", "All that needs you, oldest first; answered in place.",
                ["approvals", "questions", "permissions", "waiting"];
            (ViewName::of("metrics")) "metrics", "stats", "Stats: throughput, how long stages take, what came back, what agents use.",
                ["metrics", "figures", "analytics", "throughput", "cpu", "memory"], shell "dbs metrics";
            (ViewName::of("sessions")) "sessions", "sessions", "Your projects with a server: running, detached, or cut off; go to another.",
                ["projects", "switch", "servers", "attach"], shell "dbs sessions";
            (ViewName::of("graph")) "graph", "dependencies", "What waits for what, how deep it goes, and the longest chain of work that is left.",
                ["tree", "critical path", "blocked", "order"];
            (ViewName::of("plan")) "plan", "plan", "The plan at work: a row for each phase, story or task, with gates, tries, state and cost.",
                ["phases", "stories", "table", "run"], shell "dbs status --run";
            (ViewName::of("gates")) "gates", "gates", "The checks the engine ran, failed ones first: command, how it ended, how long, output.",
                ["checks", "tests", "evidence", "output"];
            (ViewName::of("diff")) "diff", "diff", "What the task changed: files and lines, what is not committed included.",
                ["changes", "patch", "review"], when Task
        }
    }
}
