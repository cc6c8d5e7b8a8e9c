//! The Arrow schema of a shard, and whether a file has it.

use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use std::sync::{Arc, LazyLock};

/// Version of the format; a reader refuses any other.
pub const FORMAT: &str = "1";

/// Key of the version in a file's metadata; the other keys begin the same way.
pub(super) const FORMAT_KEY: &str = "arbor.format";

/// The columns of a shard, in order; `SHARDS.md` tells what each one means.
pub fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
        Arc::new(Schema::new(vec![
            required("id", DataType::UInt64),
            required("group", DataType::UInt64),
            required("start_fen", DataType::Utf8),
            required("chess960", DataType::Boolean),
            required("moves", DataType::List(element(DataType::UInt16))),
            required("result", DataType::Utf8),
            required("termination", DataType::Utf8),
            optional("white", DataType::Utf8),
            optional("black", DataType::Utf8),
            optional("white_elo", DataType::UInt16),
            optional("black_elo", DataType::UInt16),
            required("source", DataType::Utf8),
            optional("opening", DataType::Utf8),
            required("tags", DataType::List(element(DataType::Struct(tag_fields())))),
            optional("engine", DataType::Utf8),
            optional("network", DataType::Utf8),
            optional("config", DataType::Utf8),
            optional("seed", DataType::UInt64),
            optional("generation", DataType::UInt32),
            required("plies", DataType::List(element(DataType::Struct(ply_fields())))),
        ]))
    });
    SCHEMA.clone()
}

pub(super) fn ply_fields() -> Fields {
    Fields::from(vec![
        required("policy", DataType::List(element(DataType::Struct(policy_fields())))),
        optional("wdl", DataType::Struct(wdl_fields())),
        optional("q", DataType::Float32),
        optional("cp", DataType::Int32),
        optional("mate", DataType::Int32),
        required("kind", DataType::Utf8),
        required("weight", DataType::Float32),
    ])
}

pub(super) fn policy_fields() -> Fields {
    Fields::from(vec![
        required("move", DataType::UInt16),
        required("weight", DataType::Float32),
        optional("visits", DataType::UInt32),
        optional("prior", DataType::Float32),
        optional("value", DataType::Float32),
    ])
}

pub(super) fn wdl_fields() -> Fields {
    Fields::from(vec![
        required("win", DataType::Float32),
        required("draw", DataType::Float32),
        required("loss", DataType::Float32),
    ])
}

pub(super) fn tag_fields() -> Fields {
    Fields::from(vec![required("key", DataType::Utf8), required("value", DataType::Utf8)])
}

/// What a list holds; `element` is the name that Parquet prescribes.
pub(super) fn element(kind: DataType) -> FieldRef {
    Arc::new(required("element", kind))
}

fn required(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, false)
}

fn optional(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, true)
}

/// Whether `found` has every column of [`schema`], with its type. Other tools
/// name list elements differently and call columns nullable that hold no nulls;
/// neither matters here, and more columns do no harm.
pub(super) fn check(found: &Schema) -> Result<(), String> {
    check_fields(schema().fields(), found.fields(), "")
}

fn check_fields(wanted: &Fields, found: &Fields, parent: &str) -> Result<(), String> {
    for field in wanted {
        let path = format!("{parent}{}", field.name());
        match found.find(field.name()) {
            Some((_, other)) => check_type(field.data_type(), other.data_type(), &path)?,
            None => return Err(format!("column {path} is missing")),
        }
    }
    Ok(())
}

fn check_type(wanted: &DataType, found: &DataType, path: &str) -> Result<(), String> {
    match (wanted, found) {
        (DataType::List(wanted), DataType::List(found)) => {
            check_type(wanted.data_type(), found.data_type(), path)
        }
        (DataType::Struct(wanted), DataType::Struct(found)) => {
            check_fields(wanted, found, &format!("{path}."))
        }
        _ if wanted == found => Ok(()),
        _ => Err(format!("column {path} is {found}, not {wanted}")),
    }
}
