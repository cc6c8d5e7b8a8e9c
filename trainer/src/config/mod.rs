//! What to train and how: presets, files and flags, merged.
