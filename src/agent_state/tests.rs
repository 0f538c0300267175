//! Laws of the conclusion, found by chance, and single facts.

mod facts;
mod figures;
mod properties;
mod waits;
