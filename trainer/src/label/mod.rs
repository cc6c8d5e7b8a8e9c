//! A teacher engine labels positions.
