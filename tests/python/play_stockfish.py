#!/usr/bin/env python3
"""Games against Stockfish with real clocks: does the engine ever lose on time,
play an illegal move or crash?

Needs python-chess (`pip install chess`) and Stockfish (Debian: `apt install
stockfish`, which puts it in /usr/games).

    python3 tests/python/play_stockfish.py --games 200

Stockfish plays with `Skill Level 0`, colors alternate, every pair of games
starts with the same few random moves. The clocks are measured here, around
each move, as a GUI does; nobody is given a margin. Prints one line per game
and a summary. Exit code 1 if our engine forfeited, played an illegal move or
crashed; results do not matter.
"""

import argparse
import concurrent.futures
import dataclasses
import logging
import pathlib
import random
import sys
import time

import chess
import chess.engine

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANDOM_PLIES = 6
LONGEST_GAME = 600


@dataclasses.dataclass
class Outcome:
    """One game, from our engine's side."""

    number: int
    result: str  # win, draw, loss
    reason: str
    plies: int
    lowest_clock: float
    fault: str = ""  # forfeit, illegal move, crash


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--time", type=float, default=0.5, help="seconds per game")
    parser.add_argument("--inc", type=float, default=0.01, help="seconds per move")
    parser.add_argument("--engine", default=str(ROOT / "target/release/engine"))
    parser.add_argument("--net", default="", help="network file; the default one if empty")
    parser.add_argument("--stockfish", default="/usr/games/stockfish")
    parser.add_argument("--concurrency", type=int, default=1)
    return parser.parse_args()


def opening(pair):
    """A few random moves, the same for both games of a pair."""
    dice = random.Random(pair)
    while True:
        board = chess.Board()
        for _ in range(RANDOM_PLIES):
            board.push(dice.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        if not board.is_game_over():
            return board


def play(number, options):
    """Plays one game; a fresh process of each engine, so that starts count too."""
    ours = chess.engine.SimpleEngine.popen_uci(options.engine, timeout=30)
    theirs = chess.engine.SimpleEngine.popen_uci(options.stockfish, timeout=30)
    try:
        settings = {"Hash": 64}
        if options.net:
            settings["Net"] = options.net
        ours.configure(settings)
        ours.ping()
        theirs.configure({"Skill Level": 0, "Hash": 16})
        return game(number, options, ours, theirs)
    finally:
        for engine in (ours, theirs):
            try:
                engine.quit()
            except (chess.engine.EngineError, TimeoutError):
                pass
            engine.close()


def game(number, options, ours, theirs):
    board = opening(number // 2)
    our_color = chess.WHITE if number % 2 == 0 else chess.BLACK
    clocks = {chess.WHITE: options.time, chess.BLACK: options.time}
    lowest = options.time

    def outcome(result, reason, fault=""):
        return Outcome(number, result, reason, board.ply(), lowest, fault)

    while not board.is_game_over(claim_draw=True) and board.ply() < LONGEST_GAME:
        turn = board.turn
        engine = ours if turn == our_color else theirs
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE],
            black_clock=clocks[chess.BLACK],
            white_inc=options.inc,
            black_inc=options.inc,
        )
        begun = time.perf_counter()
        try:
            move = engine.play(board, limit, game=number).move
        except chess.engine.EngineTerminatedError as error:
            if engine is theirs:
                raise
            return outcome("loss", f"crash: {error}", "crash")
        except chess.engine.EngineError as error:
            # python-chess checks every move against the position.
            if engine is theirs:
                raise
            return outcome("loss", f"illegal move: {error} in {board.fen()}", "illegal move")
        clocks[turn] -= time.perf_counter() - begun
        if turn == our_color:
            lowest = min(lowest, clocks[turn])
            if clocks[turn] < 0:
                return outcome("loss", f"time: {clocks[turn]:.3f} s", "forfeit")
        elif clocks[turn] < 0:
            return outcome("win", "the opponent's time")
        if move is None:
            return outcome("loss", f"no move in {board.fen()}", "illegal move")
        clocks[turn] += options.inc
        board.push(move)
    end = board.outcome(claim_draw=True)
    if end is None or end.winner is None:
        return outcome("draw", end.termination.name.lower() if end else "too long")
    return outcome("win" if end.winner == our_color else "loss", "checkmate")


def main():
    options = arguments()
    # python-chess warns of every remark that comes before a game.
    logging.getLogger("chess.engine").setLevel(logging.ERROR)
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(options.concurrency) as pool:
        jobs = [pool.submit(play, number, options) for number in range(options.games)]
        for job in concurrent.futures.as_completed(jobs):
            done = job.result()
            outcomes.append(done)
            print(
                f"game {done.number + 1}: {done.result} ({done.reason}), {done.plies} plies, "
                f"clock never below {done.lowest_clock:.3f} s",
                flush=True,
            )
    count = {name: sum(o.result == name for o in outcomes) for name in ("win", "draw", "loss")}
    faults = {
        name: sum(o.fault == name for o in outcomes)
        for name in ("forfeit", "illegal move", "crash")
    }
    print(
        f"{len(outcomes)} games: {count['win']} won, {count['draw']} drawn, {count['loss']} lost; "
        f"forfeits: {faults['forfeit']}, illegal moves: {faults['illegal move']}, "
        f"crashes: {faults['crash']}"
    )
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
