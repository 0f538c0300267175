//! Choice of the agent for an attempt, with model, effort, display and permissions: a task takes precedence over its stage, the stage over
//! its role, the role over the role `default`, for each field separately.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::id::{RoleId, StageId};
use super::session::AgentDisplay;

/// Agent settings at one place; a field is `None` if the place leaves it to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSettings {
    /// Name of a kind of agent, such as `claude`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Model in the words of the agent's tool, like the effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<AgentDisplay>,
    /// Permissions as the setting `roles.<role>.permissions` writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<String>,
}

/// Place that set a part of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChoiceSource {
    Task,
    Stage,
    Role,
    /// The role `default`.
    Default,
}

/// Part of a choice, with the place that set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceValue<T> {
    pub value: T,
    pub source: ChoiceSource,
}

/// Agent, model and other settings an attempt was started with. The agent's tool decides the parts that no place sets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentChoice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<ChoiceValue<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ChoiceValue<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<ChoiceValue<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<ChoiceValue<AgentDisplay>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<ChoiceValue<String>>,
}

/// Role of an agent, and the settings its attempt was started with.
#[derive(Debug, Clone, Copy)]
pub struct RoleChoice<'a> {
    pub role: &'a RoleId,
    pub choice: &'a AgentChoice,
}

/// Agent settings of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentLayers {
    /// Settings of the role `default`.
    pub others: AgentSettings,
    pub by_role: BTreeMap<RoleId, AgentSettings>,
    pub by_stage: BTreeMap<StageId, AgentSettings>,
    /// Kinds of agents that work with and without the interface of their tool.
    pub both_ways: BTreeSet<String>,
}

impl AgentSettings {
    /// Returns true if nothing is set.
    pub fn is_none(&self) -> bool {
        *self == AgentSettings::default()
    }
}

impl AgentChoice {
    /// Returns true if nothing was chosen, as for an action of the engine.
    pub fn is_none(&self) -> bool {
        *self == AgentChoice::default()
    }

    /// Returns the name of the kind of agent, if a place set one.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_ref().map(|chosen| chosen.value.as_str())
    }

    /// Returns the name of the account whose usage limits an agent of that role shares: its kind, or the role for a command of one's own.
    pub fn account(&self, role: &RoleId) -> String {
        match self.agent() {
            Some(agent) if agent != "custom" => agent.to_owned(),
            _ => format!("the command of {role}"),
        }
    }

    /// Returns the choice and its sources, as `claude (stage), model opus (task)`; empty if nothing was chosen.
    pub fn words(&self) -> String {
        let text = |name: &str, part: &Option<ChoiceValue<String>>| {
            let said = part.as_ref()?;
            Some(format!("{name}{} ({})", said.value, said.source))
        };
        let display = self.display.as_ref();
        let parts = [
            text("", &self.agent),
            text("model ", &self.model),
            text("effort ", &self.effort),
            display.map(|said| format!("{} ({})", said.value, said.source)),
            text("permissions ", &self.permissions),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns the display of the agent's terminal, if a place set one.
    pub fn display(&self) -> Option<AgentDisplay> {
        self.display.as_ref().map(|chosen| chosen.value)
    }
}

impl AgentLayers {
    /// Returns the choice for an agent in that role at that stage, given the settings of the task itself.
    ///
    /// The names of models and efforts are those of one tool, so settings that a place makes for another agent are not taken over. The
    /// display is left to a tool that supports only one.
    pub fn choose(&self, role: &RoleId, stage: &StageId, of_task: &AgentSettings) -> AgentChoice {
        let none = AgentSettings::default();
        let places = [
            (ChoiceSource::Task, of_task),
            (ChoiceSource::Stage, self.by_stage.get(stage).unwrap_or(&none)),
            (ChoiceSource::Role, self.by_role.get(role).unwrap_or(&none)),
            (ChoiceSource::Default, &self.others),
        ];
        let agent = first(&places, |said| said.agent.clone());
        let of_tool = same_agent(&places, agent.as_ref().map(|chosen| chosen.value.as_str()));
        let has_both = agent
            .as_ref()
            .is_some_and(|chosen| self.both_ways.contains(&chosen.value));
        AgentChoice {
            model: first(&of_tool, |said| said.model.clone()),
            effort: first(&of_tool, |said| said.effort.clone()),
            display: first(&places, |said| said.display).filter(|_| has_both),
            permissions: first(&places, |said| said.permissions.clone()),
            agent,
        }
    }

    /// Returns true if nothing is set at all.
    pub fn is_none(&self) -> bool {
        *self == AgentLayers::default()
    }
}

type Place<'a> = (ChoiceSource, &'a AgentSettings);

/// Returns the value at the first of these places that sets it, with its source.
fn first<T>(places: &[Place<'_>], said: impl Fn(&AgentSettings) -> Option<T>) -> Option<ChoiceValue<T>> {
    let mut all = places.iter().filter_map(|(source, settings)| {
        let value = said(settings)?;
        Some(ChoiceValue {
            value,
            source: *source,
        })
    });
    all.next()
}

/// Returns the places that apply to the chosen agent: each applies to the agent it names, or else to the one that the next place names.
fn same_agent<'a>(places: &[Place<'a>], agent: Option<&str>) -> Vec<Place<'a>> {
    let named = |from: usize| {
        places
            .iter()
            .skip(from)
            .find_map(|(_, said)| said.agent.as_deref())
    };
    let all = places.iter().enumerate();
    let same = all.filter(|(index, _)| named(*index).is_none_or(|name| Some(name) == agent));
    same.map(|(_, place)| *place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(agent: Option<&str>, model: Option<&str>) -> AgentSettings {
        AgentSettings {
            agent: agent.map(str::to_owned),
            model: model.map(str::to_owned),
            ..AgentSettings::default()
        }
    }

    fn layers() -> AgentLayers {
        AgentLayers {
            others: AgentSettings {
                effort: Some("high".to_owned()),
                permissions: Some("ask".to_owned()),
                display: Some(AgentDisplay::Headless),
                ..says(Some("claude"), Some("opus"))
            },
            by_role: [("reviewer".into(), says(None, Some("sonnet")))].into(),
            by_stage: [("review".into(), says(Some("codex"), None))].into(),
            both_ways: ["claude".to_owned()].into(),
        }
    }

    #[test]
    fn each_field_is_from_the_most_specific_place_that_says_it() {
        let task = says(None, Some("haiku"));
        let of = |stage: &str, task: &AgentSettings| layers().choose(&"reviewer".into(), &stage.into(), task);
        let model = |choice: AgentChoice| choice.model.map(|chosen| (chosen.value, chosen.source));
        let usual = of("other", &AgentSettings::default());
        assert_eq!(usual.agent(), Some("claude"));
        assert_eq!(
            usual.agent.as_ref().map(|chosen| chosen.source),
            Some(ChoiceSource::Default)
        );
        assert_eq!(usual.display(), Some(AgentDisplay::Headless));
        assert_eq!(model(usual), Some(("sonnet".to_owned(), ChoiceSource::Role)));
        assert_eq!(
            model(of("other", &task)),
            Some(("haiku".to_owned(), ChoiceSource::Task))
        );
    }

    #[test]
    fn the_model_and_effort_of_another_agent_are_not_taken_over_but_its_permissions_are() {
        let choice = layers().choose(&"reviewer".into(), &"review".into(), &AgentSettings::default());
        assert_eq!(
            choice.agent.as_ref().map(|chosen| chosen.source),
            Some(ChoiceSource::Stage)
        );
        assert_eq!(choice.words(), "codex (stage), permissions ask (default)");
        assert_eq!((choice.model, choice.effort), (None, None));
        assert_eq!(choice.display, None, "it has one way only");
        assert_eq!(
            choice.permissions.map(|chosen| chosen.value),
            Some("ask".to_owned())
        );
        let task = says(None, Some("gpt"));
        let choice = layers().choose(&"reviewer".into(), &"review".into(), &task);
        assert_eq!(choice.model.map(|chosen| chosen.value), Some("gpt".to_owned()));
    }
}
