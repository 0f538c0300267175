//! Choosing a theme: what is marked is shown at once, Enter keeps it, Esc brings back the one before.

use super::{Request, Turn};
use crate::domain::Level;
use crate::ui::state::{Choice, Choose, Chosen, Overlay};

impl Turn<'_, '_> {
    /// Opens the list of themes.
    pub(super) fn choose_theme(&mut self) {
        // From now on the list decides.
        if let Some(wished) = self.state.wished.take() {
            self.state.theme = Some(wished);
        }
        let before = self.state.theme.clone();
        let as_set = (
            "as set".to_owned(),
            "the theme of the configuration".to_owned(),
            None,
        );
        let named = self.state.themes.iter();
        let named = named.map(|(name, what)| (name.clone(), what.clone(), Some(name.clone())));
        let all: Vec<_> = std::iter::once(as_set).chain(named).collect();
        let at = all.iter().position(|(.., name)| *name == before);
        let choices = all.into_iter().map(|(title, what, name)| Choice {
            text: format!("{title:<15} {what}"),
            key: None,
            chosen: Chosen::Theme {
                name,
                before: before.clone(),
            },
        });
        self.state.overlay = Some(Overlay::Choose(Choose {
            title: "Theme".to_owned(),
            choices: choices.collect(),
            at: at.unwrap_or(0),
            opened_by: None,
        }));
    }

    /// Shows the theme that is marked, if it is themes that are chosen among.
    pub(super) fn try_on(&mut self, choose: &Choose) {
        if let Some(Chosen::Theme { name, .. }) = chosen(choose) {
            self.dress(name.clone());
        }
    }

    /// Brings back the theme that was there before the list was opened.
    pub(super) fn put_back(&mut self, choose: &Choose) {
        if let Some(Chosen::Theme { before, .. }) = chosen(choose) {
            self.dress(before.clone());
        }
    }

    /// The choice stays, in this project; for all projects there is a setting.
    pub(super) fn keep_theme(&mut self, name: Option<String>) {
        let text = match &name {
            None => "theme: as set in the configuration".to_owned(),
            Some(name) => {
                format!("theme {name}, on this screen; `dbs config theme {name}` makes it the default")
            }
        };
        self.dress(name);
        self.state.tell(self.scene.now, Level::Success, text);
    }

    fn dress(&mut self, name: Option<String>) {
        if self.state.theme != name {
            self.state.theme = name;
            self.ask(Request::Dress);
        }
    }
}

fn chosen(choose: &Choose) -> Option<&Chosen> {
    choose.choices.get(choose.at).map(|choice| &choice.chosen)
}
