//! A workflow as a drawing in plain lines, for `dbs workflow show`: stages as boxes, one below the other in reading order, the edges
//! forward at their left and the edges back at their right. Knows nothing of screens, colours or keys.

mod char_grid;
mod lanes;
mod layout;
mod nodes;

pub use layout::flowchart;
