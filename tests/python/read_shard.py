#!/usr/bin/env python3
"""Reads a shard with pyarrow, checks every column of its one known record, and
writes it again.

    python3 tests/python/read_shard.py SHARD REWRITTEN

Needs pyarrow (`pip install pyarrow`). The record is that of
`tests/tests/trainer/shards.rs`.
"""

import hashlib
import struct
import sys

import pyarrow.parquet as parquet

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FILES = "abcdefgh"
PROMOTIONS = {0: "", 2: "n", 3: "b", 4: "r", 5: "q"}


def square(index):
    return FILES[index % 8] + str(index // 8 + 1)


def uci(code):
    """A move's code as from, to and promotion; castling is king takes rook."""
    return square(code & 63) + square(code >> 6 & 63) + PROMOTIONS[code >> 12]


def record_id(fen, moves):
    packed = struct.pack(f"<{len(moves)}H", *moves)
    return int.from_bytes(hashlib.sha256(fen.encode() + b"\0" + packed).digest()[:8], "big")


def check(name, found, wanted):
    if found != wanted:
        sys.exit(f"{name} is {found!r}, not {wanted!r}")


def main():
    shard, rewritten = sys.argv[1:]
    table = parquet.read_table(shard)
    footer = parquet.read_metadata(shard).metadata
    check("arbor.format", footer[b"arbor.format"], b"1")
    check("arbor.config", footer[b"arbor.config"], b"{}")
    (row,) = table.to_pylist()
    moves = row.pop("moves")
    check("moves", [uci(m) for m in moves], "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7".split())
    plies = row.pop("plies")
    wanted = {
        "id": record_id(START, moves),
        "group": 18_000_000_000_000_000_000,
        "start_fen": START,
        "chess960": False,
        "result": "1-0",
        "termination": "checkmate",
        "white": "Zoë",
        "black": None,
        "white_elo": 2400,
        "black_elo": None,
        "source": "games.pgn",
        "opening": "C20",
        "tags": [{"key": "Site", "value": "Oslo"}],
        "engine": "Arbor",
        "network": None,
        "config": None,
        "seed": 7,
        "generation": 3,
    }
    check("row", row, wanted)
    check("number of plies", len(plies), 8)
    first = {
        "policy": [
            {"move": moves[0], "weight": 0.75, "visits": 30, "prior": 0.5, "value": None},
            {"move": 11 | 27 << 6, "weight": 0.25, "visits": None, "prior": None, "value": None},
        ],
        "wdl": {"win": 0.5, "draw": 0.25, "loss": 0.25},
        "q": 0.25,
        "cp": -12,
        "mate": None,
        "kind": "full",
        "weight": 0.5,
    }
    check("ply 0", plies[0], first)
    bare = {"policy": [], "wdl": None, "q": None, "cp": None, "mate": None, "weight": 1.0}
    check("ply 1", plies[1], bare | {"kind": "human"})
    check("ply 7", plies[7], bare | {"kind": "none"})
    # The checksum belongs to the old bytes.
    kept = {
        key: value
        for key, value in footer.items()
        if key.startswith(b"arbor.") and not key.startswith(b"arbor.data_")
    }
    parquet.write_table(table.replace_schema_metadata(kept), rewritten)


if __name__ == "__main__":
    main()
