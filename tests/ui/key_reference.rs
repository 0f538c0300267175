//! `docs/keys.md`, generated from the table of actions and the keys in force. Returns text; writes nothing.

use std::fmt::Write as _;
use strum::VariantArray as _;

use dbs::keymap::{ActionEntry, ActionGroup, KeyTable, Keymap, entries};

/// All actions with their keys, as a Markdown document.
pub(crate) fn keys_document(keymap: &Keymap) -> String {
    let mut text = String::from(
        "# Keys\n\n\
         Made from the table of actions (`src/keymap/action/table.rs`) and `assets/keys.toml`; `DBS_UPDATE=1 cargo test --test ui` \
         writes it anew.\n\n\
         The word at the lower left says who gets the next key:\n\n\
         - **NAV**: our own views. **LOOK**: a terminal, to look at and to scroll. The column *Key* holds in both.\n\
         - **COPY**: a terminal held still, to move over, search and copy from; the column *Held still* holds.\n\
         - **FIND**: the words that a list or a terminal is searched for.\n\
         - **TYPE**: the program in the terminal; every key is its own, but for the prefix. A paste goes there too.\n\
         - **ASK**: a prompt, a question, a choice, the help. `Esc` closes it.\n\n",
    );
    let prefix = keymap.prefix();
    // Writing to a string cannot fail.
    writeln!(
        text,
        "The prefix is `{prefix}`. The column *After {prefix}* holds everywhere, TYPE included; pressed twice it goes to the \
         program once; a key that means nothing there cancels and is not sent on. A paste is never taken as keys.\n\n\
         The mouse: the first click focuses, the second acts; the wheel scrolls what is under it, unless the program there \
         asked for the mouse. Dragging over a terminal selects, letting go copies; where it is held still a click goes there and \
         a second one copies the word. Dragging a line between panes moves it; Control and a click open a link; a click on a \
         hint in the last row presses its key; with Shift the outer terminal selects itself. All of that has keys, too.\n\n\
         A digit is a tab, at once. A number that begins with 0 repeats the movement after it (`05j`); over text that is held still the 0 is left out. A filter stays until Esc. Keys of your own stand in the \
         settings, several separated by spaces (`[keys.nav]` with `approve = \"Y C-y\"`), on top of a preset (`keys.preset`: default, \
         tmux, vim, emacs); `dbs keys` prints what is in force."
    )
    .unwrap_or_default();
    for &group in ActionGroup::VARIANTS {
        let heading = format!(
            "\n## {}\n\n| Key | After {prefix} | Held still | Name | What it does |\n|---|---|---|---|---|\n",
            group.title()
        );
        text.push_str(&heading);
        for entry in entries().filter(|entry| entry.group == group) {
            text.push_str(&row(keymap, entry));
        }
    }
    text.push_str(OLD_TERMINALS);
    text
}

/// Section on ambiguities of old terminals that no reader of keys can resolve.
const OLD_TERMINALS: &str = "
## Old terminals

A terminal with the kitty keyboard protocol tells all keys apart; it is asked for it at the start. Any other terminal sends the same for \
some of them, and a slow connection makes this frequent:

- Alt and a key is sent as Escape and that key. In TYPE the program gets the two bytes as they came, and decides as it would without us: \
vim takes `Esc :` for two keys. Everywhere else the two are the key with Alt when they arrive together.
- Alt and Escape is sent as Escape twice, and is that.
";

fn row(keymap: &Keymap, entry: &ActionEntry) -> String {
    let keys = |place| {
        let keys = keymap.keys(place, entry.action).iter();
        keys.map(|chord| format!("`{}`", chord.to_string().replace('|', "\\|")))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let found = keys(KeyTable::Filtered);
    let nav = match found.as_str() {
        "" => keys(KeyTable::Nav),
        found => format!("{found} in a filtered list"),
    };
    let (prefixed, copy) = (keys(KeyTable::Prefixed), keys(KeyTable::Copy));
    format!(
        "| {nav} | {prefixed} | {copy} | `{}` | {} |\n",
        entry.name, entry.help
    )
}
