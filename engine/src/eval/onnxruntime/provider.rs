//! Execution providers: the devices that ONNX Runtime can run a network on.

use crate::eval::runtime::REMEDY;
use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use std::fmt;

/// A device family of ONNX Runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Provider {
    Cpu,
    Cuda,
    Tensorrt,
    Openvino,
    Coreml,
    Directml,
}

impl Provider {
    pub const ALL: [Provider; 6] = [
        Provider::Cpu,
        Provider::Cuda,
        Provider::Tensorrt,
        Provider::Openvino,
        Provider::Coreml,
        Provider::Directml,
    ];

    /// Whether the loaded library was built with this provider. Needs a loaded
    /// [`Runtime`](crate::eval::Runtime).
    pub fn compiled_in(self) -> bool {
        let available = match self {
            Provider::Cpu => ep::CPU::is_available(),
            Provider::Cuda => ep::CUDA::is_available(),
            Provider::Tensorrt => ep::TensorRT::is_available(),
            Provider::Openvino => ep::OpenVINO::is_available(),
            Provider::Coreml => ep::CoreML::is_available(),
            Provider::Directml => ep::DirectML::is_available(),
        };
        available.unwrap_or(false)
    }

    /// Where the time goes to a device of its own, so that batches should be
    /// large and several in flight.
    pub fn is_accelerator(self) -> bool {
        !matches!(self, Provider::Cpu | Provider::Openvino)
    }

    /// How to get a library with this provider.
    pub fn remedy(self) -> &'static str {
        match self {
            Provider::Cpu => REMEDY,
            Provider::Cuda | Provider::Tensorrt => {
                "run `python3 -m pip download --no-deps onnxruntime-gpu`, unpack the wheel (it is \
                 a zip) and set ORT_DYLIB_PATH to its onnxruntime/capi folder"
            }
            Provider::Openvino => {
                "run `python3 -m pip download --no-deps onnxruntime-openvino`, unpack the wheel \
                 (it is a zip) and set ORT_DYLIB_PATH to its onnxruntime/capi folder"
            }
            Provider::Coreml => "CoreML is in ONNX Runtime for macOS only",
            Provider::Directml => {
                "on Windows run `python -m pip download --no-deps onnxruntime-directml`, unpack \
                 the wheel (it is a zip) and set ORT_DYLIB_PATH to its onnxruntime\\capi folder"
            }
        }
    }

    /// What a library that has this provider needs beside itself.
    pub fn needs(self) -> &'static str {
        match self {
            Provider::Cpu => "nothing more",
            Provider::Cuda => {
                "an NVIDIA GPU with its driver, and CUDA and cuDNN on the library path, of the \
                 versions that the message names"
            }
            Provider::Tensorrt => {
                "an NVIDIA GPU with its driver, and TensorRT, CUDA and cuDNN on the library path, \
                 of the versions that the message names"
            }
            Provider::Openvino => "the OpenVINO libraries, which its wheel has in the same folder",
            Provider::Coreml => "macOS 10.15 or later",
            Provider::Directml => "a GPU with DirectX 12, and DirectML.dll beside the library",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Provider::Cpu => "CPU",
            Provider::Cuda => "CUDA",
            Provider::Tensorrt => "TensorRT",
            Provider::Openvino => "OpenVINO",
            Provider::Coreml => "CoreML",
            Provider::Directml => "DirectML",
        })
    }
}

/// What a provider needs to know of the network and the machine.
pub(super) struct ProviderSettings<'a> {
    pub device_id: i32,
    pub fp16: bool,
    /// Largest batch that a compiled engine shall take.
    pub max_batch: usize,
    pub input: &'a str,
    pub planes: usize,
    /// Where compiled engines for this network, runtime and batch range belong.
    pub engine_cache: Option<String>,
}

/// The provider with its settings, to be registered so that failure is an
/// error; `None` for the CPU, which every session has.
pub(super) fn dispatch(
    provider: Provider,
    settings: &ProviderSettings,
) -> Option<ExecutionProviderDispatch> {
    let device = settings.device_id;
    let dispatch = match provider {
        Provider::Cpu => return None,
        Provider::Cuda => ep::CUDA::default()
            .with_device_id(device)
            .with_tf32(settings.fp16)
            // Batches come in a few fixed sizes, so the search pays once a size.
            .with_conv_algorithm_search(ep::cuda::ConvAlgorithmSearch::Exhaustive)
            .build(),
        Provider::Tensorrt => {
            let shape =
                |batch: usize| format!("{}:{batch}x{}x8x8", settings.input, settings.planes);
            let mut tensorrt = ep::TensorRT::default()
                .with_device_id(device)
                .with_fp16(settings.fp16)
                .with_profile_min_shapes(shape(1))
                .with_profile_opt_shapes(shape(settings.max_batch / 2))
                .with_profile_max_shapes(shape(settings.max_batch));
            if let Some(folder) = &settings.engine_cache {
                tensorrt = tensorrt
                    .with_engine_cache(true)
                    .with_engine_cache_path(folder)
                    .with_timing_cache(true)
                    .with_timing_cache_path(folder);
            }
            tensorrt.build()
        }
        Provider::Openvino => {
            let mut openvino = ep::OpenVINO::default().with_device_type("CPU").with_num_threads(1);
            if settings.fp16 {
                openvino = openvino.with_device_type("GPU").with_precision("FP16");
            }
            openvino.build()
        }
        Provider::Coreml => ep::CoreML::default()
            .with_model_format(ep::coreml::ModelFormat::MLProgram)
            .with_compute_units(ep::coreml::ComputeUnits::All)
            .with_low_precision_accumulation_on_gpu(settings.fp16)
            .build(),
        Provider::Directml => ep::DirectML::default().with_device_id(device).build(),
    };
    Some(dispatch.error_on_failure())
}
