//! Colours of a person's terminal, which reach the programs in panes.

use dbs::term::ColorPalette;

use crate::attached::type_in_shell;
use crate::driver::Story;

/// Asks for the background, waits for a report of a change between dark and light, and asks again.
const ASKS: &str = r"
stty -icanon -echo
ask() { printf '\033]11;?\007'; dd bs=1 count=24 2>/dev/null | tr -d '\033\007'; echo; }
ask
printf '\033[?2031h'
echo waiting
dd bs=1 count=9 2>/dev/null | tr -d '\033'; echo
ask
";

#[test]
fn a_program_hears_the_colours_of_the_terminal_it_is_looked_at_in_and_when_they_change() {
    let story = Story::new("");
    std::fs::write(story.root().join("ask.sh"), ASKS).unwrap();
    let tty = story.tty(&[], (120, 40));
    let violet = ColorPalette::from_reported(None, Some((0x40, 0x10, 0x60)));
    tty.dress(violet);
    tty.look_away(false);
    type_in_shell(&tty);
    tty.type_text("sh ../ask.sh\n");
    tty.wait("the colour behind the text", |screen| {
        screen.pane_has("Shell", "]11;rgb:4040/1010/6060") && screen.pane_has("Shell", "waiting")
    });
    tty.dress(ColorPalette::from_reported(None, Some((0xff, 0xff, 0xff))));
    tty.look_away(false);
    tty.wait("the change to light, and the new colour", |screen| {
        screen.pane_has("Shell", "[?997;2n") && screen.pane_has("Shell", "]11;rgb:ffff/ffff/ffff")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}
