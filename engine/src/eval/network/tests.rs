use super::*;
use crate::encode::{Encoder, PolicyMap};
use crate::onnx::{Dim, GraphBuilder, NetworkSpec, random_network};

fn spec() -> NetworkSpec {
    NetworkSpec::tiny(Encoder::Basic18, PolicyMap::Az4672, ValueHead::Wdl)
}

fn refusal(bytes: Vec<u8>) -> String {
    Network::from_bytes("some/net.onnx", bytes).unwrap_err().to_string()
}

/// A graph of one input and outputs with nothing between: enough for a layout.
fn outside(
    input: (&str, &[Dim]),
    outputs: &[(&str, &[Dim])],
    metadata: &[(&str, &str)],
) -> Vec<u8> {
    let mut graph = GraphBuilder::new("test");
    let x = graph.input(input.0, input.1);
    for (name, dims) in outputs {
        let y = graph.node("Identity", &[&x], &[]);
        graph.output(&y, name, dims);
    }
    for (key, value) in metadata {
        graph.metadata(key, value);
    }
    graph.finish()
}

const B: Dim = Dim::Open("batch");
const LC0: (&str, &[Dim]) = ("/input/planes", &[B, Dim::Fixed(112), Dim::Fixed(8), Dim::Fixed(8)]);
const LC0_POLICY: (&str, &[Dim]) = ("/output/policy", &[B, Dim::Fixed(1858)]);

#[test]
fn our_networks_are_known_by_metadata() {
    let mut spec = spec();
    spec.moves_left = true;
    let network = Network::from_bytes("a/b.onnx", random_network(&spec)).unwrap();
    let layout = &network.layout;
    assert_eq!((layout.encoder, layout.policy), (Encoder::Basic18, PolicyMap::Az4672));
    assert_eq!(layout.value, ValueHead::Wdl);
    assert_eq!(layout.moves_left_output.as_ref().unwrap().name, "moves_left");
    assert_eq!(network.metadata["arbor.net"], "se-resnet 2x16");
    assert_eq!(network.hash.len(), 64);
    assert_eq!(network.name(), "b.onnx");
}

#[test]
fn networks_that_differ_in_numbers_alone_have_one_architecture() {
    let open = |spec| Network::from_bytes("net.onnx", random_network(&spec)).unwrap();
    let first = open(spec());
    let other = open(NetworkSpec { seed: 2, ..spec() });
    assert_ne!(first.hash, other.hash);
    assert_eq!(first.architecture, other.architecture);
    for spec in [
        NetworkSpec { channels: 24, ..spec() },
        NetworkSpec { blocks: 3, ..spec() },
        NetworkSpec { moves_left: true, ..spec() },
    ] {
        assert_ne!(first.architecture, open(spec).architecture);
    }
}

#[test]
fn lc0_networks_are_known_by_names() {
    let wdl: (&str, &[Dim]) = ("/output/wdl", &[B, Dim::Fixed(3)]);
    let bytes = outside(LC0, &[LC0_POLICY, wdl], &[]);
    let layout = Network::from_bytes("x", bytes).unwrap().layout;
    assert_eq!((layout.encoder, layout.value), (Encoder::Lc0, ValueHead::WdlProbabilities));
    let value: (&str, &[Dim]) = ("/output/value", &[B, Dim::Fixed(1)]);
    let mlh: (&str, &[Dim]) = ("/output/mlh", &[B, Dim::Fixed(1)]);
    let layout =
        Network::from_bytes("x", outside(LC0, &[LC0_POLICY, value, mlh], &[])).unwrap().layout;
    assert_eq!(layout.value, ValueHead::Scalar);
    assert!(layout.moves_left_output.is_some());
}

#[test]
fn refusals_say_what_was_found_and_what_is_supported() {
    let text = refusal(outside(LC0, &[LC0_POLICY], &[]));
    assert!(text.contains("`/output/value` is missing"), "{text}");
    let narrow: (&str, &[Dim]) = ("/output/policy", &[B, Dim::Fixed(1857)]);
    let text = refusal(outside(LC0, &[narrow], &[]));
    assert!(text.contains("[?,1857] should be [batch,1858]"), "{text}");
    let fixed: (&str, &[Dim]) =
        ("/input/planes", &[Dim::Fixed(1), Dim::Fixed(112), Dim::Fixed(8), Dim::Fixed(8)]);
    let text = refusal(outside(fixed, &[LC0_POLICY], &[]));
    assert!(text.contains("open batch dimension"), "{text}");
    let text = refusal(outside(("image", &[B]), &[("classes", &[B])], &[]));
    assert!(text.contains("some/net.onnx") && text.contains("`image`"), "{text}");
    assert!(text.contains("Supported: metadata"), "{text}");
    let metadata = [("arbor.format", "1"), ("arbor.encoder", "rich9"), ("arbor.value", "wdl")];
    let text = refusal(outside(LC0, &[LC0_POLICY], &metadata));
    assert!(text.contains("`rich9`"), "{text}");
    let text = refusal(outside(LC0, &[LC0_POLICY], &[("arbor.format", "2")]));
    assert!(text.contains("newer engine"), "{text}");
}

#[test]
fn other_files_are_named_for_what_they_are() {
    assert!(refusal(Vec::new()).contains("empty"));
    assert!(refusal(vec![0x1f, 0x8b, 8, 0]).contains("lc0 leela2onnx"));
    assert!(refusal(b"PK\x03\x04abc".to_vec()).contains("zip archive"));
    assert!(refusal(b"version https://git-lfs".to_vec()).contains("Git LFS"));
    assert!(refusal(b"<!DOCTYPE html>".to_vec()).contains("web page"));
    assert!(refusal(b"hello, world".to_vec()).contains("damaged"));
    let missing = Network::open("/no/such/net.onnx").unwrap_err().to_string();
    assert!(missing.contains("/no/such/net.onnx"), "{missing}");
    let folder = Network::open(std::env::temp_dir()).unwrap_err().to_string();
    assert!(folder.contains("not a file"), "{folder}");
}

#[test]
fn no_damage_makes_it_panic() {
    let bytes = random_network(&spec());
    for len in (0..bytes.len()).step_by(97).chain(bytes.len() - 600..bytes.len()) {
        let cut = Network::from_bytes("cut.onnx", bytes[..len].to_vec());
        // Only metadata follow the graph; a file may lose their end and be whole.
        assert!(cut.is_err() || len > bytes.len() - 300, "{len}");
    }
    // The structure is at the ends; weights fill the middle.
    let ends = (0..300).chain(bytes.len() - 2000..bytes.len());
    for at in ends.chain((300..bytes.len()).step_by(211)) {
        for flip in [1u8, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let _ = Network::from_bytes("flipped.onnx", bytes);
        }
    }
}

#[test]
fn tuning_is_read_and_checked() {
    let with = |name: &str, text: &str| {
        let wdl: (&str, &[Dim]) = ("/output/wdl", &[B, Dim::Fixed(3)]);
        let metadata = [(name, text)];
        let network = Network::from_bytes("x", outside(LC0, &[LC0_POLICY, wdl], &metadata));
        network.map(|network| network.tuned_for)
    };
    let temperature = |text| with("arbor.policy_temperature", text);
    assert_eq!(temperature("1.36").unwrap().policy_temperature, Some(1.36));
    assert!(temperature("hot").unwrap_err().to_string().contains("`hot`"));
    assert!(temperature("0").is_err() && temperature("NaN").is_err());
    let tuned_for = TunedFor { cpuct: Some(2.5), ..TunedFor::default() };
    assert_eq!(with("arbor.cpuct", "2.5").unwrap(), tuned_for);
    assert!(with("arbor.cpuct", "-1").is_err());
    assert_eq!(with("arbor.cpuct_at_root", "4").unwrap().cpuct_at_root, Some(4.0));
    assert_eq!(with("arbor.fpu_reduction", "-0.2").unwrap().fpu_reduction, Some(-0.2));
    assert_eq!(with("arbor.net", "x").unwrap(), TunedFor::default());
}
