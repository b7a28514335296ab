// nbody: the typed descriptor of a computation, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/nbody/nbody_gravitation.hpp"

namespace upsweep::nbody {
struct parameters;
template <class T>
struct bodies;
}  // namespace upsweep::nbody

namespace upsweep::detail::nbody_impl {

enum class primitive : std::uint8_t { nbody };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"nbody"};
  return names[static_cast<int>(p)];
}

// How much of a problem is computed, by a rank of a communicator: all; the bodies [first, first + count) alone; or one
// share of the pairs, the first-th of count, of which each pair is in exactly one.
struct portion {
  enum class unit : std::uint8_t { all, bodies, pairs };
  unit of = unit::all;
  std::uint64_t first = 0, count = 0;
};

// n bodies, each {x, y, z, mass} in in; out = for each {a_x, a_y, a_z, potential} (nbody_gravitation.hpp), the
// potential 0 if it is not requested. gravity.jerks: in2 = {v_x, v_y, v_z, any} of each, out2 = {da_x/dt, da_y/dt,
// da_z/dt, 0}. `type` is f32 or f64.
//
// portion of bodies: out, and out2, have count rows. With a tree the bodies are counted in the order of the tree, first
// is a whole number of groups (nbody_tuning.hpp: bodies_in_group), and `order`, n u32, becomes that order: body i of
// the tree is body order[i] of the descriptor.
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

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);
// Whether ranks of a communicator share out the pairs of this problem, on such a device, and not its bodies.
bool takes_pairs(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

// From the parameters of the public header: throws fault::bad_argument for θ < 0 and the like.
void require_parameters(const nbody::parameters&);
// nbody.hpp's require_bodies, of bodies of which the first is body `first` of all.
template <class T>
void require_bodies_from(std::size_t first, const nbody::bodies<T>&, const nbody::parameters&);
// A descriptor without operands. `automatic` becomes the faster method on this target, unless a variant was requested
// by name.
problem problem_of(const target&, const nbody::parameters&, dtype, std::uint64_t n);

}  // namespace upsweep::detail::nbody_impl
