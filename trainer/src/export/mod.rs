//! Trained weights become an ONNX network for the engine.
