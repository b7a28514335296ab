// reduce and scan: each rank folds its slice and sends the result to all ranks.
#include <fmt/core.h>

#include <cstring>

#include "cli/fold/fold.hpp"
#include "cli/processes/processes.hpp"

using namespace upsweep;

namespace {

// The ranks' values, in order, after init: with the library's own reduce, of so few on the CPU.
scalar folded(const fold_form& form, const std::vector<scalar>& values, std::size_t count, scalar init) {
  const std::uint64_t size = size_of(form.type);
  std::vector<std::byte> packed(std::max<std::size_t>(count * size, 1));
  for (std::size_t r = 0; r < count; ++r) std::memcpy(packed.data() + r * size, values[r].bytes, size);
  fold_form plain = form;
  plain.what = fold_form::call::reduce, plain.transform = transform_kind::identity;
  return reduce_elements(context::cpu(1), plain, {packed.data(), 0}, count, init);
}

// The result of the rank's slice.
struct slice_value {
  scalar value{}, init{};
  fold_form form;
  std::uint64_t elements = 0;
};
slice_value fold_slice(const fold_options& o, const communicator_rank& m) {
  fold f(fold_form::call::reduce, o);
  take_slice(f.source(), m);
  slice_value mine{.init = f.init(), .form = f.form()};
  f.begin_with(identity_scalar(mine.form.op, mine.form.type));
  mine.value = f.reduce(), mine.elements = f.elements();
  return mine;
}

}  // namespace

group_fold reduce_by(const command_group& g, const fold_options& o) {
  group_fold all;
  g.all.for_each_rank("reduce", [&](communicator_rank& m) {
    fold_options mine = o;
    mine.where = g.of(o.where, m);
    const slice_value part = fold_slice(mine, m);
    const auto values = m.all(part.value);
    std::uint64_t elements = 0;
    for (const std::uint64_t n : m.all(part.elements)) elements += n;
    if (m.local_rank() != 0) return;
    all = {part.form, folded(part.form, values, values.size(), part.init), elements};
  });
  return all;
}

void scan_by(const command_group& g, fold_form::call what, const fold_options& o, const output_options& output) {
  g.all.for_each_rank("scan", [&](communicator_rank& m) {
    fold_options mine = o;
    mine.where = g.of(o.where, m);
    const slice_value part = fold_slice(mine, m);
    const auto values = m.all(part.value);
    fold f(what, mine);
    require_one_axis(f.source(), "a scan runs");
    const std::uint64_t n = *f.source().count;
    std::uint64_t at = take_slice(f.source(), m);
    f.begin_with(folded(part.form, values, static_cast<std::size_t>(m.rank()), part.init));
    shared_output out(m, output, f.source(), f.source().type, f.source().truth, n);
    f.scan([&](const void* from, std::uint64_t count) {
      out.write(at, from, count);
      at += count;
    });
    out.commit();
  });
}
