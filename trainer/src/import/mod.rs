//! Games and labeled positions from elsewhere become records.
