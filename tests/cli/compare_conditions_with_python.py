"""Compares `upsweep select --where` on integers with Python's integers: compare_conditions_with_python.py COMMAND [N] [SEED]

Random conditions of every operator on random elements of every integer type, small ones and those at its ends; Python's
integers have any length, and its comparisons of them with floats are exact."""
import operator
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

command = os.path.abspath(sys.argv[1])
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 250
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
rng = random.Random(seed)
nothing = float("nan")  # the result of a remainder or quotient by zero


def literal(low, high):
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice([low, high, high + 1, low - 1, high // 2 + 1])
    if kind == 1:
        return rng.randrange(low, high + 1)
    if kind == 2:
        return rng.randrange(1 << rng.randrange(1, 200))
    if kind == 3:
        return rng.choice([0.5, 1.5, -0.5, 2.0**53, 2.0**53 + 2, 1e300, 1e18, 1e19, 0.1, 3e38])
    return rng.randrange(-20, 21)


def text_of(number):
    return repr(number) if number >= 0 else f"({number!r})"


def real(x):
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def join(sign, a, b):
    if a != a or b != b:
        return nothing
    if isinstance(a, float) or isinstance(b, float):
        a, b = real(a), real(b)
    try:
        if sign == "+":
            return a + b
        if sign == "-":
            return a - b
        if sign == "*":
            return a * b
        if sign == "/":
            return a / b
        return a % b
    except ZeroDivisionError:
        return nothing if sign == "%" or a == 0 or a != a else real(a) * (float("inf") if str(b)[0] != "-" else -float("inf"))
    except OverflowError:
        return float("inf") if (a > 0) == (b > 0) else float("-inf")


def term(depth, low, high):
    """Text and a function of x."""
    kind = rng.randrange(7)
    if depth == 0 or kind == 0:
        return ("x", lambda x: x)
    if kind == 1:
        number = literal(low, high)
        return (text_of(number), lambda x: number)
    if kind == 2:
        inner, f = term(depth - 1, low, high)
        if rng.random() < 0.5:
            return (f"abs({inner})", lambda x: abs(f(x)))
        return (f"-({inner})", lambda x: -f(x))
    (a, f), (b, g) = term(depth - 1, low, high), term(depth - 1, low, high)
    sign = rng.choice("+-**%/") if rng.random() < 0.4 else rng.choice("+-*")
    return (f"({a} {sign} {b})", lambda x: join(sign, f(x), g(x)))


relations = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def condition(depth, low, high):
    if depth and rng.random() < 0.3:
        (a, f), (b, g) = condition(depth - 1, low, high), condition(depth - 1, low, high)
        if rng.random() < 0.5:
            return (f"({a}) and ({b})", lambda x: f(x) and g(x))
        return (f"not ({a}) or {b}", lambda x: not f(x) or g(x))
    (a, f), (b, g) = term(rng.randrange(4), low, high), term(rng.randrange(3), low, high)
    sign = rng.choice(list(relations))
    return (f"{a} {sign} {b}", lambda x: relations[sign](f(x), g(x)))


compared = refused = differences = 0
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for run in range(runs):
        dtype = np.dtype(rng.choice("i1 u1 i2 u2 i4 u4 i8 u8".split()))
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        x = [rng.choice([low, high, low + 1, high - 1, 0, 1, high // 2, high // 3]) for _ in range(20)]
        x += [max(low, min(high, rng.randrange(-12, 13))) for _ in range(20)] + [rng.randrange(low, high + 1) for _ in range(20)]
        np.save("x.npy", np.array(x, dtype))
        text, holds = condition(2, low, high)
        ran = subprocess.run([command, "select", "x.npy", "--where", text, "--indices", "-o", "kept.npy", "--device", "cpu"], capture_output=True)
        if ran.returncode == 1 and (b"divides by zero" in ran.stderr or b"less than, greater than or equal to nan" in ran.stderr):
            refused += 1  # by a literal, which is said
            continue
        wanted = [i for i, e in enumerate(x) if holds(e)]
        got = np.load("kept.npy").tolist() if ran.returncode == 0 else ran.stderr.decode()
        compared += 1
        if got != wanted:
            differences += 1
            print(f"{dtype} {text}: {got} is not {wanted}")

print(f"{compared} conditions compared, {refused} refused for a division by zero, {differences} differ (seed {seed})")
sys.exit(differences > 0)
