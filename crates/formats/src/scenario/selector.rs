//! Choice of the part of a scenario for an attempt: the first one whose conditions all fit.

/// Facts of an attempt about itself when its scenario part is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptContext<'a> {
    /// Stage of the task, such as `reviewing`.
    pub stage: &'a str,
    /// Role played, such as `reviewer`.
    pub role: &'a str,
    pub task: &'a str,
    pub title: &'a str,
    pub tags: &'a [String],
    /// Attempts at this task and stage so far, this one included: 1, 2 …
    pub number: u32,
    /// `fresh`, `remediate` or `fallback`.
    pub mode: &'a str,
}

/// The conditions under which a scenario part is played. An empty list sets no condition; a list is met by any of its members; all lists
/// must be met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartSelector {
    pub stages: Vec<String>,
    pub roles: Vec<String>,
    pub tasks: Vec<String>,
    /// Tags, one of which the task must have.
    pub tags: Vec<String>,
    /// Texts, one of which the title must contain.
    pub titles: Vec<String>,
    pub attempts: Vec<AttemptRange>,
    pub modes: Vec<String>,
}

/// A range of attempt numbers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptRange {
    pub from: u32,
    /// The last number; `u32::MAX` when open.
    pub to: u32,
}

impl PartSelector {
    /// Returns true if every condition is met.
    pub fn matches(&self, now: &AttemptContext<'_>) -> bool {
        any(&self.stages, |stage| stage == now.stage)
            && any(&self.roles, |role| role == now.role)
            && any(&self.tasks, |task| task == now.task)
            && any(&self.tags, |tag| now.tags.contains(tag))
            && any(&self.titles, |title| now.title.contains(title.as_str()))
            && any(&self.attempts, |span| (span.from..=span.to).contains(&now.number))
            && any(&self.modes, |mode| mode == now.mode)
    }

    /// Returns true if everything that fits `other` fits this one too, so that `other` behind it is never played.
    pub(super) fn covers(&self, other: &PartSelector) -> bool {
        let spans = self.attempts.is_empty()
            || (!other.attempts.is_empty()
                && other
                    .attempts
                    .iter()
                    .all(|o| self.attempts.iter().any(|s| s.from <= o.from && o.to <= s.to)));
        spans
            && holds_all(&self.stages, &other.stages)
            && holds_all(&self.roles, &other.roles)
            && holds_all(&self.tasks, &other.tasks)
            && holds_all(&self.tags, &other.tags)
            && holds_all(&self.titles, &other.titles)
            && holds_all(&self.modes, &other.modes)
    }
}

fn any<T>(list: &[T], fits: impl Fn(&T) -> bool) -> bool {
    list.is_empty() || list.iter().any(fits)
}

fn holds_all(wide: &[String], narrow: &[String]) -> bool {
    wide.is_empty() || (!narrow.is_empty() && narrow.iter().all(|one| wide.contains(one)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Scenario, ScenarioPart};

    fn now<'a>(role: &'a str, number: u32, tags: &'a [String]) -> AttemptContext<'a> {
        AttemptContext {
            stage: "development",
            role,
            task: "a-1",
            title: "Add a page",
            tags,
            number,
            mode: "fresh",
        }
    }

    fn with(set: impl FnOnce(&mut PartSelector)) -> PartSelector {
        let mut select = PartSelector::default();
        set(&mut select);
        select
    }

    fn scenario(selects: Vec<PartSelector>) -> Scenario {
        let part = |(line, select)| ScenarioPart {
            name: String::new(),
            select,
            screen: super::super::ScenarioScreen::Inline,
            steps: vec![],
            line,
        };
        Scenario {
            name: String::new(),
            author: super::super::CommitAuthor::default(),
            parts: selects.into_iter().enumerate().map(part).collect(),
        }
    }

    #[test]
    fn the_first_part_that_fits_is_played() {
        let first = AttemptRange { from: 1, to: 1 };
        let scenario = scenario(vec![
            with(|select| select.roles = vec!["reviewer".into()]),
            with(|select| select.attempts = vec![first]),
            PartSelector::default(),
        ]);
        for (role, number, line) in [("reviewer", 1, 0), ("developer", 1, 1), ("developer", 2, 2)] {
            let part = scenario.part(&now(role, number, &[]));
            assert_eq!(part.map(|part| part.line), Some(line));
        }
    }

    #[test]
    fn every_condition_must_be_met_and_any_member_of_a_list_meets_it() {
        let security = ["security".to_owned()];
        let select = PartSelector {
            tags: vec!["frontend".into(), "security".into()],
            titles: vec!["page".into()],
            attempts: vec![AttemptRange {
                from: 2,
                to: u32::MAX,
            }],
            ..PartSelector::default()
        };
        assert!(select.matches(&now("developer", 2, &security)));
        assert!(select.matches(&now("developer", 9, &security)));
        assert!(!select.matches(&now("developer", 1, &security)));
        assert!(!select.matches(&now("developer", 2, &[])));
        for other in [
            with(|select| select.titles = vec!["book".into()]),
            with(|select| select.modes = vec!["fallback".into()]),
            with(|select| select.stages = vec!["reviewing".into()]),
            with(|select| select.tasks = vec!["a-10".into()]),
        ] {
            assert!(!other.matches(&now("developer", 2, &security)), "{other:?}");
        }
    }

    #[test]
    fn nothing_is_played_when_nothing_fits() {
        let scenario = scenario(vec![with(|select| select.roles = vec!["reviewer".into()])]);
        assert_eq!(scenario.part(&now("developer", 1, &[])), None);
    }
}
