//! Choosing a theme: the marked one is shown at once, Enter keeps it, Esc brings back the one before.

use super::{UiRequest, UpdateContext};
use crate::domain::NoticeLevel;
use crate::ui::state::{Menu, MenuAction};

impl UpdateContext<'_, '_> {
    /// Opens the list of themes.
    pub(super) fn choose_theme(&mut self) {
        // From now on the list decides.
        if let Some(wished) = self.state.requested_theme.take() {
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
        let items = all.into_iter().map(|(title, what, name)| {
            let before = before.clone();
            (format!("{title:<15} {what}"), MenuAction::Theme { name, before })
        });
        self.menu("Theme", items, at.unwrap_or(0));
    }

    /// Shows the marked theme, if the menu is one of themes.
    pub(super) fn preview_theme(&mut self, choose: &Menu) {
        if let Some(MenuAction::Theme { name, .. }) = chosen(choose) {
            self.apply_theme(name.clone());
        }
    }

    /// Brings back the theme that was there before the list was opened.
    pub(super) fn restore_theme(&mut self, choose: &Menu) {
        if let Some(MenuAction::Theme { before, .. }) = chosen(choose) {
            self.apply_theme(before.clone());
        }
    }

    /// Keeps the choice, in this project; for all projects there is a setting.
    pub(super) fn keep_theme(&mut self, name: Option<String>) {
        let text = match &name {
            None => "theme: as set in the configuration".to_owned(),
            Some(name) => {
                format!("theme {name}, on this screen; `dbs config theme {name}` makes it the default")
            }
        };
        self.apply_theme(name);
        self.state.show_toast(self.scene.now, NoticeLevel::Success, text);
    }

    fn apply_theme(&mut self, name: Option<String>) {
        if self.state.theme != name {
            self.state.theme = name;
            self.ask(UiRequest::ApplyTheme);
        }
    }
}

fn chosen(choose: &Menu) -> Option<&MenuAction> {
    choose.items.get(choose.marked).map(|choice| &choice.action)
}
