// nbody: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/nbody/gravitation.hpp"

namespace upsweep::nbody {
struct physics;
template <class T>
struct bodies;
}  // namespace upsweep::nbody

namespace upsweep::nbody_room {

enum class primitive : std::uint8_t { nbody };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"nbody"};
  return names[static_cast<int>(p)];
}

// How much of a problem is computed, by a member of a group: all; the bodies [first, first + count) alone; or one share
// of the pairs, the first-th of count, of which each pair is in exactly one.
struct portion {
  enum class unit : std::uint8_t { all, bodies, pairs };
  unit of = unit::all;
  std::uint64_t first = 0, count = 0;
};

// n bodies, each {x, y, z, mass} in in; out = for each {a_x, a_y, a_z, potential} (gravitation.hpp), the potential 0
// where it is not wanted. gravity.jerks: in2 = {v_x, v_y, v_z, any} of each, out2 = {da_x/dt, da_y/dt, da_z/dt, 0}.
// `type` is f32 or f64.
//
// portion of bodies: out, and out2, have count rows. A tree's are counted in the order of the tree, first is a whole
// number of groups (tuning.hpp: bodies_in_group), and `order`, n u32, becomes that order: body i of the tree is body
// order[i] of the problem.
// portion of pairs: out has n rows, and those of all shares add up to the accelerations. Where takes_pairs says so.
struct problem : problem_head {
  primitive what = primitive::nbody;
  memory in, in2, out, out2;
  gravitation gravity;
  portion share{};
  memory order{};
};

// The bodies that are pulled.
inline std::uint64_t pulled_by(const problem& p) { return p.share.of == portion::unit::bodies ? p.share.count : p.n; }
inline std::uint64_t first_pulled(const problem& p) { return p.share.of == portion::unit::bodies ? p.share.first : 0; }

inline bool rounds(const problem& p) { return is_floating(p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// Whether members of a group share out the pairs of this problem, on such a device, and not its bodies.
bool takes_pairs(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

// From the public face's physics: throws fault::bad_argument for θ < 0 and the like.
void require_physics(const nbody::physics&);
// nbody.hpp's require_bodies, of bodies of which the first is body `first` of all.
template <class T>
void require_bodies_from(std::size_t first, const nbody::bodies<T>&, const nbody::physics&);
// Without operands. automatic becomes what is faster there, unless a variant was asked for by name.
problem problem_of(const target&, const nbody::physics&, dtype, std::uint64_t n);

}  // namespace upsweep::nbody_room
