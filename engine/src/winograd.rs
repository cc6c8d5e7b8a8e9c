//! The transforms of Winograd's convolution F(4x4, 3x3), on vectors of channels:
//! the engine's native backend computes with them, and the trainer learns with
//! them.
//!
//! A board with a border of zeros is 10x10 squares. Four tiles of 6x6, four
//! squares apart, cover it; each gives 4x4 squares of the result. `to_tiles`
//! and `from_tiles` are the input and output transforms; each has its adjoint
//! for the way back.
//!
//! Arrays are filled in plain loops: what is handed to `from_fn` or `map` as a
//! closure is compiled without the processor's vector instructions, and was ten
//! times slower.

use pulp::{Arch, Simd, WithSimd};

/// Squares of a board, and side of a board with its border.
pub const SQUARES: usize = 64;
pub const SIDE: usize = 10;
pub const BORDERED: usize = SIDE * SIDE;

/// Tiles per board, and points of a transformed tile.
pub const TILES: usize = 4;
pub const POINTS: usize = 36;

/// Channel counts are rounded up to this: the widest vector of any processor.
pub const LANES: usize = 16;

/// The filter transform: its six rows, for three taps in a line.
pub const FILTER_LINE: [[f32; 3]; 6] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// What becomes of a result before it is stored.
#[derive(Clone, Copy)]
pub struct Finish<'a> {
    /// Added to every row, as wide as the result; nothing if empty.
    pub bias: &'a [f32],
    pub relu: bool,
}

impl Finish<'_> {
    pub const NOTHING: Finish<'static> = Finish { bias: &[], relu: false };
}

/// The first `size` elements, whatever they hold.
pub fn sized(buffer: &mut Vec<f32>, size: usize) -> &mut [f32] {
    if buffer.len() < size {
        buffer.resize(size, 0.0);
    }
    &mut buffer[..size]
}

/// A square's place on the bordered board.
pub fn inside(square: usize) -> usize {
    (square / 8 + 1) * SIDE + square % 8 + 1
}

/// The transformed tiles of many boards: for each point [tiles][channels].
pub struct Points<'a> {
    data: &'a mut [f32],
    tiles: usize,
    pub channels: usize,
}

impl<'a> Points<'a> {
    /// Takes the buffer's first numbers, whatever they hold.
    pub fn new(buffer: &'a mut Vec<f32>, tiles: usize, channels: usize) -> Points<'a> {
        let mut points = Points { data: &mut [], tiles, channels };
        points.data = sized(buffer, POINTS * points.stride());
        points
    }

    /// From one point to the next. A cache line more than the tiles need: they
    /// are often a power of two, and all points would fall on the same lines.
    fn stride(&self) -> usize {
        self.tiles * self.channels + LANES
    }

    /// The tiles of a point.
    pub fn matrix(&self, point: usize) -> &[f32] {
        &self.data[point * self.stride()..][..self.tiles * self.channels]
    }

    pub fn matrix_mut(&mut self, point: usize) -> &mut [f32] {
        let stride = self.stride();
        &mut self.data[point * stride..][..self.tiles * self.channels]
    }
}

/// Input transform of one bordered board, into the tiles from `first` on.
pub fn to_tiles(arch: Arch, bordered: &[f32], points: &mut Points, first: usize) {
    arch.dispatch(ToTiles { bordered, points, first });
}

/// Its adjoint: adds the tiles' gradients up to a bordered board's.
pub fn to_tiles_adjoint(arch: Arch, points: &Points, first: usize, bordered: &mut [f32]) {
    arch.dispatch(ToTilesAdjoint { points, first, bordered });
}

/// Output transform of one board's tiles; `board` is [64][channels].
pub fn from_tiles(arch: Arch, points: &Points, first: usize, finish: Finish, board: &mut [f32]) {
    arch.dispatch(FromTiles { points, first, finish, board });
}

/// Its adjoint: a board's gradient becomes that of its tiles.
pub fn from_tiles_adjoint(arch: Arch, board: &[f32], points: &mut Points, first: usize) {
    arch.dispatch(FromTilesAdjoint { board, points, first });
}

/// The same place of six lines.
macro_rules! across {
    ($lines:ident, $at:expr) => {
        [
            $lines[0][$at],
            $lines[1][$at],
            $lines[2][$at],
            $lines[3][$at],
            $lines[4][$at],
            $lines[5][$at],
        ]
    };
}

struct ToTiles<'a, 'b> {
    bordered: &'a [f32],
    points: &'a mut Points<'b>,
    first: usize,
}

impl WithSimd for ToTiles<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (from, _) = S::as_simd_f32s(self.bordered);
        let n = from.len() / BORDERED;
        let stride = self.points.stride() * n / self.points.channels;
        let (to, _) = S::as_mut_simd_f32s(self.points.data);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * SIDE + tile % 2 * 4;
            for c in 0..n {
                let mut columns = [[zero; 6]; 6];
                for (x, column) in columns.iter_mut().enumerate() {
                    let mut line = [zero; 6];
                    for (y, value) in line.iter_mut().enumerate() {
                        *value = from[(corner + y * SIDE + x) * n + c];
                    }
                    *column = input(simd, line);
                }
                for y in 0..6 {
                    let row = input(simd, across!(columns, y));
                    for x in 0..6 {
                        to[(y * 6 + x) * stride + (self.first + tile) * n + c] = row[x];
                    }
                }
            }
        }
    }
}

struct ToTilesAdjoint<'a, 'b> {
    points: &'a Points<'b>,
    first: usize,
    bordered: &'a mut [f32],
}

impl WithSimd for ToTilesAdjoint<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.bordered.fill(0.0);
        let (to, _) = S::as_mut_simd_f32s(self.bordered);
        let n = to.len() / BORDERED;
        let stride = self.points.stride() * n / self.points.channels;
        let (from, _) = S::as_simd_f32s(self.points.data);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * SIDE + tile % 2 * 4;
            for c in 0..n {
                let mut rows = [[zero; 6]; 6];
                for (y, row) in rows.iter_mut().enumerate() {
                    let mut line = [zero; 6];
                    for (x, value) in line.iter_mut().enumerate() {
                        *value = from[(y * 6 + x) * stride + (self.first + tile) * n + c];
                    }
                    *row = input_adjoint(simd, line);
                }
                for x in 0..6 {
                    let column = input_adjoint(simd, across!(rows, x));
                    for y in 0..6 {
                        let square = &mut to[(corner + y * SIDE + x) * n + c];
                        *square = simd.add_f32s(*square, column[y]);
                    }
                }
            }
        }
    }
}

struct FromTiles<'a, 'b> {
    points: &'a Points<'b>,
    first: usize,
    finish: Finish<'a>,
    board: &'a mut [f32],
}

impl WithSimd for FromTiles<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (to, _) = S::as_mut_simd_f32s(self.board);
        let n = to.len() / SQUARES;
        let stride = self.points.stride() * n / self.points.channels;
        let (from, _) = S::as_simd_f32s(self.points.data);
        let (bias, _) = S::as_simd_f32s(self.finish.bias);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * 8 + tile % 2 * 4;
            for c in 0..n {
                let bias = bias.get(c);
                let mut columns = [[zero; 4]; 6];
                for (x, column) in columns.iter_mut().enumerate() {
                    let mut line = [zero; 6];
                    for (y, value) in line.iter_mut().enumerate() {
                        *value = from[(y * 6 + x) * stride + (self.first + tile) * n + c];
                    }
                    *column = output(simd, line);
                }
                for y in 0..4 {
                    let row = output(simd, across!(columns, y));
                    for x in 0..4 {
                        let mut value = row[x];
                        if let Some(bias) = bias {
                            value = simd.add_f32s(value, *bias);
                        }
                        if self.finish.relu {
                            // In this order a value that is no number stays one.
                            value = simd.max_f32s(zero, value);
                        }
                        to[(corner + y * 8 + x) * n + c] = value;
                    }
                }
            }
        }
    }
}

struct FromTilesAdjoint<'a, 'b> {
    board: &'a [f32],
    points: &'a mut Points<'b>,
    first: usize,
}

impl WithSimd for FromTilesAdjoint<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (from, _) = S::as_simd_f32s(self.board);
        let n = from.len() / SQUARES;
        let stride = self.points.stride() * n / self.points.channels;
        let (to, _) = S::as_mut_simd_f32s(self.points.data);
        let zero = simd.splat_f32s(0.0);
        for tile in 0..TILES {
            let corner = (tile / 2 * 4) * 8 + tile % 2 * 4;
            for c in 0..n {
                let mut columns = [[zero; 6]; 4];
                for (x, column) in columns.iter_mut().enumerate() {
                    let mut line = [zero; 4];
                    for (y, value) in line.iter_mut().enumerate() {
                        *value = from[(corner + y * 8 + x) * n + c];
                    }
                    *column = output_adjoint(simd, line);
                }
                for y in 0..6 {
                    let row = output_adjoint(
                        simd,
                        [columns[0][y], columns[1][y], columns[2][y], columns[3][y]],
                    );
                    for x in 0..6 {
                        to[(y * 6 + x) * stride + (self.first + tile) * n + c] = row[x];
                    }
                }
            }
        }
    }
}

/// Rows of the input transform: (4 0 -5 0 1 0), (0 -4 -4 1 1 0), (0 4 -4 -1 1 0),
/// (0 -2 -1 2 1 0), (0 2 -1 -2 1 0), (0 4 0 -5 0 1).
#[inline(always)]
fn input<S: Simd>(simd: S, d: [S::f32s; 6]) -> [S::f32s; 6] {
    let (two, four, five) = constants(simd);
    let even = simd.sub_f32s(d[4], simd.mul_f32s(four, d[2]));
    let odd = simd.sub_f32s(d[3], simd.mul_f32s(four, d[1]));
    let near = simd.sub_f32s(d[4], d[2]);
    let far = simd.mul_f32s(two, simd.sub_f32s(d[3], d[1]));
    [
        simd.mul_add_e_f32s(four, d[0], simd.sub_f32s(d[4], simd.mul_f32s(five, d[2]))),
        simd.add_f32s(even, odd),
        simd.sub_f32s(even, odd),
        simd.add_f32s(near, far),
        simd.sub_f32s(near, far),
        simd.mul_add_e_f32s(four, d[1], simd.sub_f32s(d[5], simd.mul_f32s(five, d[3]))),
    ]
}

/// The transposed matrix of [`input`].
#[inline(always)]
fn input_adjoint<S: Simd>(simd: S, g: [S::f32s; 6]) -> [S::f32s; 6] {
    let (two, four, five) = constants(simd);
    let near = simd.add_f32s(g[1], g[2]);
    let near_difference = simd.sub_f32s(g[1], g[2]);
    let far = simd.add_f32s(g[3], g[4]);
    let far_difference = simd.mul_f32s(two, simd.sub_f32s(g[3], g[4]));
    [
        simd.mul_f32s(four, g[0]),
        simd.sub_f32s(simd.mul_f32s(four, simd.sub_f32s(g[5], near_difference)), far_difference),
        simd.sub_f32s(
            simd.sub_f32s(simd.mul_f32s(simd.neg_f32s(five), g[0]), simd.mul_f32s(four, near)),
            far,
        ),
        simd.sub_f32s(simd.add_f32s(near_difference, far_difference), simd.mul_f32s(five, g[5])),
        simd.add_f32s(simd.add_f32s(g[0], near), far),
        g[5],
    ]
}

/// Rows of the output transform: (1 1 1 1 1 0), (0 1 -1 2 -2 0), (0 1 1 4 4 0),
/// (0 1 -1 8 -8 1).
#[inline(always)]
fn output<S: Simd>(simd: S, m: [S::f32s; 6]) -> [S::f32s; 4] {
    let (two, four, _) = constants(simd);
    let eight = simd.splat_f32s(8.0);
    let near = simd.add_f32s(m[1], m[2]);
    let near_difference = simd.sub_f32s(m[1], m[2]);
    let far = simd.add_f32s(m[3], m[4]);
    let far_difference = simd.sub_f32s(m[3], m[4]);
    [
        simd.add_f32s(simd.add_f32s(m[0], near), far),
        simd.mul_add_e_f32s(two, far_difference, near_difference),
        simd.mul_add_e_f32s(four, far, near),
        simd.mul_add_e_f32s(eight, far_difference, simd.add_f32s(near_difference, m[5])),
    ]
}

/// The transposed matrix of [`output`].
#[inline(always)]
fn output_adjoint<S: Simd>(simd: S, g: [S::f32s; 4]) -> [S::f32s; 6] {
    let (two, four, _) = constants(simd);
    let near_even = simd.add_f32s(g[0], g[2]);
    let near_odd = simd.add_f32s(g[1], g[3]);
    let far_even = simd.mul_add_e_f32s(four, g[2], g[0]);
    let far_odd = simd.mul_f32s(two, simd.mul_add_e_f32s(four, g[3], g[1]));
    [
        g[0],
        simd.add_f32s(near_even, near_odd),
        simd.sub_f32s(near_even, near_odd),
        simd.add_f32s(far_even, far_odd),
        simd.sub_f32s(far_even, far_odd),
        g[3],
    ]
}

#[inline(always)]
fn constants<S: Simd>(simd: S) -> (S::f32s, S::f32s, S::f32s) {
    (simd.splat_f32s(2.0), simd.splat_f32s(4.0), simd.splat_f32s(5.0))
}
