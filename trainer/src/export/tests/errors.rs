//! What is refused, and in which words.

use super::{dense, options, positions, tiny};
use crate::export::{Expected, ExportError, Outputs, Precision, build, compare, quantize};
use crate::model::{Architecture, Norm, random_weights};

#[test]
fn weights_of_another_network_are_refused() {
    let deeper = Architecture { blocks: 3, ..tiny() };
    let error = build(&deeper, &random_weights(&tiny(), 1), &options(Precision::F32)).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("resnet 3x8"), "{message}");
    for name in ["conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias"] {
        assert!(message.contains(&format!("blocks.2.{name}")), "{message}");
    }
}

#[test]
fn a_dense_network_has_nothing_for_int8() {
    let weights = random_weights(&dense(), 1);
    let planes = positions(dense().encoder, 2).planes;
    let error = quantize(&dense(), &weights, &planes, &options(Precision::F32).metadata);
    let error = error.unwrap_err();
    assert!(matches!(error, ExportError::NoConvolutions), "{error}");
    assert!(error.to_string().contains("leave --int8 out"), "{error}");
}

#[test]
fn groups_must_divide_the_channels() {
    let architecture = Architecture { norm: Norm::Group, groups: 3, ..tiny() };
    let weights = random_weights(&architecture, 1);
    let error = build(&architecture, &weights, &options(Precision::F32)).unwrap_err();
    assert!(matches!(error, ExportError::Groups { groups: 3, channels: 8 }), "{error}");
}

#[test]
fn broken_positions_are_refused() {
    let architecture = tiny();
    let weights = random_weights(&architecture, 1);
    let metadata = options(Precision::F32).metadata;
    for planes in [vec![], vec![0.0; 18 * 64 + 1]] {
        let error = quantize(&architecture, &weights, &planes, &metadata).unwrap_err();
        assert!(matches!(error, ExportError::Planes { position: 1152, .. }), "{error}");
    }
    let file = build(&architecture, &weights, &options(Precision::F32)).unwrap();
    let two = positions(architecture.encoder, 2);
    let outputs = Outputs::default();
    let expected = Expected { planes: &two.planes[1152..], outputs: &outputs, legal: &two.legal };
    assert!(matches!(compare(&file, &expected), Err(ExportError::Planes { .. })));
    let expected = Expected { planes: &two.planes, outputs: &outputs, legal: &two.legal };
    if super::has_runtime() {
        assert!(matches!(compare(&file, &expected), Err(ExportError::Mismatch(_))));
    }
    assert!(matches!(compare(b"<html>", &expected), Err(ExportError::Network(_))));
}
