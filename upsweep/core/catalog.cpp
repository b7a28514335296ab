#include "upsweep/core/catalog.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "upsweep/core/rooms.hpp"
#include "upsweep/sort/run.hpp"

namespace upsweep {

namespace {

struct added_lists {
  std::mutex lock;
  std::vector<std::span<const variant>> lists;
  bool read = false;  // the catalog was made, and what is added now would be missing from it
};

added_lists& added() {
  static added_lists all;
  return all;
}

// Where a primitive's room stands in `upsweep list`.
int room_of(primitive p) {
  if (p <= primitive::scan) return static_cast<int>(p);
  for (const primitive last : {primitive::is_sorted, primitive::scatter_if, primitive::range_counts,
                               primitive::segmented_scan, primitive::rectangle_sums})
    if (p <= last) return static_cast<int>(last);
  return static_cast<int>(p);
}

std::vector<variant> all_variants() {
  std::vector<std::span<const variant>> lists;
  {
    const std::scoped_lock held(added().lock);
    added().read = true;
    lists = added().lists;
  }
  for (const variant_lists room : room_variants()) lists.insert(lists.end(), room.begin(), room.end());
  std::erase_if(lists, [](const auto& list) { return list.empty(); });
  std::ranges::stable_sort(lists, {}, [](const auto& list) { return room_of(list.front().what); });
  std::vector<variant> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace

std::span<const variant> catalog() {
  static const std::vector<variant> all = all_variants();
  return all;
}

void add_to_catalog(variant_lists more) {
  const std::scoped_lock held(added().lock);
  if (added().read)
    throw error(fault::bad_argument, "add_to_catalog", "the catalog was read before",
                "add what there is first, with textbook::open()");
  added().lists.insert(added().lists.end(), more.begin(), more.end());
}

const variant* find_variant(std::string_view name, backend where) {
  for (const variant& v : catalog())
    if (v.name == name && v.where == where) return &v;
  return nullptr;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearest_names(std::string_view name) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const variant& v : catalog())
    if (std::none_of(ranked.begin(), ranked.end(), [&](const auto& r) { return r.second == v.name; })) {
      // A piece of a name ("blelloch") is nearer than any misspelling.
      const bool piece = name.size() > 2 && v.name.find(name) != std::string_view::npos;
      ranked.emplace_back(piece ? 0 : 1 + edit_distance(name, v.name), v.name);
    }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
    text += (i ? ", " : "") + std::string(ranked[i].second);
  return text;
}

}  // namespace

const variant& require_variant(std::string_view name, backend where) {
  if (const variant* v = find_variant(name, where)) return *v;
  std::string elsewhere;
  for (const variant& v : catalog())
    if (v.name == name) elsewhere += (elsewhere.empty() ? "" : " and ") + std::string(name_of(v.where));
  const std::string place = "variant '" + std::string(name) + "'";
  if (!elsewhere.empty())
    throw error(fault::unsupported, place, "it runs on " + elsewhere + ", not on " + std::string(name_of(where)),
                "choose another device or another variant");
  throw error(fault::bad_argument, place, "there is no variant of that name",
              "the nearest names are " + nearest_names(name));
}

const variant& choose(const device& d, const problem& p) {
  // The fastest stand last, the reproducible sums before them.
  const std::vector<variant_lists> rooms = room_variants();
  for (auto room = rooms.rbegin(); room != rooms.rend(); ++room)
    if (can_run(*room, d, p)) return choose(*room, d, p);
  // Rungs may take what the library's own do not.
  for (const variant& v : catalog())
    if (d.forced.empty() && why_not(v, d, p).empty()) return v;
  return choose(variant_lists{}, d, p);  // throws
}

void run(device& d, const problem& p) {
  const variant& v = choose(d, p);
  v.run(d, p);
  d.last = &v;
}

void run_on_host(device& d, const problem& p) {
  switch (p.what) {
    case primitive::reduce: return run_on_host(reduce_room::variants(), d, p);
    case primitive::scan: return run_on_host(scan_room::variants(), d, p);
    case primitive::sort:
    case primitive::segmented_sort:
    case primitive::top_k:
    case primitive::merge:
    case primitive::is_sorted: return sort_room::run_from_host(d, p);
    default:
      if (d.kind() == backend::cpu) return run(d, p);
      throw error(fault::unsupported, std::string(name_of(p.what)), "it has no form for host memory",
                  "put the operands into buffers");
  }
}

void context::prefer(std::string_view name) const {
  const variant& v = require_variant(name, kind());
  device_->forced[std::string(name_of(v.what))] = &v;
}

}  // namespace upsweep
