//! What Gemini CLI reports of itself: the title of its window. Seen in version 0.61.

pub mod title;
