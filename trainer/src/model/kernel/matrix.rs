//! Matrix products on one thread, by the `gemm` crate.

/// A row-major matrix, or its transpose.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// `rows` rows, `stride` apart, of `columns` numbers each.
    pub fn new(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> Matrix<'a> {
        assert!(rows > 0 && data.len() >= (rows - 1) * stride + columns);
        Matrix { data, rows, columns, row_stride: stride, column_stride: 1 }
    }

    pub fn transposed(self) -> Matrix<'a> {
        Matrix {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }
}

/// to = a * b, on the calling thread; `to` is row-major.
pub fn multiply(a: Matrix, b: Matrix, to: &mut [f32], stride: usize) {
    assert!(a.columns == b.rows && to.len() >= (a.rows - 1) * stride + b.columns);
    // SAFETY: `Matrix::new` and the line above checked that all three matrices
    // lie within their slices, and `to` is borrowed alone.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            to.as_mut_ptr(),
            1,
            stride as isize,
            false,
            a.data.as_ptr(),
            a.column_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.column_stride as isize,
            b.row_stride as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
