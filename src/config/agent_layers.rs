//! Settings of the agents for each role and each stage, in the form that the choice at the start of an attempt needs.

use std::collections::BTreeMap;

use crate::adapters::agents::AgentDisplay;
use crate::config::setting::Setting;
use crate::config::{Config, schema};
use crate::domain::{AgentLayers, AgentSettings, RoleId, StageId};

type Text = Setting<Option<String>>;

/// Reads the settings of agents for roles and stages.
pub(super) fn read(config: &Config) -> AgentLayers {
    let mut roles = said(
        config,
        [
            &schema::ROLE_AGENT,
            &schema::ROLE_MODEL,
            &schema::ROLE_EFFORT,
            &schema::ROLE_MODE,
            &schema::ROLE_PERMISSIONS,
        ],
    );
    for (role, _) in config.family(&schema::ROLE_COMMAND) {
        let agent = &mut roles.entry(role).or_default().agent;
        agent.get_or_insert_with(|| "custom".to_owned());
    }
    let stages = said(
        config,
        [
            &schema::STAGE_AGENT,
            &schema::STAGE_MODEL,
            &schema::STAGE_EFFORT,
            &schema::STAGE_MODE,
            &schema::STAGE_PERMISSIONS,
        ],
    );
    let mut others = roles.remove("default").unwrap_or_default();
    if others.model.is_none() && others.agent.as_deref() == Some("claude") {
        others.model = config.value(&schema::MODEL);
    }
    AgentLayers {
        others,
        by_role: roles
            .into_iter()
            .map(|(role, said)| (RoleId::new(role), said))
            .collect(),
        by_stage: stages
            .into_iter()
            .map(|(stage, said)| (StageId::new(stage), said))
            .collect(),
        ..AgentLayers::default()
    }
}

/// Collects agent, model, effort, mode and permissions from these settings, by role or stage.
fn said(
    config: &Config,
    [agent, model, effort, mode, permissions]: [&Text; 5],
) -> BTreeMap<String, AgentSettings> {
    let mut all: BTreeMap<String, AgentSettings> = BTreeMap::new();
    for (name, value) in config.family(agent) {
        all.entry(name).or_default().agent = Some(value);
    }
    for (name, value) in config.family(model) {
        all.entry(name).or_default().model = Some(value);
    }
    for (name, value) in config.family(effort) {
        all.entry(name).or_default().effort = Some(value);
    }
    for (name, value) in config.family(mode) {
        let is_headless = value == "headless";
        let display = if is_headless {
            AgentDisplay::Headless
        } else {
            AgentDisplay::Visible
        };
        all.entry(name).or_default().display = Some(display);
    }
    for (name, value) in config.family(permissions) {
        all.entry(name).or_default().permissions = Some(value);
    }
    all
}
