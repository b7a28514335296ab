// Locally essential trees: J. K. Salmon, Parallel hierarchical N-body methods, 1991; M. S. Warren and J. K. Salmon, A
// parallel hashed oct-tree N-body algorithm, 1993. Here domains are ranges of the sorted keys, so that the tree is that
// of one device for any number of ranks (nbody/nbody_tree_domain.hpp).
#include "upsweep/communicator/communicator_domains.hpp"

#include <algorithm>
#include <numeric>

#include "upsweep/communicator/communicator_all_gather.hpp"
#include "upsweep/communicator/communicator_sort.hpp"
#include "upsweep/nbody/nbody_tree_domain.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::core {

namespace impl = detail::nbody_impl;

std::vector<std::uint64_t> domain_cuts(std::uint64_t n, int ranks) {
  const auto parts = static_cast<std::uint64_t>(ranks),
             groups = (n + impl::bodies_in_group - 1) / impl::bodies_in_group;
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t r = 0; r <= parts; ++r) cuts.push_back(std::min(n, groups * r / parts * impl::bodies_in_group));
  return cuts;
}

namespace {

// A row, and the number of its body among all.
template <class T>
struct marked_row {
  T x, y, z, w;
  std::uint32_t body;
};

// The top's cells, and the bodies of its leaves.
template <class T>
struct top_cells {
  std::vector<impl::cell_range> ranges;
  std::vector<impl::cell_centre<T>> centres;
  std::vector<impl::cell_moments<T>> moments;
  std::vector<T> axis[4];
};

template <class T>
class domain {
  using vec4 = impl::vec4<T>;

 public:
  domain(const communicator_rank& m, const gravitation& g, std::span<const std::uint64_t> have)
      : m_(m), g_(g), have_(have), n_(have.back()), want_(domain_cuts(n_, m.size())) {
    first_ = want_[rank()], count_ = want_[rank() + 1] - first_;
  }

  void accelerate(device_span<const vec4> own, device_span<vec4> out) {
    take_domain(own);
    const bool relative = g_.criterion > 0;
    build(relative ? impl::roughly() : g_);
    T* sizes = nullptr;
    gather_essential(relative ? impl::roughly() : g_, sizes);
    if (relative) {
      sizes = device().scratch("nbody/sizes", std::max<std::uint64_t>(count_, 1) * sizeof(T)).template as<T>();
      impl::find_sizes(device(), essential_, g_, first_, count_, sizes);
      impl::set_openings(device(), own_, g_), impl::set_openings(device(), top_, g_);
      gather_essential(g_, sizes);
    }
    const auto rows = m_.scratch<vec4>("group/pulls", count_);
    impl::walk_tree<T>(device(), essential_, g_, sizes, first_, count_, rows.data(), nullptr);
    give_back(rows, out);
  }

 private:
  upsweep::device& device() const { return m_.where().device(); }
  std::size_t rank() const { return static_cast<std::size_t>(m_.rank()); }

  // Sorts bodies by their keys; each rank gets whole groups of them.
  void take_domain(device_span<const vec4> own) {
    const std::uint64_t first = have_[rank()], count = own.size();
    const impl::key_cube cube = find_cube(own);
    const auto keys = m_.scratch<std::uint64_t>("nbody/keys", count);
    const auto marked = m_.scratch<marked_row<T>>("group/marked bodies", count);
    impl::find_keys(device(), cube, own.data(), count, keys.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      const vec4& b = own.data()[i];
      marked.data()[i] = {b.x, b.y, b.z, b.w, static_cast<std::uint32_t>(first + i)};
    }
    keys_ = m_.scratch<std::uint64_t>("group/domain keys", count_);
    bodies_ = m_.scratch<marked_row<T>>("group/domain", count_);
    sort_across<std::uint64_t, marked_row<T>>(m_, keys, keys_, marked, bodies_, have_, want_,
                                              key_order_across<std::uint64_t>("nbody", {}));
  }

  // The number of bodies that one device samples.
  impl::key_cube find_cube(device_span<const vec4> own) const {
    impl::bounds all;
    for (const impl::bounds& b : m_.all(impl::bounds_of(device(), own.data(), own.size()))) all.take(b.lower, b.upper);
    struct place {
      double x, y, z;
    };
    std::vector<place> mine;
    const std::uint64_t count = std::min(n_, impl::bodies_in_sample), first = have_[rank()];
    for (std::uint64_t s = 0; s < count; ++s) {
      const std::uint64_t i = s * n_ / count;
      if (i >= first && i - first < own.size())
        mine.push_back({own.data()[i - first].x, own.data()[i - first].y, own.data()[i - first].z});
    }
    std::vector<double> axes[3];
    for (const place& p : shared(m_, mine).all) axes[0].push_back(p.x), axes[1].push_back(p.y), axes[2].push_back(p.z);
    return impl::cube_around({axes[0].data(), axes[1].data(), axes[2].data()}, count, all.lower, all.upper);
  }

  void build(const gravitation& g) {
    lay_out_axes();
    impl::key_ends ends;
    if (count_) ends = {keys_.data()[0], keys_.data()[count_ - 1]};
    const auto prefixes = impl::shared_prefixes(m_.all(ends), want_);
    const auto mine = impl::count_shared(std::span(keys_.data(), count_), prefixes);
    std::vector<impl::bodies_by_digit> each(mine.size() * static_cast<std::size_t>(m_.size())), totals(mine.size());
    m_.route().all_gather(mine.data(), each.data(), mine.size() * sizeof mine[0]);
    for (std::size_t i = 0; i < each.size(); ++i)
      for (std::size_t digit = 0; digit < 8; ++digit) totals[i % mine.size()][digit] += each[i][digit];
    shape_ = impl::find_top(prefixes, totals, want_, impl::cpu_leaf);
    build_own(g);
    build_top(g);
  }

  void lay_out_axes() {
    own_.n = n_, own_.first = first_;
    own_.padded = (count_ + impl::cpu_group - 1) / impl::cpu_group * impl::cpu_group;
    T* const axes =
        device().scratch("nbody/tree axes", 4 * std::max<std::uint64_t>(own_.padded, 1) * sizeof(T)).template as<T>();
    for (int a = 0; a < 4; ++a) own_.axis[a] = axes + static_cast<std::uint64_t>(a) * own_.padded;
    T widest = 0;
    for (std::uint64_t i = 0; i < own_.padded; ++i) {
      const marked_row<T>& b = bodies_.data()[std::min(i, count_ - 1)];
      own_.axis[0][i] = b.x, own_.axis[1][i] = b.y, own_.axis[2][i] = b.z, own_.axis[3][i] = b.w;
      widest = std::max({widest, std::abs(b.x), std::abs(b.y), std::abs(b.z)});
    }
    for (const T w : m_.all(widest)) own_.widest = std::max(own_.widest, w);
  }

  // Builds the tree below the rank's seeds, in ranges of its own bodies.
  void build_own(const gravitation& g) {
    const auto& seeds = shape_.seeds[rank()];
    auto* const ranges =
        device().scratch("nbody/cells", (2 * count_ + 8) * sizeof(impl::cell_range)).template as<impl::cell_range>();
    level_[0] = 0, level_[1] = seeds.size();
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const impl::cell_range& c = shape_.cells[seeds[s]];
      const auto first = static_cast<std::uint32_t>(first_);
      ranges[s] = {c.first - first, c.end - first, 0, 0};
    }
    own_.count = impl::divide(device(), keys_.data(), ranges, level_, own_.levels);
    own_.ranges = ranges, own_.level = level_;
    const std::uint64_t cells = std::max<std::uint64_t>(own_.count, 1);
    own_.centres =
        device().scratch("nbody/centres", cells * sizeof(impl::cell_centre<T>)).template as<impl::cell_centre<T>>();
    own_.moments =
        device().scratch("nbody/moments", cells * sizeof(impl::cell_moments<T>)).template as<impl::cell_moments<T>>();
    impl::find_moments(device(), own_, g);
  }

  // Seeds come from their ranks, shared leaves from the bodies that ranks have of them, all other cells from their
  // children.
  void build_top(const gravitation& g) {
    struct seed {
      impl::cell_centre<T> centre;
      impl::cell_moments<T> moments;
    };
    std::vector<seed> mine;
    for (std::size_t s = 0; s < shape_.seeds[rank()].size(); ++s) mine.push_back({own_.centres[s], own_.moments[s]});
    std::vector<vec4> in_leaves;
    for (const std::uint32_t leaf : shape_.leaves) {
      const impl::cell_range& c = shape_.cells[leaf];
      for (std::uint64_t i = std::max<std::uint64_t>(c.first, first_);
           i < std::min<std::uint64_t>(c.end, first_ + count_); ++i) {
        const marked_row<T>& b = bodies_.data()[i - first_];
        in_leaves.push_back({b.x, b.y, b.z, b.w});
      }
    }
    const auto seeds = shared(m_, mine);
    for (const vec4& b : shared(m_, in_leaves).all) {
      const T of[4] = {b.x, b.y, b.z, b.w};
      for (int a = 0; a < 4; ++a) shared_.axis[a].push_back(of[a]);
    }

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
    for (int a = 0; a < 4; ++a) top_.axis[a] = shared_.axis[a].data();
    top_.ranges = shared_.ranges.data(), top_.centres = shared_.centres.data(), top_.moments = shared_.moments.data();
    top_.count = shared_.ranges.size();
    for (std::uint64_t c = top_.count; c-- > 0;)
      if (shape_.owners[c] == impl::tree_top::shared) impl::find_moments(top_, c, g);
  }

  // Collects the tree that this rank walks: the top, its own domain, and the cells that other ranks send.
  void gather_essential(const gravitation& g, const T* sizes) {
    const auto ranks = static_cast<std::size_t>(m_.size());
    const auto boxes = shared(m_, impl::boxes_of(device(), own_, count_, sizes));
    std::vector<impl::sent_cell<T>> cells;
    std::vector<vec4> bodies;
    struct counts {
      std::uint64_t cells = 0, bodies = 0;
    };
    std::vector<counts> sent(ranks), received(ranks);
    for (int r = 0; r < m_.size(); ++r) {
      if (r == m_.rank() || boxes.of(r).empty()) continue;
      const auto needed = impl::needed_within<T>(device(), own_, 0, shape_.seeds[rank()].size(), boxes.of(r), g, sizes);
      sent[static_cast<std::size_t>(r)] = {needed.cells.size(), needed.bodies.size()};
      cells.insert(cells.end(), needed.cells.begin(), needed.cells.end());
      bodies.insert(bodies.end(), needed.bodies.begin(), needed.bodies.end());
    }
    m_.route().transpose(sent.data(), received.data(), sizeof received[0]);
    const auto each = [](const std::vector<counts>& all, std::uint64_t counts::* which) {
      std::vector<std::uint64_t> one;
      for (const counts& c : all) one.push_back(c.*which);
      return one;
    };
    const auto cells_came =
        exchanged<impl::sent_cell<T>>(m_, cells, each(sent, &counts::cells), each(received, &counts::cells));
    const auto bodies_came = exchanged<vec4>(m_, bodies, each(sent, &counts::bodies), each(received, &counts::bodies));

    const std::uint64_t own_bodies = own_.padded, own_cells = own_.count, in_top = shared_.axis[0].size();
    essential_ = own_;
    essential_.count = top_.count + own_cells + cells_came.all.size();
    const std::uint64_t bodies_here = own_bodies + in_top + bodies_came.all.size();
    const auto axes = m_.scratch<T>("group/tree axes", 4 * bodies_here);
    for (int a = 0; a < 4; ++a) {
      essential_.axis[a] = axes.data() + static_cast<std::uint64_t>(a) * bodies_here;
      std::copy_n(own_.axis[a], own_bodies, essential_.axis[a]);
      std::ranges::copy(shared_.axis[a], essential_.axis[a] + own_bodies);
    }
    for (std::uint64_t i = 0; i < bodies_came.all.size(); ++i) {
      const vec4& b = bodies_came.all[i];
      const T of[4] = {b.x, b.y, b.z, b.w};
      for (int a = 0; a < 4; ++a) essential_.axis[a][own_bodies + in_top + i] = of[a];
    }

    ranges_ = m_.scratch<impl::cell_range>("group/tree cells", essential_.count).data();
    centres_ = m_.scratch<impl::cell_centre<T>>("group/tree centres", essential_.count).data();
    moments_ = m_.scratch<impl::cell_moments<T>>("group/tree moments", essential_.count).data();
    essential_.ranges = ranges_, essential_.centres = centres_, essential_.moments = moments_;
    std::ranges::copy(shared_.ranges, ranges_), std::ranges::copy(shared_.centres, centres_);
    std::ranges::copy(shared_.moments, moments_);
    for (const std::uint32_t leaf : shape_.leaves) ranges_[leaf].child += static_cast<std::uint32_t>(own_bodies);
    std::copy_n(own_.centres, own_cells, centres_ + top_.count);
    std::copy_n(own_.moments, own_cells, moments_ + top_.count);
    for (std::uint64_t c = 0; c < own_cells; ++c) {
      impl::cell_range& r = ranges_[top_.count + c] = own_.ranges[c];
      r.first += static_cast<std::uint32_t>(first_), r.end += static_cast<std::uint32_t>(first_);
      if (r.children) r.child += static_cast<std::uint32_t>(top_.count);
    }
    for (std::size_t s = 0; s < shape_.seeds[rank()].size(); ++s)
      ranges_[shape_.seeds[rank()][s]] = ranges_[top_.count + s];

    std::uint64_t next_cell = top_.count + own_cells, next_body = own_bodies + in_top;
    for (int r = 0; r < m_.size(); ++r)
      if (const auto came = cells_came.of(r); !came.empty())
        take_in(came, shape_.seeds[static_cast<std::size_t>(r)], next_cell, next_body);
  }

  // Inserts the cells of another domain. Its seeds are in the top; the children of opened cells are stored in order
  // from `cell` on, and bodies of leaves from `body` on.
  void take_in(std::span<const impl::sent_cell<T>> came, std::span<const std::uint32_t> seeds, std::uint64_t& cell,
               std::uint64_t& body) {
    std::uint64_t child = cell;
    for (std::size_t i = 0; i < came.size(); ++i) {
      impl::cell_range r = came[i].range;
      if (!r.child) {
        r.child = impl::not_here;
      } else if (r.children) {
        r.child = static_cast<std::uint32_t>(child), child += r.children;
      } else {
        r.child = static_cast<std::uint32_t>(body), body += r.end - r.first;
      }
      const std::uint64_t to = i < seeds.size() ? seeds[i] : cell++;
      ranges_[to] = r, centres_[to] = came[i].centre, moments_[to] = came[i].moments;
    }
  }

  // Sends each row to the rank that has the body.
  void give_back(device_span<const vec4> rows, device_span<vec4> out) const {
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
      const vec4& a = rows.data()[i];
      going.data()[at[owner(body)]++] = {a.x, a.y, a.z, a.w, body};
    }
    m_.route().transpose(sent.data(), received.data(), sizeof received[0]);
    const auto came = m_.scratch<marked_row<T>>("group/rows here", out.size());
    m_.all_to_all(device_span<const marked_row<T>>(going), sent, came, received);
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const marked_row<T>& a = came.data()[i];
      out.data()[a.body - have_[rank()]] = {a.x, a.y, a.z, a.w};
    }
  }

  const communicator_rank& m_;
  const gravitation g_;
  const std::span<const std::uint64_t> have_;
  const std::uint64_t n_;
  const std::vector<std::uint64_t> want_;
  std::uint64_t first_ = 0, count_ = 0;  // the domain's bodies, in the tree's order

  device_span<std::uint64_t> keys_;
  device_span<marked_row<T>> bodies_;
  impl::tree_top shape_;
  impl::tree<T> own_, top_, essential_;
  std::uint64_t level_[impl::most_levels + 2];
  top_cells<T> shared_;
  impl::cell_range* ranges_ = nullptr;  // the essential tree's
  impl::cell_centre<T>* centres_ = nullptr;
  impl::cell_moments<T>* moments_ = nullptr;
};

}  // namespace

template <class T>
void pull_by_domains(const communicator_rank& m, const gravitation& g, std::span<const std::uint64_t> have,
                     device_span<const detail::nbody_impl::vec4<T>> own, device_span<detail::nbody_impl::vec4<T>> out) {
  if (have.back() == 0) return;
  if (m.where().kind() != backend::cpu) return pull_by_device_domains<T>(m, g, have, own, out);
  domain<T>(m, g, have).accelerate(own, out);
}

template void pull_by_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                              device_span<const detail::nbody_impl::vec4<float>>,
                              device_span<detail::nbody_impl::vec4<float>>);
template void pull_by_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                              device_span<const detail::nbody_impl::vec4<double>>,
                              device_span<detail::nbody_impl::vec4<double>>);

}  // namespace upsweep::core
