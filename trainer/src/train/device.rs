//! What computes: the processor, or a graphics card if this build knows it.

use crate::config;
use burn::tensor::Device;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum DeviceError {
    #[error(
        "this trainer was built without {name}; build it with \
         `cargo build --release -p trainer --features {name}`, or use --device cpu"
    )]
    NotBuilt { name: &'static str },
}

pub fn open_device(device: config::Device) -> Result<Device, DeviceError> {
    match device {
        config::Device::Cpu => Ok(Device::flex()),
        #[cfg(feature = "cuda")]
        config::Device::Cuda => Ok(Device::cuda(0)),
        #[cfg(not(feature = "cuda"))]
        config::Device::Cuda => Err(DeviceError::NotBuilt { name: "cuda" }),
        #[cfg(feature = "wgpu")]
        config::Device::Wgpu => Ok(Device::wgpu(Default::default())),
        #[cfg(not(feature = "wgpu"))]
        config::Device::Wgpu => Err(DeviceError::NotBuilt { name: "wgpu" }),
    }
}
