//! Readers and writers of every file format. Each reader returns data plus diagnostics with line numbers.

pub mod agent_kind;
pub mod agent_role;
pub mod completion_report;
pub mod design;
pub mod end_rules;
pub mod finding;
pub mod graph_plan;
pub mod inner_path;
mod json_object;
mod json_place;
pub mod nearest;
pub mod permissions;
pub mod plan;
pub mod prd;
pub mod prompt;
pub mod scenario;
pub mod span_text;
pub mod story_context;
pub mod story_files;
mod table;
pub mod tag;
pub mod task_list;
pub mod test_report;
pub mod test_text;
mod text_edit;
pub mod work_list;
pub mod workflow;
