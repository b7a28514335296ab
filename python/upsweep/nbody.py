"""Gravitational N-body: accelerations, by all pairs or by a tree, and simulation."""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _calls
from .arrays import as_array, code_of, space_of
from .devices import chosen, opened
from .errors import BadArgument, Unsupported
from .names import one_of

_PARAMETERS = struct.Struct("@ddddiiii")
METHODS = {"automatic": 0, "pairs": 1, "tree": 2}
INTEGRATORS = {"euler": 0, "leapfrog": 1, "hermite": 2}


@dataclass(frozen=True)
class Parameters:
    """Parameters of the force.

    Parameters
    ----------
    gravity : float
        The gravitational constant G.
    softening : float
        The softening length ε.
    theta : float
        The opening angle of the tree.
    criterion : float
        A relative error that replaces the opening angle where it is above 0.
    method : str
        "automatic", "pairs" or "tree".
    """

    gravity: float = 1.0
    softening: float = 0.0
    theta: float = 0.5
    criterion: float = 0.0
    quadrupoles: bool = True
    compensated: bool = False
    method: str = "automatic"
    dimensions: int = 3

    def packed(self):
        return _PARAMETERS.pack(self.gravity, self.softening, self.theta, self.criterion, self.quadrupoles, self.compensated,
                             one_of("nbody", "method", METHODS, self.method), self.dimensions)


class Conserved(NamedTuple):
    """Energies, momentum and angular momentum: sums over all bodies in float64."""

    kinetic: float
    potential: float
    momentum: NDArray[Any]
    angular: NDArray[Any]

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential


def _parameters(parameters, given):
    if parameters is not None and given:
        raise BadArgument(f"nbody: give Parameters(...) or its fields, not both ({', '.join(given)})")
    if parameters is not None:
        return parameters
    try:
        return Parameters(**given)
    except TypeError:
        known = ", ".join(Parameters.__dataclass_fields__)
        raise BadArgument(f"nbody: unknown parameter {', '.join(set(given) - set(Parameters.__dataclass_fields__))}; the parameters are {known}") from None


def _alike(call, arrays):
    first = arrays[0]
    for each in arrays:
        if each.dtype != first.dtype or tuple(each.shape) != tuple(first.shape) or each.ndim != 1:
            raise BadArgument(f"{call}: {first.dtype} of shape {tuple(first.shape)} and {each.dtype} of shape {tuple(each.shape)}; give sequences of one type and length")
    if first.dtype not in (np.float32, np.float64):
        raise Unsupported(f"{call}: bodies of {first.dtype}; give float32 or float64")


def accelerations(x: Any, y: Any, z: Any, mass: Any, parameters: Parameters | None = None, *, potential: bool = False,
                  **fields: Any) -> tuple[Any, ...]:
    """Return (ax, ay, az), and with potential=True the potentials too: a_i = G Σ m_j (x_j - x_i) / (r² + ε²)^(3/2)."""
    call = "accelerations"
    parameters = _parameters(parameters, fields)
    space = space_of(call, x, y, z, mass)
    given = [as_array(space, call, each) for each in (x, y, z, mass)]
    _alike(call, given)
    n, dtype = given[0].size, given[0].dtype
    results = [space.empty(n, dtype) for _ in range(4 if potential else 3)]
    _calls.accelerations(space.context.address, code_of(call, dtype), parameters.packed(), n, *given, *results[:3],
                         results[3] if potential else None)
    return tuple(space.result(each) for each in results)


class Simulation:
    """A simulation of moving bodies.

    The state is seven host arrays of one float type. The simulation runs on the device of `with upsweep.device(...)`, or else on the CPU.
    """

    def __init__(self, x: Any, y: Any, z: Any, vx: Any, vy: Any, vz: Any, mass: Any, parameters: Parameters | None = None, *,
                 integrator: str = "leapfrog", dt: float = 1e-3, adaptive: float = 0.0, **fields: Any):
        call = "Simulation"
        self._address = 0
        self.parameters, self.integrator = _parameters(parameters, fields), integrator
        state = [np.ascontiguousarray(each) for each in (x, y, z, vx, vy, vz, mass)]
        _alike(call, state)
        self._dtype, self._n = state[0].dtype, state[0].size
        self._context = chosen() or opened("cpu")
        handle = bytearray(8)
        _calls.simulation_make(self._context.address, code_of(call, self._dtype), self.parameters.packed(),
                               one_of(call, "integrator", INTEGRATORS, integrator), dt, adaptive, self._n, _addresses(state), handle)
        self._address = int.from_bytes(handle, "little")

    def __reduce__(self):
        raise TypeError("a Simulation cannot leave its process; make another one from its state")

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
        """The length of the last step."""
        return self._at()[3]

    def __len__(self) -> int:
        return self._n

    def _read(self, call, count):
        arrays = [np.empty(self._n, self._dtype) for _ in range(count)]
        call(self._address, bytearray(_addresses(arrays)))
        return tuple(arrays)

    @property
    def state(self) -> tuple[NDArray[Any], ...]:
        """(x, y, z, vx, vy, vz, mass) as NumPy arrays."""
        return self._read(_calls.simulation_state, 7)

    @property
    def forces(self) -> tuple[NDArray[Any], ...]:
        """(ax, ay, az, potential) of the current state, as NumPy arrays."""
        return self._read(_calls.simulation_forces, 4)

    def measure(self) -> Conserved:
        sums = np.empty(8)
        _calls.simulation_measure(self._address, sums)
        return Conserved(float(sums[0]), float(sums[1]), sums[2:5].copy(), sums[5:8].copy())

    def __repr__(self):
        return f"<upsweep simulation of {self._n} bodies on {self._context.name}, t = {self.time:g} after {self.steps} steps>"


def _addresses(arrays):
    return struct.pack(f"@{len(arrays)}P", *(_calls.address(each) for each in arrays))
