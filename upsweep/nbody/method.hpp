// From the public face's physics to a problem of the catalog.
#pragma once

#include "upsweep/nbody.hpp"
#include "upsweep/nbody/problem.hpp"

namespace upsweep::nbody_room {

// Throws fault::bad_argument for θ < 0 and the like.
void require_physics(const nbody::physics&);

// Without operands. automatic becomes what is faster there, unless a variant was asked for by name.
problem problem_of(const target&, const nbody::physics&, dtype, std::uint64_t n);

}  // namespace upsweep::nbody_room
