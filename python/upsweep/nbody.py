"""Bodies that attract each other: their accelerations, by all pairs or by a tree, and their motion."""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _calls
from .arrays import code_of, place_of, seen
from .devices import chosen, opened
from .errors import BadArgument, Unsupported
from .names import one_of

_PHYSICS = struct.Struct("@ddddiiii")
METHODS = {"automatic": 0, "pairs": 1, "tree": 2}
INTEGRATORS = {"euler": 0, "leapfrog": 1, "hermite": 2}


@dataclass(frozen=True)
class Physics:
    """gravity: G. softening: ε. theta: the tree's opening angle. criterion > 0: a relative error in its place. method: "automatic", "pairs",
    "tree"."""

    gravity: float = 1.0
    softening: float = 0.0
    theta: float = 0.5
    criterion: float = 0.0
    quadrupoles: bool = True
    compensated: bool = False
    method: str = "automatic"
    dimensions: int = 3

    def packed(self):
        return _PHYSICS.pack(self.gravity, self.softening, self.theta, self.criterion, self.quadrupoles, self.compensated,
                             one_of("nbody", "method", METHODS, self.method), self.dimensions)


class Conserved(NamedTuple):
    """Sums over all bodies, in float64."""

    kinetic: float
    potential: float
    momentum: NDArray[Any]
    angular: NDArray[Any]

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential


def _rules(rules, given):
    if rules is not None and given:
        raise BadArgument(f"nbody: give Physics(...) or its fields, not both ({', '.join(given)})")
    if rules is not None:
        return rules
    try:
        return Physics(**given)
    except TypeError:
        known = ", ".join(Physics.__dataclass_fields__)
        raise BadArgument(f"nbody: there is no {', '.join(set(given) - set(Physics.__dataclass_fields__))}; there are {known}") from None


def _alike(call, arrays):
    first = arrays[0]
    for each in arrays:
        if each.dtype != first.dtype or tuple(each.shape) != tuple(first.shape) or each.ndim != 1:
            raise BadArgument(f"{call}: {first.dtype} of shape {tuple(first.shape)} and {each.dtype} of shape {tuple(each.shape)}; give sequences alike")
    if first.dtype not in (np.float32, np.float64):
        raise Unsupported(f"{call}: bodies of {first.dtype}; give float32 or float64")


def accelerations(x: Any, y: Any, z: Any, mass: Any, rules: Physics | None = None, *, potential: bool = False,
                  **physics: Any) -> tuple[Any, ...]:
    """(ax, ay, az), and the potentials where asked for: a_i = G Σ m_j (x_j - x_i) / (r² + ε²)^(3/2)."""
    call = "accelerations"
    rules = _rules(rules, physics)
    place = place_of(call, x, y, z, mass)
    given = [seen(place, call, each) for each in (x, y, z, mass)]
    _alike(call, given)
    n, dtype = given[0].size, given[0].dtype
    results = [place.empty(n, dtype) for _ in range(4 if potential else 3)]
    _calls.accelerations(place.context.address, code_of(call, dtype), rules.packed(), n, *given, *results[:3],
                         results[3] if potential else None)
    return tuple(place.result(each) for each in results)


class Simulation:
    """Bodies in motion. State in host arrays of one float type, seven of them; the device is the one of `with upsweep.device(...)`, or the CPU."""

    def __init__(self, x: Any, y: Any, z: Any, vx: Any, vy: Any, vz: Any, mass: Any, rules: Physics | None = None, *,
                 integrator: str = "leapfrog", dt: float = 1e-3, adaptive: float = 0.0, **physics: Any):
        call = "Simulation"
        self._address = 0
        self.rules, self.integrator = _rules(rules, physics), integrator
        state = [np.ascontiguousarray(each) for each in (x, y, z, vx, vy, vz, mass)]
        _alike(call, state)
        self._dtype, self._n = state[0].dtype, state[0].size
        self._context = chosen() or opened("cpu")
        handle = bytearray(8)
        _calls.simulation_make(self._context.address, code_of(call, self._dtype), self.rules.packed(),
                               one_of(call, "integrator", INTEGRATORS, integrator), dt, adaptive, self._n, _addresses(state), handle)
        self._address = int.from_bytes(handle, "little")

    def __reduce__(self):
        raise TypeError("a Simulation is this process's own; make another of its state")

    def __del__(self, free=_calls.simulation_free):
        if self._address:
            free(self._address)

    def step(self, steps: int = 1) -> Simulation:
        _calls.simulation_step(self._address, steps)
        return self

    def _at(self):
        numbers = bytearray(32)
        base = _calls.address(numbers)
        _calls.simulation_at(self._address, base, base + 8, base + 16, base + 24)
        return struct.unpack("@QQdd", numbers)

    @property
    def steps(self) -> int:
        return self._at()[1]

    @property
    def time(self) -> float:
        return self._at()[2]

    @property
    def dt(self) -> float:
        """Of the last step."""
        return self._at()[3]

    def __len__(self) -> int:
        return self._n

    def _read(self, call, count):
        arrays = [np.empty(self._n, self._dtype) for _ in range(count)]
        call(self._address, bytearray(_addresses(arrays)))
        return tuple(arrays)

    @property
    def state(self) -> tuple[NDArray[Any], ...]:
        """(x, y, z, vx, vy, vz, mass), in the host's memory."""
        return self._read(_calls.simulation_state, 7)

    @property
    def forces(self) -> tuple[NDArray[Any], ...]:
        """(ax, ay, az, potential) at the state."""
        return self._read(_calls.simulation_forces, 4)

    def measure(self) -> Conserved:
        sums = np.empty(8)
        _calls.simulation_measure(self._address, sums)
        return Conserved(float(sums[0]), float(sums[1]), sums[2:5].copy(), sums[5:8].copy())

    def __repr__(self):
        return f"<upsweep simulation of {self._n} bodies on {self._context.name}, t = {self.time:g} after {self.steps} steps>"


def _addresses(arrays):
    return struct.pack(f"@{len(arrays)}P", *(_calls.address(each) for each in arrays))
