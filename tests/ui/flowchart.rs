//! The drawings of `dbs workflow show`: golden drawings of every workflow in the project, and properties of any other.

use std::path::Path;

use dbs::display::Glyphs;
use dbs::display::text::width;
use dbs::domain::workflow::{Edge, RejectTo};
use dbs::domain::{StageId, Workflow};
use dbs::ui::flowchart;
use proptest::prelude::*;

fn workflow(text: &str) -> Workflow {
    let (flow, _findings) = dbs::formats::workflow::read(Path::new("w.toml"), text);
    flow.expect("a workflow without an error")
}

fn builtin(name: &str) -> Workflow {
    let all = dbs::formats::workflow::builtin();
    workflow(
        all.iter()
            .find(|(known, _)| *known == name)
            .expect("one of them")
            .1,
    )
}

fn drawn(flow: &Workflow) -> String {
    flowchart(flow, Glyphs::Unicode).join("\n")
}

#[test]
fn the_pipeline_is_drawn() {
    insta::assert_snapshot!(drawn(&builtin("kanban")));
}

#[test]
fn the_pipeline_is_drawn_in_ascii() {
    let lines = flowchart(&builtin("kanban"), Glyphs::Ascii).join("\n");
    assert!(lines.is_ascii());
    insta::assert_snapshot!(lines);
}

#[test]
fn the_investigation_is_drawn() {
    insta::assert_snapshot!(drawn(&builtin("investigation")));
}

#[test]
fn a_phased_plan_is_drawn() {
    insta::assert_snapshot!(drawn(&builtin("phased")));
}

#[test]
fn a_graph_is_drawn() {
    insta::assert_snapshot!(drawn(&builtin("graph")));
}

#[test]
fn a_story_loop_is_drawn() {
    insta::assert_snapshot!(drawn(&workflow(include_str!("../domain/workflows/stories.toml"))));
}

/// The first stage of the pipeline under each of these names, with edges to the stages that the numbers give.
fn tangled(names: &[String], leads: &[(usize, usize, String)]) -> Workflow {
    let mut flow = builtin("kanban");
    let model = flow.stages[1].clone();
    let at = |number: usize| StageId::from(names[number % names.len()].as_str());
    flow.entry = at(0);
    flow.stages = names
        .iter()
        .zip(leads)
        .map(|(name, (on, back, tag))| {
            let mut stage = model.clone();
            stage.id = StageId::from(name.as_str());
            stage.reject = RejectTo::Stage(at(*back));
            let edge = |when: Option<&String>, to| Edge {
                when: when.cloned(),
                to: at(to),
            };
            stage.success = vec![edge(Some(tag), *on), edge(None, on + 1)];
            stage
        })
        .collect();
    flow
}

#[test]
fn where_lanes_run_out_the_way_is_told_in_words() {
    let names: Vec<String> = (0..12).map(|number| format!("stage{number}")).collect();
    let leads: Vec<_> = (0..12).map(|at| (11 - at, at / 2, "urgent".to_owned())).collect();
    insta::assert_snapshot!(drawn(&tangled(&names, &leads)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_workflow_fits_eighty_columns_and_is_drawn_the_same_again(
        names in prop::collection::vec("\\PC{1,60}", 12),
        leads in prop::collection::vec((0usize..12, 0usize..12, "\\PC{1,40}"), 1..12),
    ) {
        let flow = tangled(&names[..leads.len()], &leads);
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let lines = flowchart(&flow, glyphs);
            for line in &lines {
                prop_assert!(width(line) <= 80, "{line}");
            }
            prop_assert_eq!(&lines, &flowchart(&flow, glyphs));
            // Every box has an upper and a lower edge, whatever text it contains.
            let (open, close) = match glyphs {
                Glyphs::Unicode => ('┌', '└'),
                Glyphs::Ascii => ('+', '+'),
            };
            let has = |mark| lines.iter().filter(|line| line.contains(mark)).count();
            prop_assert!(has(open) > flow.stages.len() && has(close) > flow.stages.len());
        }
    }
}
