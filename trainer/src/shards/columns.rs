//! Records in, one Arrow batch out: the columns of a row group under way.
//!
//! The builders are typed and flat, one per leaf of the schema, and the nesting
//! is put around them at the end, so that a record is appended without any
//! allocation of its own.

use super::schema::{element, ply_fields, policy_fields, schema, tag_fields, wdl_fields};
use super::{Ply, PolicyTarget, Record, Score};
use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBufferBuilder, BooleanBuilder, Float32Builder, Int32Builder,
    ListArray, RecordBatch, StringBuilder, StructArray, UInt16Builder, UInt32Builder,
    UInt64Builder,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Columns {
    id: UInt64Builder,
    group: UInt64Builder,
    start_fen: StringBuilder,
    chess960: BooleanBuilder,
    moves_of: Lengths,
    moves: UInt16Builder,
    result: StringBuilder,
    termination: StringBuilder,
    white: StringBuilder,
    black: StringBuilder,
    white_elo: UInt16Builder,
    black_elo: UInt16Builder,
    source: StringBuilder,
    opening: StringBuilder,
    tags_of: Lengths,
    tags: TagColumns,
    engine: StringBuilder,
    network: StringBuilder,
    config: StringBuilder,
    seed: UInt64Builder,
    generation: UInt32Builder,
    plies_of: Lengths,
    plies: PlyColumns,
}

impl Columns {
    pub(super) fn append(&mut self, record: &Record) {
        self.id.append_value(record.id());
        self.group.append_value(record.group);
        self.start_fen.append_value(&record.start_fen);
        self.chess960.append_value(record.chess960);
        let before = self.moves.len();
        record.moves().for_each(|m| self.moves.append_value(m.0));
        self.moves_of.push(self.moves.len() - before);
        self.result.append_value(record.result.text());
        self.termination.append_value(&record.termination);
        self.white.append_option(record.white.as_deref());
        self.black.append_option(record.black.as_deref());
        self.white_elo.append_option(record.white_elo);
        self.black_elo.append_option(record.black_elo);
        self.source.append_value(&record.source);
        self.opening.append_option(record.opening.as_deref());
        self.tags_of.push(record.tags.len());
        record.tags.iter().for_each(|tag| self.tags.append(tag));
        self.engine.append_option(record.engine.as_deref());
        self.network.append_option(record.network.as_deref());
        self.config.append_option(record.config.as_deref());
        self.seed.append_option(record.seed);
        self.generation.append_option(record.generation);
        self.plies_of.push(record.plies.len());
        record.plies.iter().for_each(|ply| self.plies.append(ply));
    }

    /// In the order of the schema.
    pub(super) fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.group.finish()),
            Arc::new(self.start_fen.finish()),
            Arc::new(self.chess960.finish()),
            self.moves_of.list(DataType::UInt16, Arc::new(self.moves.finish()))?,
            Arc::new(self.result.finish()),
            Arc::new(self.termination.finish()),
            Arc::new(self.white.finish()),
            Arc::new(self.black.finish()),
            Arc::new(self.white_elo.finish()),
            Arc::new(self.black_elo.finish()),
            Arc::new(self.source.finish()),
            Arc::new(self.opening.finish()),
            self.tags_of.list(DataType::Struct(tag_fields()), self.tags.finish()?)?,
            Arc::new(self.engine.finish()),
            Arc::new(self.network.finish()),
            Arc::new(self.config.finish()),
            Arc::new(self.seed.finish()),
            Arc::new(self.generation.finish()),
            self.plies_of.list(DataType::Struct(ply_fields()), self.plies.finish()?)?,
        ];
        RecordBatch::try_new(schema(), columns)
    }
}

#[derive(Default)]
struct TagColumns {
    key: StringBuilder,
    value: StringBuilder,
}

impl TagColumns {
    fn append(&mut self, (key, value): &(String, String)) {
        self.key.append_value(key);
        self.value.append_value(value);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let columns: Vec<ArrayRef> =
            vec![Arc::new(self.key.finish()), Arc::new(self.value.finish())];
        Ok(Arc::new(StructArray::try_new(tag_fields(), columns, None)?))
    }
}

#[derive(Default)]
struct PlyColumns {
    policy_of: Lengths,
    policy: PolicyColumns,
    wdl: WdlColumns,
    q: Float32Builder,
    cp: Int32Builder,
    mate: Int32Builder,
    kind: StringBuilder,
    weight: Float32Builder,
}

impl PlyColumns {
    fn append(&mut self, ply: &Ply) {
        self.policy_of.push(ply.policy.len());
        ply.policy.iter().for_each(|target| self.policy.append(target));
        self.wdl.append(ply.wdl);
        self.q.append_option(ply.q);
        let (cp, mate) = match ply.score {
            Some(Score::Centipawns(cp)) => (Some(cp), None),
            Some(Score::Mate(moves)) => (None, Some(moves)),
            None => (None, None),
        };
        self.cp.append_option(cp);
        self.mate.append_option(mate);
        self.kind.append_value(ply.kind.text());
        self.weight.append_value(ply.weight);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let policy = self.policy.finish()?;
        let columns: Vec<ArrayRef> = vec![
            self.policy_of.list(DataType::Struct(policy_fields()), policy)?,
            self.wdl.finish()?,
            Arc::new(self.q.finish()),
            Arc::new(self.cp.finish()),
            Arc::new(self.mate.finish()),
            Arc::new(self.kind.finish()),
            Arc::new(self.weight.finish()),
        ];
        Ok(Arc::new(StructArray::try_new(ply_fields(), columns, None)?))
    }
}

#[derive(Default)]
struct PolicyColumns {
    m: UInt16Builder,
    weight: Float32Builder,
    visits: UInt32Builder,
    prior: Float32Builder,
    value: Float32Builder,
}

impl PolicyColumns {
    fn append(&mut self, target: &PolicyTarget) {
        self.m.append_value(target.m.0);
        self.weight.append_value(target.weight);
        self.visits.append_option(target.visits);
        self.prior.append_option(target.prior);
        self.value.append_option(target.value);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.m.finish()),
            Arc::new(self.weight.finish()),
            Arc::new(self.visits.finish()),
            Arc::new(self.prior.finish()),
            Arc::new(self.value.finish()),
        ];
        Ok(Arc::new(StructArray::try_new(policy_fields(), columns, None)?))
    }
}

/// A nullable struct of three required numbers.
struct WdlColumns {
    present: BooleanBufferBuilder,
    parts: [Float32Builder; 3],
}

impl Default for WdlColumns {
    fn default() -> WdlColumns {
        WdlColumns { present: BooleanBufferBuilder::new(0), parts: Default::default() }
    }
}

impl WdlColumns {
    fn append(&mut self, wdl: Option<[f32; 3]>) {
        self.present.append(wdl.is_some());
        for (part, value) in self.parts.iter_mut().zip(wdl.unwrap_or_default()) {
            part.append_value(value);
        }
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let parts = self.parts.iter_mut().map(|part| Arc::new(part.finish()) as ArrayRef).collect();
        let present = NullBuffer::new(self.present.finish());
        Ok(Arc::new(StructArray::try_new(wdl_fields(), parts, Some(present))?))
    }
}

/// How many elements each list of a list column has.
#[derive(Default)]
struct Lengths(Vec<usize>);

impl Lengths {
    fn push(&mut self, length: usize) {
        self.0.push(length);
    }

    fn list(self, kind: DataType, values: ArrayRef) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::from_lengths(self.0);
        Ok(Arc::new(ListArray::try_new(element(kind), offsets, values, None)?))
    }
}
