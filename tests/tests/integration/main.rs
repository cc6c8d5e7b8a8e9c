//! The real binaries, driven over pipes as a GUI would, in one test binary.
//!
//! Some tests need files that are not part of the repository and say so when
//! they are skipped: networks in lc0's layout (`ARBOR_TEST_NETS`, else
//! `../shared/nets`), Syzygy tables (`ARBOR_TEST_SYZYGY`, else
//! `../shared/data/syzygy`), Stockfish and Python.

mod driver;
mod game;
mod info;
mod scratch;
mod turn;

mod bad_input;
mod chess960;
mod clock;
mod debug_log;
mod default_network;
mod fallback;
mod go;
mod handshake;
mod independent_parser;
mod lc0_evals;
mod mates;
mod memory;
mod move_stats;
mod networks;
mod one_shot;
mod option_table;
mod reuse;
mod stockfish;
mod syzygy;
