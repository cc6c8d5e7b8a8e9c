//! Tests of all layouts through their public face.

mod boards;
mod exchanges;
mod golden;
mod keys;
mod lc0_oracle;
mod lines;
mod mirror;
mod round_trip;
mod sideways;
