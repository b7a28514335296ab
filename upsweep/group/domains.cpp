// Locally essential trees: J. K. Salmon, Parallel hierarchical N-body methods, 1991; M. S. Warren and J. K. Salmon, A
// parallel hashed oct-tree N-body algorithm, 1993. Here by ranges of the sorted keys, so that the tree is that of one
// device whatever the number of members (nbody/tree_domain.hpp).
#include "upsweep/group/domains.hpp"

#include <algorithm>
#include <numeric>

#include "upsweep/group/order.hpp"
#include "upsweep/nbody/tree_domain.hpp"
#include "upsweep/nbody/tuning.hpp"

namespace upsweep::core {

namespace room = nbody_room;

namespace {

// A row, and which body of all it belongs to.
template <class T>
struct marked_row {
  T x, y, z, w;
  std::uint32_t body;
};

// Parts of all members, in order.
template <class X>
struct said_by_all {
  std::vector<X> all;
  std::vector<std::uint64_t> offsets;
  std::span<const X> of(int r) const {
    const auto i = static_cast<std::size_t>(r);
    return std::span<const X>(all).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// To each member what is for it, one behind the other.
template <class X>
said_by_all<X> exchanged(const member& m, std::span<const X> mine, std::vector<std::uint64_t> sent) {
  std::vector<std::uint64_t> received(sent.size());
  m.way().transpose(sent.data(), received.data(), sizeof received[0]);
  said_by_all<X> came;
  came.offsets = offsets_of_parts(received);
  came.all.resize(came.offsets.back());
  for (std::uint64_t& n : sent) n *= sizeof(X);
  for (std::uint64_t& n : received) n *= sizeof(X);
  m.way().all_to_all(mine.data(), sent, came.all.data(), received);
  return came;
}

// The same to each.
template <class X>
said_by_all<X> shared(const member& m, const std::vector<X>& mine) {
  const auto members = static_cast<std::size_t>(m.size());
  std::vector<X> copies;
  copies.reserve(members * mine.size());
  for (std::size_t r = 0; r < members; ++r) copies.insert(copies.end(), mine.begin(), mine.end());
  return exchanged<X>(m, copies, std::vector<std::uint64_t>(members, mine.size()));
}

// Cells and bodies in arrays that grow.
template <class T>
struct cell_lists {
  std::vector<room::cell_range> ranges;
  std::vector<room::cell_centre<T>> centres;
  std::vector<room::cell_moments<T>> moments;
  std::vector<T> axis[4];

  void add(const room::cell_range& r, const room::cell_centre<T>& c, const room::cell_moments<T>& m) {
    ranges.push_back(r), centres.push_back(c), moments.push_back(m);
  }
  void add_body(T x, T y, T z, T mass) {
    axis[0].push_back(x), axis[1].push_back(y), axis[2].push_back(z), axis[3].push_back(mass);
  }
  void point(room::tree<T>& t) {
    for (int a = 0; a < 4; ++a) t.axis[a] = axis[a].data();
    t.ranges = ranges.data(), t.centres = centres.data(), t.moments = moments.data();
    t.count = ranges.size();
  }
};

template <class T>
class domain {
  using four = room::four<T>;

 public:
  domain(const member& m, const gravitation& g, std::span<const std::uint64_t> have)
      : m_(m), g_(g), have_(have), n_(have.back()), want_(static_cast<std::size_t>(m.size()) + 1) {
    const std::uint64_t members = want_.size() - 1, groups = (n_ - 1) / room::bodies_in_group + 1;
    for (std::uint64_t r = 0; r <= members; ++r)
      want_[r] = std::min(n_, groups * r / members * room::bodies_in_group);
    first_ = want_[rank()], count_ = want_[rank() + 1] - first_;
  }

  void pull(device_span<const four> own, device_span<four> out) {
    take_domain(own);
    const bool relative = g_.criterion > 0;
    build(relative ? room::roughly() : g_);
    T* sizes = nullptr;
    gather_essential(relative ? room::roughly() : g_, sizes);
    if (relative) {
      sizes = dev().scratch("nbody/sizes", std::max<std::uint64_t>(count_, 1) * sizeof(T)).template as<T>();
      room::find_sizes(dev(), essential_, g_, first_, count_, sizes);
      room::set_openings(dev(), own_, g_), room::set_openings(dev(), top_, g_);
      gather_essential(g_, sizes);
    }
    const auto rows = m_.scratch<four>("group/pulls", count_);
    room::walk_tree<T>(dev(), essential_, g_, sizes, first_, count_, rows.data(), nullptr);
    give_back(rows, out);
  }

 private:
  device& dev() const { return m_.where().dev(); }
  std::size_t rank() const { return static_cast<std::size_t>(m_.rank()); }

  // Bodies by their keys; each member gets whole groups of them.
  void take_domain(device_span<const four> own) {
    const std::uint64_t first = have_[rank()], count = own.size();
    const room::key_cube cube = find_cube(own);
    const auto keys = m_.scratch<std::uint64_t>("nbody/keys", count);
    const auto marked = m_.scratch<marked_row<T>>("group/marked bodies", count);
    room::find_keys(dev(), cube, own.data(), count, keys.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      const four& b = own.data()[i];
      marked.data()[i] = {b.x, b.y, b.z, b.w, static_cast<std::uint32_t>(first + i)};
    }
    keys_ = m_.scratch<std::uint64_t>("group/domain keys", count_);
    bodies_ = m_.scratch<marked_row<T>>("group/domain", count_);
    sort_across<std::uint64_t, marked_row<T>>(m_, keys, keys_, marked, bodies_, have_, want_,
                                              key_order_across<std::uint64_t>("nbody", {}));
  }

  // Of the bodies that one device samples.
  room::key_cube find_cube(device_span<const four> own) const {
    room::bounds all;
    for (const room::bounds& b : m_.all(room::bounds_of(dev(), own.data(), own.size()))) all.take(b.lower, b.upper);
    struct place {
      double x, y, z;
    };
    std::vector<place> mine;
    const std::uint64_t count = std::min(n_, room::bodies_in_sample), first = have_[rank()];
    for (std::uint64_t s = 0; s < count; ++s) {
      const std::uint64_t i = s * n_ / count;
      if (i >= first && i - first < own.size())
        mine.push_back({own.data()[i - first].x, own.data()[i - first].y, own.data()[i - first].z});
    }
    std::vector<double> axes[3];
    for (const place& p : shared(m_, mine).all) axes[0].push_back(p.x), axes[1].push_back(p.y), axes[2].push_back(p.z);
    return room::cube_around({axes[0].data(), axes[1].data(), axes[2].data()}, count, all.lower, all.upper);
  }

  void build(const gravitation& g) {
    lay_out_axes();
    room::key_ends ends;
    if (count_) ends = {keys_.data()[0], keys_.data()[count_ - 1]};
    const auto prefixes = room::shared_prefixes(m_.all(ends), want_);
    const auto mine = room::count_shared(std::span(keys_.data(), count_), prefixes);
    std::vector<room::bodies_by_digit> each(mine.size() * static_cast<std::size_t>(m_.size())), totals(mine.size());
    m_.way().all_gather(mine.data(), each.data(), mine.size() * sizeof mine[0]);
    for (std::size_t i = 0; i < each.size(); ++i)
      for (std::size_t digit = 0; digit < 8; ++digit) totals[i % mine.size()][digit] += each[i][digit];
    shape_ = room::find_top(prefixes, totals, want_);
    build_own(g);
    build_top(g);
  }

  void lay_out_axes() {
    own_.n = n_, own_.first = first_;
    own_.padded = (count_ + room::cpu_group - 1) / room::cpu_group * room::cpu_group;
    T* const axes =
        dev().scratch("nbody/tree axes", 4 * std::max<std::uint64_t>(own_.padded, 1) * sizeof(T)).template as<T>();
    for (int a = 0; a < 4; ++a) own_.axis[a] = axes + static_cast<std::uint64_t>(a) * own_.padded;
    T widest = 0;
    for (std::uint64_t i = 0; i < own_.padded; ++i) {
      const marked_row<T>& b = bodies_.data()[std::min(i, count_ - 1)];
      own_.axis[0][i] = b.x, own_.axis[1][i] = b.y, own_.axis[2][i] = b.z, own_.axis[3][i] = b.w;
      widest = std::max({widest, std::abs(b.x), std::abs(b.y), std::abs(b.z)});
    }
    for (const T w : m_.all(widest)) own_.widest = std::max(own_.widest, w);
  }

  // What is below the member's seeds, in ranges of its own bodies.
  void build_own(const gravitation& g) {
    const auto& seeds = shape_.seeds[rank()];
    auto* const ranges =
        dev().scratch("nbody/cells", (2 * count_ + 8) * sizeof(room::cell_range)).template as<room::cell_range>();
    level_[0] = 0, level_[1] = seeds.size();
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const room::cell_range& c = shape_.cells[seeds[s]];
      const auto first = static_cast<std::uint32_t>(first_);
      ranges[s] = {c.first - first, c.end - first, 0, 0};
    }
    own_.count = room::divide(dev(), keys_.data(), ranges, level_, own_.levels);
    own_.ranges = ranges, own_.level = level_;
    const std::uint64_t cells = std::max<std::uint64_t>(own_.count, 1);
    own_.centres = dev()
                       .scratch("nbody/centres", cells * sizeof(room::cell_centre<T>))
                       .template as<room::cell_centre<T>>();
    own_.moments = dev()
                       .scratch("nbody/moments", cells * sizeof(room::cell_moments<T>))
                       .template as<room::cell_moments<T>>();
    room::find_moments(dev(), own_, g);
  }

  // Seeds as their members say, shared leaves of the bodies that these have of them, all else of its children.
  void build_top(const gravitation& g) {
    struct seed {
      room::cell_centre<T> centre;
      room::cell_moments<T> moments;
    };
    std::vector<seed> mine;
    for (std::size_t s = 0; s < shape_.seeds[rank()].size(); ++s) mine.push_back({own_.centres[s], own_.moments[s]});
    std::vector<four> in_leaves;
    for (const std::uint32_t leaf : shape_.leaves) {
      const room::cell_range& c = shape_.cells[leaf];
      for (std::uint64_t i = std::max<std::uint64_t>(c.first, first_);
           i < std::min<std::uint64_t>(c.end, first_ + count_); ++i) {
        const marked_row<T>& b = bodies_.data()[i - first_];
        in_leaves.push_back({b.x, b.y, b.z, b.w});
      }
    }
    const auto seeds = shared(m_, mine);
    for (const four& b : shared(m_, in_leaves).all) shared_.add_body(b.x, b.y, b.z, b.w);

    shared_.ranges = shape_.cells;
    shared_.centres.resize(shape_.cells.size()), shared_.moments.resize(shape_.cells.size());
    for (int r = 0; r < m_.size(); ++r) {
      const auto& places = shape_.seeds[static_cast<std::size_t>(r)];
      for (std::size_t s = 0; s < places.size(); ++s)
        shared_.centres[places[s]] = seeds.of(r)[s].centre, shared_.moments[places[s]] = seeds.of(r)[s].moments;
    }
    std::uint32_t place = 0;
    for (const std::uint32_t leaf : shape_.leaves)
      shared_.ranges[leaf].child = place, place += shared_.ranges[leaf].end - shared_.ranges[leaf].first;
    shared_.point(top_);
    for (std::uint64_t c = top_.count; c-- > 0;)
      if (shape_.owners[c] == room::tree_top::shared) room::find_moments(top_, c, g);
  }

  // The tree that this member walks: the top, its own domain, and what it is sent of the others'.
  void gather_essential(const gravitation& g, const T* sizes) {
    const auto members = static_cast<std::size_t>(m_.size());
    const auto boxes = shared(m_, room::boxes_of(dev(), own_, count_, sizes));
    std::vector<room::sent_cell<T>> cells;
    std::vector<four> bodies;
    std::vector<std::uint64_t> cells_sent(members), bodies_sent(members);
    for (int r = 0; r < m_.size(); ++r) {
      if (r == m_.rank() || boxes.of(r).empty()) continue;
      const auto needed = room::needed_within<T>(dev(), own_, 0, shape_.seeds[rank()].size(), boxes.of(r), g, sizes);
      cells_sent[static_cast<std::size_t>(r)] = needed.cells.size();
      bodies_sent[static_cast<std::size_t>(r)] = needed.bodies.size();
      cells.insert(cells.end(), needed.cells.begin(), needed.cells.end());
      bodies.insert(bodies.end(), needed.bodies.begin(), needed.bodies.end());
    }
    const auto cells_came = exchanged<room::sent_cell<T>>(m_, cells, cells_sent);
    const auto bodies_came = exchanged<four>(m_, bodies, bodies_sent);

    const std::uint64_t own_bodies = own_.padded, own_cells = own_.count, top_cells = top_.count;
    for (int a = 0; a < 4; ++a) {
      auto& axis = here_.axis[a];
      axis.clear(), axis.reserve(own_bodies + shared_.axis[a].size() + bodies_came.all.size());
      axis.insert(axis.end(), own_.axis[a], own_.axis[a] + own_bodies);
      axis.insert(axis.end(), shared_.axis[a].begin(), shared_.axis[a].end());
    }
    for (const four& b : bodies_came.all) here_.add_body(b.x, b.y, b.z, b.w);
    here_.ranges = shared_.ranges, here_.centres = shared_.centres, here_.moments = shared_.moments;
    for (const std::uint32_t leaf : shape_.leaves)
      here_.ranges[leaf].child += static_cast<std::uint32_t>(own_bodies);
    const std::uint64_t all_cells = top_cells + own_cells + cells_came.all.size();
    here_.ranges.reserve(all_cells), here_.centres.reserve(all_cells), here_.moments.reserve(all_cells);
    for (std::uint64_t c = 0; c < own_cells; ++c) {
      room::cell_range r = own_.ranges[c];
      r.first += static_cast<std::uint32_t>(first_), r.end += static_cast<std::uint32_t>(first_);
      if (r.children) r.child += static_cast<std::uint32_t>(top_cells);
      here_.add(r, own_.centres[c], own_.moments[c]);
    }
    for (std::size_t s = 0; s < shape_.seeds[rank()].size(); ++s)
      here_.ranges[shape_.seeds[rank()][s]] = here_.ranges[top_cells + s];

    auto next_body = static_cast<std::uint32_t>(own_bodies + shared_.axis[0].size());
    for (int r = 0; r < m_.size(); ++r)
      if (const auto came = cells_came.of(r); !came.empty())
        take_in(came, shape_.seeds[static_cast<std::size_t>(r)], next_body);
    essential_ = own_;
    here_.point(essential_);
  }

  // Another domain's cells: its seeds are in the top; behind them come the children of those that are opened, in order.
  void take_in(std::span<const room::sent_cell<T>> came, std::span<const std::uint32_t> seeds,
               std::uint32_t& next_body) {
    const std::uint64_t begin = here_.ranges.size();
    std::uint64_t next = begin;
    for (std::size_t i = 0; i < came.size(); ++i) {
      room::cell_range r = came[i].range;
      if (!r.child) {
        r.child = room::not_here;
      } else if (r.children) {
        r.child = static_cast<std::uint32_t>(next), next += r.children;
      } else {
        r.child = next_body, next_body += r.end - r.first;
      }
      i < seeds.size() ? void(here_.ranges[seeds[i]] = r) : here_.add(r, came[i].centre, came[i].moments);
    }
  }

  // Each row to the member whose body it is.
  void give_back(device_span<const four> rows, device_span<four> out) const {
    const auto owner = [&](std::uint32_t body) {
      return static_cast<std::size_t>(std::upper_bound(have_.begin(), have_.end(), std::uint64_t{body}) -
                                      have_.begin()) -
             1;
    };
    std::vector<std::uint64_t> sent(static_cast<std::size_t>(m_.size())), received(sent.size());
    for (std::uint64_t i = 0; i < count_; ++i) ++sent[owner(bodies_.data()[i].body)];
    auto at = offsets_of_parts(sent);
    const auto going = m_.scratch<marked_row<T>>("group/rows going", count_);
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint32_t body = bodies_.data()[i].body;
      const four& a = rows.data()[i];
      going.data()[at[owner(body)]++] = {a.x, a.y, a.z, a.w, body};
    }
    m_.way().transpose(sent.data(), received.data(), sizeof received[0]);
    const auto came = m_.scratch<marked_row<T>>("group/rows here", out.size());
    m_.all_to_all(device_span<const marked_row<T>>(going), sent, came, received);
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const marked_row<T>& a = came.data()[i];
      out.data()[a.body - have_[rank()]] = {a.x, a.y, a.z, a.w};
    }
  }

  const member& m_;
  const gravitation g_;
  const std::span<const std::uint64_t> have_;
  const std::uint64_t n_;
  std::vector<std::uint64_t> want_;
  std::uint64_t first_ = 0, count_ = 0;  // the domain's bodies, in the tree's order

  device_span<std::uint64_t> keys_;
  device_span<marked_row<T>> bodies_;
  room::tree_top shape_;
  room::tree<T> own_, top_, essential_;
  std::uint64_t level_[room::most_levels + 2];
  cell_lists<T> shared_, here_;
};

}  // namespace

template <class T>
void pull_by_domains(const member& m, const gravitation& g, std::span<const std::uint64_t> have,
                     device_span<const nbody_room::four<T>> own, device_span<nbody_room::four<T>> out) {
  if (have.back() == 0) return;
  domain<T>(m, g, have).pull(own, out);
}

template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                              device_span<const nbody_room::four<float>>, device_span<nbody_room::four<float>>);
template void pull_by_domains(const member&, const gravitation&, std::span<const std::uint64_t>,
                              device_span<const nbody_room::four<double>>, device_span<nbody_room::four<double>>);

}  // namespace upsweep::core
