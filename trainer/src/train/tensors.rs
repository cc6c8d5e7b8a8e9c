//! Batches on a device.

use crate::dataset::Batch;
use burn::tensor::{Device, Int, Tensor, TensorData};

pub struct BatchTensors {
    /// [batch, 64, planes].
    pub planes: Tensor<3>,
    /// [batch, width] each.
    pub moves: Tensor<2, Int>,
    pub legal: Tensor<2>,
    pub policy: Tensor<2>,
    /// [batch, 3].
    pub wdl: Tensor<2>,
    /// [batch] each.
    pub value_weight: Tensor<1>,
    pub moves_left: Tensor<1>,
    pub weight: Tensor<1>,
}

impl BatchTensors {
    pub fn new(batch: &Batch, device: &Device) -> BatchTensors {
        let (size, width) = (batch.size, batch.width);
        let planes = batch.planes.len() / (size * 64);
        let matrix = |data: &[f32], columns| {
            Tensor::<2>::from_data(TensorData::new(data.to_vec(), [size, columns]), device)
        };
        let vector =
            |data: &[f32]| Tensor::<1>::from_data(TensorData::new(data.to_vec(), [size]), device);
        let stacked = TensorData::new(batch.planes.clone(), [size, planes, 64]);
        BatchTensors {
            planes: Tensor::<3>::from_data(stacked, device).swap_dims(1, 2),
            moves: Tensor::from_data(TensorData::new(batch.moves.clone(), [size, width]), device),
            legal: matrix(&batch.legal, width),
            policy: matrix(&batch.policy, width),
            wdl: matrix(&batch.wdl, 3),
            value_weight: vector(&batch.value_weight),
            moves_left: vector(&batch.moves_left),
            weight: vector(&batch.weight),
        }
    }
}
