// sort: the ranks' slices in memory, sorted as one, and written where each belongs.
#include "upsweep/communicator/communicator_sort.hpp"

#include "cli/processes/processes.hpp"
#include "cli/sort/sort.hpp"

using namespace upsweep;

namespace {

// Reads the slice into the memory of the rank's block.
template <class T>
void read_part(const communicator_rank& m, element_source& source, device_span<T> part) {
  const auto require_all = [&](std::uint64_t got) {
    if (got < part.size())
      throw error(fault::bad_argument, source.name, "it became shorter while it was read",
                  "do not change it while it is read");
  };
  if (m.where().kind() == backend::cpu) return require_all(source.read(part.data(), part.size()));
  const core::host_array<T> slice(part.size());
  require_all(source.read(slice.data(), part.size()));
  upload(m.where(), std::span<const T>(slice.all()), part);
}

template <class T>
void write_part(const communicator_rank& m, shared_output& out, std::uint64_t first, device_span<const T> part) {
  const core::readable<T> host(m.where(), core::read_operand(part));
  out.write(first, host.data(), part.size());
}

template <class T>
void sort_as(const command_group& g, const sort_request& o, std::uint64_t n) {
  const sort_order order = order_asked_for(dtype_of<T>, o);
  const sort_options by{order.descending, order.first_bit, order.last_bit};
  auto keys = distributed<T>::even(g.all, n);
  g.all.for_each_rank("sort", [&](communicator_rank& m) {
    const auto source = open_source(o.source);
    take_slice(*source, m);
    read_part(m, *source, keys.part(m.local_rank()));
  });
  auto places = distributed<std::uint64_t>::even(g.all, o.indices ? n : 0);
  o.indices ? argsort(g.all, keys, places, by) : sort(g.all, keys, by);
  g.all.for_each_rank("sort", [&](communicator_rank& m) {
    const auto source = open_source(o.source);
    shared_output out(m, o.output, *source, o.indices ? dtype::i64 : source->type, source->truth && !o.indices, n);
    const std::uint64_t first = keys.first(m.rank());
    o.indices ? write_part<std::uint64_t>(m, out, first, places.part(m.local_rank()))
              : write_part<T>(m, out, first, keys.part(m.local_rank()));
    out.commit();
  });
}

}  // namespace

void sort_by(const command_group& g, const sort_request& o) {
  if (!o.by.empty() || o.top != ~std::uint64_t{0})
    throw error(fault::unsupported, o.by.empty() ? "--top" : "--by",
                "several processes or devices sort all elements of a file", "leave it out, or give it to one of them");
  // All processes validate the file, so that all of them throw if one does.
  dtype type{};
  std::uint64_t n = 0;
  g.all.for_each_rank("sort", [&](communicator_rank& m) {
    const auto source = open_source(o.source);
    require_one_axis(*source, "a sort runs");
    const std::uint64_t count = source->count.value_or(0);
    take_slice(*source, m);
    const auto sizes = m.all(count);
    if (std::ranges::count(sizes, count) != m.size())
      throw error(fault::bad_argument, source->name, "its size differs between processes",
                  "give a file that all of them read");
    if (m.local_rank() == 0) type = source->type, n = count;
  });
  with_any_type(type, [&]<class T>(type_tag<T>) { sort_as<T>(g, o, n); });
}
