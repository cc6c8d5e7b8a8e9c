#!/usr/bin/env python3
"""Reference values for match statistics, computed with generic numerical methods.

To be independent of the code under test, constrained maxima come from
general-purpose optimisers, and whatever is the result of an iteration is
computed in two ways which have to agree.

    python match_statistics.py > match_statistics.json

Needs numpy and scipy only.
"""

import json

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import brentq, minimize, root
from scipy.special import expit, ndtr

SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
Z95 = 1.959963984540054
# d(log odds) / d(Elo).
SLOPE = np.log(10.0) / 400.0

# Pairs with pair score 0, 1/4, 1/2, 3/4, 1.
MATCHES = [
    [0, 2, 5, 3, 0],
    [1, 1, 3, 4, 1],
    [0, 0, 19, 1, 0],
    [2, 9, 21, 14, 4],
    [0, 11, 60, 29, 0],
    [12, 48, 71, 39, 10],
    [3, 0, 140, 0, 7],
    [0, 5, 90, 180, 125],
    [170, 210, 100, 20, 0],
    [41, 512, 1394, 507, 46],
    [0, 1830, 6300, 1870, 0],
    [388, 6702, 15540, 6951, 419],
]
BOUNDS = [[0, 5], [0, 10], [-5, 0], [-10, 5]]

# Encounters are [i, j, counts in the view of i]. They include reversed
# (i > j), repeated and missing pairings, since the order must not matter.
POOLS = [
    {
        "anchors": [0, None, None],
        "encounters": [
            [0, 1, [4, 21, 47, 22, 6]],
            [0, 2, [9, 30, 41, 17, 3]],
            [1, 2, [5, 26, 50, 15, 4]],
        ],
    },
    {
        "anchors": [None, None, None, None],
        "encounters": [
            [0, 1, [12, 44, 90, 40, 14]],
            [2, 1, [3, 20, 61, 55, 11]],
            [2, 3, [0, 8, 33, 42, 17]],
            [3, 0, [20, 31, 40, 8, 1]],
        ],
    },
    {
        "anchors": [2850, None, 3010.5, None, None],
        "encounters": [
            [0, 1, [2, 7, 15, 5, 1]],
            [1, 2, [6, 12, 10, 2, 0]],
            [3, 2, [1, 9, 24, 14, 2]],
            [4, 3, [15, 18, 6, 1, 0]],
            [4, 0, [8, 20, 11, 3, 1]],
            [1, 3, [4, 10, 5, 1, 0]],
            [0, 1, [1, 3, 8, 6, 2]],
        ],
    },
    {
        "anchors": [None, None, None, 3200, None, None],
        "encounters": [
            [0, 1, [110, 690, 1420, 640, 140]],
            [0, 2, [20, 160, 410, 330, 80]],
            [1, 2, [25, 150, 420, 320, 85]],
            [3, 0, [60, 230, 180, 28, 2]],
            [5, 3, [1, 2, 12, 60, 225]],
            [4, 5, [310, 70, 18, 2, 0]],
            [2, 4, [40, 120, 210, 105, 25]],
            [4, 1, [0, 31, 139, 30, 0]],
        ],
    },
]

# Of each made-up solver: strength, seed, range of the puzzle ratings, number of puzzles.
SOLVERS = [(1500, 1, 900, 2100, 30), (2650, 2, 1800, 3000, 32), (1250, 3, 1000, 2400, 28)]


def require(condition, message):
    """Like assert, but also active under `python -O`."""
    if not condition:
        raise RuntimeError(message)


def elo_of_score(score):
    return -400.0 * np.log10(1.0 / score - 1.0)


def score_of_elo(elo):
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


# --- Plain match results -----------------------------------------------------


def match_entry(counts):
    # The spread-out list of pair scores leaves mean and variance to numpy.
    sample = np.repeat(SCORES, counts)
    mean, sigma = sample.mean(), sample.std()
    error = sigma / np.sqrt(sample.size)
    return {
        "counts": counts,
        "score": mean,
        "elo": elo_of_score(mean),
        "low": elo_of_score(mean - Z95 * error),
        "high": elo_of_score(mean + Z95 * error),
        "normalized_elo": (mean - 0.5) / (np.sqrt(2.0) * sigma) * 800.0 / np.log(10.0),
        "los": ndtr((mean - 0.5) / error),
    }


# --- GSPRT -------------------------------------------------------------------


class Logistic:
    """The mean pair score is that of the given Elo difference."""

    name = "logistic"

    def __init__(self, elo):
        self.target = score_of_elo(elo)

    def value(self, p):
        return p @ SCORES - self.target

    def gradient(self, p):
        return SCORES


class Normalized:
    """The mean is a given number of standard deviations above one half.

    Written without a division, so that it stays smooth where sigma is small.
    """

    name = "normalized"

    def __init__(self, elo):
        self.target = np.sqrt(2.0) * elo * np.log(10.0) / 800.0

    def value(self, p):
        mean = p @ SCORES
        return mean - 0.5 - self.target * np.sqrt(p @ (SCORES - mean) ** 2)

    def gradient(self, p):
        mean = p @ SCORES
        sigma = np.sqrt(p @ (SCORES - mean) ** 2)
        return SCORES - self.target * (SCORES**2 - 2.0 * mean * SCORES) / (2.0 * sigma)


def softmax(logits):
    # The one of scipy is the same, but too slow for five numbers at a time.
    powers = np.exp(logits - np.max(logits))
    return powers / powers.sum()


def softmax_gradient(p, gradient):
    """Gradient with respect to the logits, from the one with respect to p."""
    return p * (gradient - p @ gradient)


def starting_logits(weights):
    """The observed frequencies, the uniform distribution, and points between and around."""
    observed, uniform = np.log(weights), np.zeros(5)
    random = np.random.RandomState(7)
    around = [observed + random.normal(0.0, 1.0, 5) for _ in range(4)]
    return [observed, uniform, 0.5 * observed, *around]


def constrained_search(weights, constraint, start):
    """Method A, first step: SLSQP on logits."""
    return minimize(
        lambda z: -weights @ np.log(softmax(z)),
        start,
        jac=lambda z: softmax(z) - weights,
        constraints={
            "type": "eq",
            "fun": lambda z: constraint.value(softmax(z)),
            "jac": lambda z: softmax_gradient(softmax(z), constraint.gradient(softmax(z))),
        },
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    ).x


def solve_kkt(weights, constraint, p):
    """Method A, second step: solve the KKT equations, starting near p.

    The unknowns are log(p) and the two multipliers. Each stationarity equation
    is divided by its weight: otherwise the rare classes, whose weights may be
    1e-7, would not count.
    """

    def equations(x):
        q = np.exp(x[:5])
        stationary = q / weights * (x[5] + x[6] * constraint.gradient(q)) - 1.0
        return [*stationary, q.sum() - 1.0, constraint.value(q)]

    # p_i * (nu + lambda * d_i) = w_i is linear in the multipliers.
    columns = p[:, None] * np.column_stack([np.ones(5), constraint.gradient(p)])
    multipliers = np.linalg.lstsq(columns, weights, rcond=None)[0]
    solution = root(equations, [*np.log(p), *multipliers], tol=1e-14)
    # Rounding limits this where p is many times the weight. It is enough: the
    # likelihood depends on these residuals only in the second order.
    if np.max(np.abs(equations(solution.x))) > 1e-8:
        return None
    return np.exp(solution.x[:5])


def maximum_by_kkt(weights, constraint, start):
    with np.errstate(all="ignore"):
        found = softmax(constrained_search(weights, constraint, start))
        if not np.all(found > 0.0):
            return None
        return solve_kkt(weights, constraint, found)


def maximum_by_elimination(weights, constraint, start):
    """Method B: remove the constraint and solve an unconstrained problem.

    Adding `tilt * SCORES` to the logits moves the mean; the tilt that meets the
    constraint is found by bracketing. What remains are the three directions of
    the logits which are neither a shift nor a tilt.
    """
    directions = null_space(np.array([np.ones(5), SCORES]))

    def distribution(y):
        logits = start + directions @ y
        tilt = brentq(
            lambda t: constraint.value(softmax(logits + t * SCORES)), -400.0, 400.0, xtol=1e-15
        )
        return softmax(logits + tilt * SCORES)

    def gradient(y):
        p = distribution(y)
        of_loss = p - weights
        of_constraint = softmax_gradient(p, constraint.gradient(p))
        # Implicit derivative of the tilt.
        of_tilt = -of_constraint / (of_constraint @ SCORES)
        return (of_loss + (of_loss @ SCORES) * of_tilt) @ directions

    def loss(y):
        return -weights @ np.log(distribution(y))

    def hessian(y):
        steps = 1e-4 * np.eye(3)
        rows = [gradient(y + step) - gradient(y - step) for step in steps]
        return (np.array(rows) + np.array(rows).T) / 4e-4

    # A trust region, since the curvatures differ by many orders of magnitude
    # and a line search would leap to where the probabilities vanish.
    options = {"gtol": 1e-11, "max_trust_radius": 4.0, "maxiter": 200}
    found = minimize(
        loss, np.zeros(3), jac=gradient, hess=hessian, method="trust-exact", options=options
    ).x
    return distribution(found)


def best_of_starts(method, weights, constraint):
    """The normalized constraint is not convex, hence the highest of several maxima."""
    found = [method(weights, constraint, start) for start in starting_logits(weights)]
    valid = [p for p in found if p is not None and is_feasible(p, constraint)]
    require(len(valid) >= 2, f"{method.__name__} failed for {weights}, {constraint.name}")
    return max(valid, key=lambda p: weights @ np.log(p))


def is_feasible(p, constraint):
    # Strict, since the likelihood depends on a violation in the first order.
    return abs(p.sum() - 1.0) < 1e-12 and abs(constraint.value(p)) < 1e-12


def most_likely(counts, constraint):
    """The most likely distribution under the constraint, confirmed by both methods."""
    weights = counts / counts.sum()
    by_kkt = best_of_starts(maximum_by_kkt, weights, constraint)
    by_elimination = best_of_starts(maximum_by_elimination, weights, constraint)
    gap = counts @ np.log(by_kkt / by_elimination)
    require(abs(gap) < 1e-6, f"methods disagree by {gap} for {counts}, {constraint.name}")
    return by_kkt


def sprt_entries(counts):
    filled = np.where(np.array(counts) == 0, 1e-3, counts)
    entries = []
    for model in (Logistic, Normalized):
        elos = sorted({elo for bounds in BOUNDS for elo in bounds})
        best = {elo: most_likely(filled, model(elo)) for elo in elos}
        for low, high in BOUNDS:
            # The logarithm of the ratio avoids subtracting two large sums.
            llr = filled @ np.log(best[high] / best[low])
            entry = {"counts": counts, "model": model.name, "bounds": [low, high], "llr": llr}
            entries.append(entry)
    return entries


# --- Rating pools ------------------------------------------------------------


def expand_pairs(players, encounters):
    """One row per pair of games: its direction (+1 for i, -1 for j) and its score."""
    directions, scores = [], []
    for i, j, counts in encounters:
        direction = np.zeros(players)
        direction[i], direction[j] = 1.0, -1.0
        for score, count in zip(SCORES, counts):
            directions += [direction] * count
            scores += [score] * count
    return np.array(directions), np.array(scores)


def free_space(anchors):
    """Offset and basis such that the ratings are `offset + basis @ theta`."""
    offset = np.array([0.0 if anchor is None else anchor for anchor in anchors])
    free = [anchor is None for anchor in anchors]
    if all(free):
        # Only differences matter: fix the sum to zero.
        return offset, null_space(np.ones((1, len(anchors))))
    return offset, np.eye(len(anchors))[:, free]


def pool_entry(anchors, encounters):
    directions, scores = expand_pairs(len(anchors), encounters)
    offset, basis = free_space(anchors)
    reduced = directions @ basis

    def expected(theta):
        return expit(SLOPE * (directions @ offset + reduced @ theta))

    def loss(theta):
        e = expected(theta)
        return -2.0 * np.sum(scores * np.log(e) + (1.0 - scores) * np.log1p(-e))

    def gradients(theta):
        """Derivative of each pair's log-likelihood, one row per pair."""
        return (2.0 * SLOPE * (scores - expected(theta)))[:, None] * reduced

    def information(theta):
        e = expected(theta)
        return reduced.T @ ((2.0 * SLOPE**2 * e * (1.0 - e))[:, None] * reduced)

    # All free players start at the mean anchor, where the likelihood is not flat.
    known = [anchor for anchor in anchors if anchor is not None]
    start = basis.T @ np.full(len(anchors), np.mean(known) if known else 0.0)
    theta = root(
        lambda t: gradients(t).sum(axis=0), start, jac=lambda t: -information(t), tol=1e-14
    ).x
    # A last Newton step both improves the root and measures its distance.
    step = np.linalg.solve(information(theta), gradients(theta).sum(axis=0))
    require(np.max(np.abs(step)) < 1e-7, f"ratings are off by {step}")
    theta = theta + step
    # Nelder-Mead knows neither gradient nor Hessian, so it would expose an error there.
    other = minimize(
        loss,
        theta + 20.0,
        method="Nelder-Mead",
        options={"xatol": 1e-6, "fatol": 1e-11, "maxiter": 20000, "maxfev": 20000},
    ).x
    require(np.max(np.abs(other - theta)) < 1e-2, f"methods disagree: {other - theta}")

    inverse = np.linalg.inv(information(theta))
    rows = gradients(theta)
    covariance = basis @ inverse @ (rows.T @ rows) @ inverse @ basis.T
    return {
        "anchors": anchors,
        "encounters": encounters,
        "ratings": (offset + basis @ theta).tolist(),
        "errors": np.sqrt(np.diag(covariance)).tolist(),
    }


# --- Puzzles -----------------------------------------------------------------


def made_up_puzzles(strength, seed, low, high, count):
    # RandomState, unlike default_rng, promises the same stream in all versions.
    random = np.random.RandomState(seed)
    ratings = random.randint(low, high + 1, count)
    solved = random.random_sample(count) < score_of_elo(strength - ratings)
    return [[int(rating), int(success)] for rating, success in zip(ratings, solved)]


def puzzle_entry(puzzles):
    ratings, solved = np.array(puzzles, dtype=float).T
    require(0 < solved.sum() < solved.size, "the maximum would be infinite")

    def probability(rating):
        return score_of_elo(rating - ratings)

    def loss(rating):
        p = probability(rating)
        return -np.sum(solved * np.log(p) + (1.0 - solved) * np.log1p(-p))

    rating = brentq(lambda r: np.sum(solved - probability(r)), -5000.0, 9000.0, xtol=1e-12)
    other = minimize(lambda x: loss(x[0]), [ratings.mean()], method="Nelder-Mead").x[0]
    require(abs(rating - other) < 1e-2, f"methods disagree: {rating}, {other}")
    p = probability(rating)
    error = Z95 / np.sqrt(SLOPE**2 * np.sum(p * (1.0 - p)))
    return {"puzzles": puzzles, "rating": rating, "low": rating - error, "high": rating + error}


def main():
    result = {
        "matches": [match_entry(counts) for counts in MATCHES],
        "sprt": [entry for counts in MATCHES for entry in sprt_entries(counts)],
        "pools": [pool_entry(**pool) for pool in POOLS],
        "puzzles": [puzzle_entry(made_up_puzzles(*solver)) for solver in SOLVERS],
    }
    # A value outside of the domain of a logarithm must not reach the file.
    print(json.dumps(result, indent=1, allow_nan=False))


if __name__ == "__main__":
    main()
