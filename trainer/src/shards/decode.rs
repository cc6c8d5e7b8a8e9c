//! One Arrow batch in, records out.
//!
//! Every column is looked up and cast once per batch; after that a record is
//! read by offsets into plain arrays.

use super::{Outcome, Ply, PolicyTarget, Record, Score, SearchKind};
use arrow::array::{
    Array, ArrayRef, BooleanArray, Float32Array, Int32Array, ListArray, PrimitiveArray,
    RecordBatch, StringArray, StructArray, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::datatypes::ArrowPrimitiveType;
use engine::chess::PackedMove;
use std::ops::Range;

/// A batch with its columns at hand.
pub(super) struct Decoder<'a> {
    rows: usize,
    id: &'a UInt64Array,
    group: &'a UInt64Array,
    start_fen: &'a StringArray,
    chess960: &'a BooleanArray,
    moves_of: &'a ListArray,
    moves: &'a UInt16Array,
    result: &'a StringArray,
    termination: &'a StringArray,
    white: &'a StringArray,
    black: &'a StringArray,
    white_elo: &'a UInt16Array,
    black_elo: &'a UInt16Array,
    source: &'a StringArray,
    opening: &'a StringArray,
    tags_of: &'a ListArray,
    tag_key: &'a StringArray,
    tag_value: &'a StringArray,
    engine: &'a StringArray,
    network: &'a StringArray,
    config: &'a StringArray,
    seed: &'a UInt64Array,
    generation: &'a UInt32Array,
    plies_of: &'a ListArray,
    plies: PlyArrays<'a>,
}

impl<'a> Decoder<'a> {
    /// The batch has the schema's columns; the complaint is of nulls where there
    /// must be none.
    pub(super) fn new(batch: &'a RecordBatch) -> Result<Decoder<'a>, String> {
        let columns = Table { path: "", find: &|name| batch.column_by_name(name) };
        let moves_of = columns.required::<ListArray>("moves")?;
        let tags_of = columns.required::<ListArray>("tags")?;
        let tags = element::<StructArray>(tags_of, "tags")?;
        let tags = Table { path: "tags.", find: &|name| tags.column_by_name(name) };
        let plies_of = columns.required::<ListArray>("plies")?;
        Ok(Decoder {
            rows: batch.num_rows(),
            id: columns.required("id")?,
            group: columns.required("group")?,
            start_fen: columns.required("start_fen")?,
            chess960: columns.required("chess960")?,
            moves_of,
            moves: element(moves_of, "moves")?,
            result: columns.required("result")?,
            termination: columns.required("termination")?,
            white: columns.optional("white")?,
            black: columns.optional("black")?,
            white_elo: columns.optional("white_elo")?,
            black_elo: columns.optional("black_elo")?,
            source: columns.required("source")?,
            opening: columns.optional("opening")?,
            tags_of,
            tag_key: tags.required("key")?,
            tag_value: tags.required("value")?,
            engine: columns.optional("engine")?,
            network: columns.optional("network")?,
            config: columns.optional("config")?,
            seed: columns.optional("seed")?,
            generation: columns.optional("generation")?,
            plies_of,
            plies: PlyArrays::new(element(plies_of, "plies")?)?,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The record of a row; the complaint is of its contents.
    pub(super) fn record(&self, row: usize) -> Result<Record, String> {
        let moves = &self.moves.values()[range(self.moves_of, row)];
        let plies = range(self.plies_of, row);
        if plies.len() != moves.len() && plies.len() != moves.len() + 1 {
            return Err(format!("{} plies for {} moves", plies.len(), moves.len()));
        }
        let mut moves = moves.iter().map(|code| PackedMove(*code));
        let record = Record {
            group: self.group.value(row),
            start_fen: self.start_fen.value(row).to_string(),
            chess960: self.chess960.value(row),
            plies: plies
                .map(|at| self.plies.ply(at, moves.next()))
                .collect::<Result<Vec<Ply>, String>>()?,
            result: Outcome::parse(self.result.value(row))
                .ok_or_else(|| format!("unknown result {:?}", self.result.value(row)))?,
            termination: self.termination.value(row).to_string(),
            white: text(self.white, row),
            black: text(self.black, row),
            white_elo: number(self.white_elo, row),
            black_elo: number(self.black_elo, row),
            source: self.source.value(row).to_string(),
            opening: text(self.opening, row),
            tags: range(self.tags_of, row)
                .map(|at| {
                    (self.tag_key.value(at).to_string(), self.tag_value.value(at).to_string())
                })
                .collect(),
            engine: text(self.engine, row),
            network: text(self.network, row),
            config: text(self.config, row),
            seed: number(self.seed, row),
            generation: number(self.generation, row),
        };
        if record.id() != self.id.value(row) {
            return Err("the id does not belong to this start and these moves".to_string());
        }
        Ok(record)
    }
}

struct PlyArrays<'a> {
    policy_of: &'a ListArray,
    policy: PolicyArrays<'a>,
    wdl: &'a StructArray,
    win: &'a Float32Array,
    draw: &'a Float32Array,
    loss: &'a Float32Array,
    q: &'a Float32Array,
    cp: &'a Int32Array,
    mate: &'a Int32Array,
    kind: &'a StringArray,
    weight: &'a Float32Array,
}

impl<'a> PlyArrays<'a> {
    fn new(plies: &'a StructArray) -> Result<PlyArrays<'a>, String> {
        let columns = Table { path: "plies.", find: &|name| plies.column_by_name(name) };
        let policy_of = columns.required::<ListArray>("policy")?;
        let wdl = columns.optional::<StructArray>("wdl")?;
        let parts = Table { path: "plies.wdl.", find: &|name| wdl.column_by_name(name) };
        Ok(PlyArrays {
            policy_of,
            policy: PolicyArrays::new(element(policy_of, "plies.policy")?)?,
            wdl,
            win: parts.optional("win")?,
            draw: parts.optional("draw")?,
            loss: parts.optional("loss")?,
            q: columns.optional("q")?,
            cp: columns.optional("cp")?,
            mate: columns.optional("mate")?,
            kind: columns.required("kind")?,
            weight: columns.required("weight")?,
        })
    }

    fn ply(&self, at: usize, played: Option<PackedMove>) -> Result<Ply, String> {
        let kind = self.kind.value(at);
        Ok(Ply {
            played,
            policy: range(self.policy_of, at).map(|at| self.policy.target(at)).collect(),
            wdl: self.wdl(at)?,
            q: number(self.q, at),
            score: match (number(self.cp, at), number(self.mate, at)) {
                (None, None) => None,
                (Some(cp), None) => Some(Score::Centipawns(cp)),
                (None, Some(moves)) => Some(Score::Mate(moves)),
                (Some(_), Some(_)) => return Err("a ply has both cp and mate".to_string()),
            },
            kind: SearchKind::parse(kind).ok_or_else(|| format!("unknown kind {kind:?}"))?,
            weight: self.weight.value(at),
        })
    }

    fn wdl(&self, at: usize) -> Result<Option<[f32; 3]>, String> {
        if self.wdl.is_null(at) {
            return Ok(None);
        }
        match [self.win, self.draw, self.loss].map(|part| number(part, at)) {
            [Some(win), Some(draw), Some(loss)] => Ok(Some([win, draw, loss])),
            _ => Err("a part of wdl is null".to_string()),
        }
    }
}

struct PolicyArrays<'a> {
    m: &'a UInt16Array,
    weight: &'a Float32Array,
    visits: &'a UInt32Array,
    prior: &'a Float32Array,
    value: &'a Float32Array,
}

impl<'a> PolicyArrays<'a> {
    fn new(policy: &'a StructArray) -> Result<PolicyArrays<'a>, String> {
        let columns = Table { path: "plies.policy.", find: &|name| policy.column_by_name(name) };
        Ok(PolicyArrays {
            m: columns.required("move")?,
            weight: columns.required("weight")?,
            visits: columns.optional("visits")?,
            prior: columns.optional("prior")?,
            value: columns.optional("value")?,
        })
    }

    fn target(&self, at: usize) -> PolicyTarget {
        PolicyTarget {
            m: PackedMove(self.m.value(at)),
            weight: self.weight.value(at),
            visits: number(self.visits, at),
            prior: number(self.prior, at),
            value: number(self.value, at),
        }
    }
}

/// Columns by name, of a batch or a struct.
struct Table<'t, 'a> {
    /// Their names' beginning, for complaints.
    path: &'t str,
    find: &'t dyn Fn(&str) -> Option<&'a ArrayRef>,
}

impl<'a> Table<'_, 'a> {
    fn optional<T: Array + 'static>(&self, name: &str) -> Result<&'a T, String> {
        (self.find)(name)
            .and_then(|column| column.as_any().downcast_ref())
            .ok_or_else(|| format!("column {}{name} is missing or of another type", self.path))
    }

    fn required<T: Array + 'static>(&self, name: &str) -> Result<&'a T, String> {
        let column = self.optional::<T>(name)?;
        match column.null_count() {
            0 => Ok(column),
            nulls => Err(format!("column {}{name} has {nulls} nulls", self.path)),
        }
    }
}

/// What a list column holds.
fn element<'a, T: Array + 'static>(list: &'a ListArray, path: &str) -> Result<&'a T, String> {
    Table { path, find: &|_| Some(list.values()) }.required("[]")
}

/// Where the elements of a row's list are.
fn range(list: &ListArray, row: usize) -> Range<usize> {
    let offsets = list.value_offsets();
    offsets[row] as usize..offsets[row + 1] as usize
}

fn number<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, at: usize) -> Option<T::Native> {
    column.is_valid(at).then(|| column.value(at))
}

fn text(column: &StringArray, at: usize) -> Option<String> {
    column.is_valid(at).then(|| column.value(at).to_string())
}
