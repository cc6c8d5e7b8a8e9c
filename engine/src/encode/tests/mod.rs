//! Tests of all layouts through their public face.

mod boards;
mod golden;
mod keys;
mod lc0_oracle;
mod lines;
mod mirror;
mod round_trip;
