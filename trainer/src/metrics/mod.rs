//! What a run tells of itself: metrics.jsonl and TensorBoard event files.
