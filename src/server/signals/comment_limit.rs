//! Limit on the comments of an agent on its task: every comment is kept for good and shown with the task, so an attempt has a limited
//! number and size of them, as it has of signals. Counted on the board, so that a restarted server knows it as well.

use crate::domain::Attempt;
use crate::read_model::ReadModel;

/// Maximum number of comments that are taken of an attempt.
const MOST_COMMENTS: usize = 200;
/// Bytes in the comments of an attempt after which no more are taken.
const MOST_BYTES: usize = 256 * 1024;

/// Returns the reason why that attempt may not comment on its task any more; `None` when it may.
pub(in crate::server) fn flood_refusal(model: &ReadModel, own: &Attempt) -> Option<String> {
    let task = model.tasks.get(&own.task)?;
    let is_own = |author: &str| author == own.worker.name();
    let (mut count, mut bytes) = (0, 0);
    for comment in task.comments_after(own.comments_before) {
        if is_own(&comment.author) {
            count += 1;
            bytes += comment.text.len();
        }
    }
    (count >= MOST_COMMENTS || bytes >= MOST_BYTES).then(|| {
        format!(
            "attempt {} has written {count} comments with {bytes} bytes: no more of them are taken; put the rest into a file",
            own.id
        )
    })
}
