// The tree by domains (communicator_domains.cpp) where ranks are GPUs or OpenCL devices: bodies and cells stay in
// device memory, and the host sees only counts of keys, the top's cells, and boxes. nbody/nbody_domain_steps.hpp has
// the steps by which a device builds and walks its domain.
#include <algorithm>
#include <limits>
#include <numeric>

#include "upsweep/communicator/communicator_all_gather.hpp"
#include "upsweep/communicator/communicator_domains.hpp"
#include "upsweep/communicator/communicator_sort.hpp"
#include "upsweep/nbody/nbody_domain_steps.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/search.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/transform.hpp"

namespace upsweep::core {

namespace impl = detail::nbody_impl;

namespace {

template <class T>
class device_domain {
  using vec4 = impl::vec4<T>;
  static constexpr std::uint64_t margin = impl::domain_margin;

 public:
  device_domain(const communicator_rank& m, const gravitation& g, std::span<const std::uint64_t> have)
      : m_(m),
        g_(g),
        have_(have),
        n_(have.back()),
        want_(domain_cuts(n_, m.size())),
        members_(want_.size() - 1),
        me_(static_cast<std::size_t>(m.rank())),
        first_(want_[me_]),
        count_(want_[me_ + 1] - first_),
        steps_(impl::domain_steps_on<T>(m.where().device())) {}

  void accelerate(device_span<const vec4> own, device_span<vec4> out) {
    sort_bodies(own);
    find_shape();
    bring_bodies(own);
    bring_neighbours();
    divide();
    find_moments();
    pulls_ = m_.scratch<vec4>("group/pulls", count_);
    if (g_.criterion > 0) walk(1, false, true);
    walk(static_cast<T>(g_.criterion > 0 ? 1 : g_.theta), g_.quadrupoles, false);
    give_back(out);
  }

 private:
  upsweep::device& device() const { return m_.where().device(); }

  // ---- memory

  template <class X>
  void upload(const memory& to, const std::vector<X>& from) const {
    if (!from.empty()) device().upload(to, from.data(), from.size() * sizeof(X));
  }
  template <class X>
  std::vector<X> fetched(const memory& from, std::uint64_t count) const {
    std::vector<X> all(count);
    if (count) device().download(all.data(), from, count * sizeof(X));
    return all;
  }
  template <class X>
  memory uploaded(const char* name, const std::vector<X>& from) const {
    const memory to = m_.scratch<X>(name, from.size()).where();
    upload(to, from);
    return to;
  }
  void copy(const memory& to, const memory& from, std::uint64_t bytes) const {
    if (bytes) device().copy(to, from, bytes);
  }
  // For each query, the number of sorted elements less than it.
  template <class X>
  std::vector<std::uint64_t> places_in(device_span<const X> sorted, const std::vector<X>& queries) const {
    if (queries.empty() || sorted.size() == 0) return std::vector<std::uint64_t>(queries.size());
    const auto asked = m_.scratch<X>("group/queries", queries.size());
    upload(asked.where(), queries);
    const auto found = m_.scratch<std::uint64_t>("group/queries' places", queries.size());
    upsweep::lower_bound(m_.where(), sorted, device_span<const X>(asked), found);
    return fetched<std::uint64_t>(found.where(), queries.size());
  }

  // Bytes of a cell's centre, moments and box.
  static constexpr std::uint64_t centre_bytes = 4 * sizeof(T), moment_bytes = 8 * sizeof(T);
  std::uint64_t box_bytes() const { return steps_->box_width() * sizeof(T); }
  memory some(const std::string& name, const char* what, std::uint64_t bytes) const {
    return m_.scratch<std::byte>(name + what, bytes).where();
  }
  impl::cell_arrays cells_of(const std::string& name, std::uint64_t count) const {
    return {some(name, " ranges", count * sizeof(impl::cell_range)), some(name, " centres", count * centre_bytes),
            some(name, " moments", count * moment_bytes), memory{}};
  }
  static impl::cell_arrays from(const impl::cell_arrays& c, std::uint64_t cell) {
    return {c.ranges.plus_bytes(cell * sizeof(impl::cell_range)),
            c.centres.plus_bytes(cell * centre_bytes),
            c.moments.plus_bytes(cell * moment_bytes),
            {}};
  }

  // ---- the partition of the bodies

  // Sorts the bodies' keys and numbers; each rank gets whole groups of bodies.
  void sort_bodies(device_span<const vec4> own) {
    const std::uint64_t count = own.size();
    const impl::key_cube cube = find_cube(own);
    const auto keys = m_.scratch<std::uint64_t>("group/bodies' keys", count);
    const auto numbers = m_.scratch<std::uint32_t>("group/bodies' numbers", count);
    steps_->find_keys(cube, own.where(), count, keys.where());
    if (count) upsweep::iota(m_.where(), numbers, static_cast<std::uint32_t>(have_[me_]));
    all_keys_ = m_.scratch<std::uint64_t>("group/domain keys", margin + count_);
    keys_ = all_keys_.subspan(margin, count_);
    numbers_ = m_.scratch<std::uint32_t>("group/domain numbers", count_);
    sort_across<std::uint64_t, std::uint32_t>(m_, keys, keys_, numbers, numbers_, have_, want_,
                                              key_order_across<std::uint64_t>("nbody", {}));
  }

  // The number of bodies that one device samples.
  impl::key_cube find_cube(device_span<const vec4> own) {
    impl::bounds all;
    for (const impl::bounds& b : m_.all(steps_->bounds_of(own.where(), own.size()))) all.take(b.lower, b.upper);
    for (int a = 0; a < 3; ++a) widest_ = std::max({widest_, std::abs(all.lower[a]), std::abs(all.upper[a])});
    const std::uint64_t count = std::min(n_, impl::bodies_in_sample), first = have_[me_];
    std::vector<std::uint32_t> places;
    for (std::uint64_t s = 0; s < count; ++s) {
      const std::uint64_t i = s * n_ / count;
      if (i >= first && i - first < own.size()) places.push_back(static_cast<std::uint32_t>(i - first));
    }
    const auto sampled = m_.scratch<vec4>("group/sample", places.size());
    steps_->bring(own.where(), uploaded("group/sample's places", places), 0, places.size(), sampled.where());
    std::vector<double> axes[3];
    for (const vec4& b : shared(m_, fetched<vec4>(sampled.where(), places.size())).all)
      axes[0].push_back(b.x), axes[1].push_back(b.y), axes[2].push_back(b.z);
    return impl::cube_around({axes[0].data(), axes[1].data(), axes[2].data()}, count, all.lower, all.upper);
  }

  // Fetches the domain's bodies from their ranks. Their sorted numbers are grouped by rank.
  void bring_bodies(device_span<const vec4> own) {
    const auto places = m_.scratch<std::uint32_t>("group/places", count_),
               sorted = m_.scratch<std::uint32_t>("group/numbers in order", count_);
    if (count_) {
      upsweep::iota(m_.where(), places);
      upsweep::sort_by_key(m_.where(), device_span<const std::uint32_t>(numbers_),
                           device_span<const std::uint32_t>(places), sorted,
                           places_ = m_.scratch<std::uint32_t>("group/places in order", count_));
    }
    std::vector<std::uint32_t> begins;
    for (std::size_t r = 0; r < members_; ++r) begins.push_back(static_cast<std::uint32_t>(have_[r]));
    auto cuts = places_in(device_span<const std::uint32_t>(sorted), begins);
    cuts.push_back(count_);
    mine_of_.resize(members_), own_of_.resize(members_);
    for (std::size_t r = 0; r < members_; ++r) mine_of_[r] = cuts[r + 1] - cuts[r];
    m_.route().transpose(mine_of_.data(), own_of_.data(), sizeof own_of_[0]);
    wanted_ = m_.scratch<std::uint32_t>("group/numbers wanted", own.size());
    m_.all_to_all(device_span<const std::uint32_t>(sorted), mine_of_, wanted_, own_of_);

    const auto going = m_.scratch<vec4>("group/bodies going", own.size());
    steps_->bring(own.where(), wanted_.where(), have_[me_], own.size(), going.where());
    const auto here = m_.scratch<vec4>("group/tree bodies", count_);  // free until the tree is received
    m_.all_to_all(device_span<const vec4>(going), own_of_, here, mine_of_);
    bodies_ = m_.scratch<vec4>("group/domain", domain_size());
    steps_->put(here.where(), places_.where(), 0, count_, body(margin));
  }

  // The way back: sends each row to the rank that has the body.
  void give_back(device_span<vec4> out) const {
    const auto going = m_.scratch<vec4>("group/tree bodies", count_);  // the walk no longer needs them
    steps_->bring(pulls_.where(), places_.where(), 0, count_, going.where());
    const auto here = m_.scratch<vec4>("group/bodies going", out.size());
    m_.all_to_all(device_span<const vec4>(going), mine_of_, here, own_of_);
    steps_->put(here.where(), wanted_.where(), have_[me_], out.size(), out.where());
  }

  // ---- the tree's shape

  // Finds the top of the tree from the number of bodies of each rank with each prefix of digits.
  void find_shape() {
    impl::key_ends ends;
    if (count_) ends = {m_.read(keys_, 0), m_.read(keys_, count_ - 1)};
    const auto prefixes = impl::shared_prefixes(m_.all(ends), want_);
    std::vector<std::uint64_t> limits;
    for (const impl::key_prefix& p : prefixes)
      for (std::uint64_t digit = 0; digit <= 8; ++digit) limits.push_back((p.bits * 8 + digit) << 3 * (p.level - 1));
    const auto places = places_in(device_span<const std::uint64_t>(keys_), limits);
    std::vector<impl::bodies_by_digit> mine(prefixes.size()), each(mine.size() * members_), totals(mine.size());
    for (std::size_t p = 0; p < mine.size(); ++p)
      for (std::size_t digit = 0; digit < 8; ++digit)
        mine[p][digit] = static_cast<std::uint32_t>(places[9 * p + digit + 1] - places[9 * p + digit]);
    m_.route().all_gather(mine.data(), each.data(), mine.size() * sizeof mine[0]);
    for (std::size_t i = 0; i < each.size(); ++i)
      for (std::size_t digit = 0; digit < 8; ++digit) totals[i % mine.size()][digit] += each[i][digit];
    shape_ = impl::find_top(prefixes, totals, want_, steps_->leaf());
    place_leaves();
  }
  const std::vector<std::uint32_t>& seeds_of(std::size_t r) const { return shape_.seeds[r]; }
  std::uint32_t top_count() const { return static_cast<std::uint32_t>(shape_.cells.size()); }
  std::uint32_t own_seeds() const { return static_cast<std::uint32_t>(seeds_of(me_).size()); }

  // Order of the bodies in memory: the margin, the rank's own, bodies of a neighbour in a leaf shared with this rank,
  // those of the other shared leaves, and one whose values are NaN.
  bool has_of(const impl::cell_range& c) const { return count_ && c.first < first_ + count_ && c.end > first_; }
  std::uint32_t placed(std::uint64_t body) const { return static_cast<std::uint32_t>(body + margin - first_); }
  void place_leaves() {
    std::uint64_t behind = margin + count_;
    for (const std::uint32_t leaf : shape_.leaves)
      if (const impl::cell_range& c = shape_.cells[leaf]; has_of(c))
        behind = std::max<std::uint64_t>(behind, placed(c.end));
    leaf_places_.clear();
    for (const std::uint32_t leaf : shape_.leaves) {
      const impl::cell_range& c = shape_.cells[leaf];
      leaf_places_.push_back(has_of(c) ? placed(c.first) : static_cast<std::uint32_t>(behind));
      if (!has_of(c)) behind += c.end - c.first;
    }
    nobody_ = static_cast<std::uint32_t>(behind);
  }
  std::uint64_t domain_size() const { return nobody_ + std::uint64_t{1}; }
  memory body(std::uint64_t place) const { return bodies_.where().plus_bytes(place * sizeof(vec4)); }

  // Sends the bodies of shared leaves to all ranks.
  void bring_neighbours() {
    std::vector<vec4> mine;
    for (const std::uint32_t leaf : shape_.leaves) {
      const impl::cell_range& c = shape_.cells[leaf];
      if (!has_of(c)) continue;
      const std::uint64_t from = std::max<std::uint64_t>(c.first, first_),
                          end = std::min<std::uint64_t>(c.end, first_ + count_);
      const auto rows = fetched<vec4>(body(placed(from)), end - from);
      mine.insert(mine.end(), rows.begin(), rows.end());
    }
    const std::vector<vec4> all = shared(m_, mine).all;
    auto next = all.begin();
    for (std::size_t l = 0; l < shape_.leaves.size(); ++l) {
      const impl::cell_range& c = shape_.cells[shape_.leaves[l]];
      const std::vector<vec4> rows(next, next + (c.end - c.first));
      next += c.end - c.first;
      upload(body(leaf_places_[l]), rows);  // overwrites the rank's own bodies with equal values
    }
    constexpr T none = std::numeric_limits<T>::quiet_NaN();
    upload(body(nobody_), std::vector<vec4>{{none, none, none, none}});
  }

  // The top's cells come first; after them the cells below this rank's seeds.
  void divide() {
    const std::uint32_t top = top_count();
    ranges_ = m_.scratch<impl::cell_range>("group/domain ranges", top + own_seeds() + 2 * count_ + 8).where();
    std::vector<impl::cell_range> seeds;
    for (const std::uint32_t seed : seeds_of(me_)) {
      const impl::cell_range& c = shape_.cells[seed];
      seeds.push_back({placed(c.first), placed(c.end), 0, 0});
    }
    upload(ranges_.plus_bytes(top * sizeof(impl::cell_range)), seeds);
    const auto counts = m_.scratch<std::uint32_t>("group/domain counts", count_ + 2);
    level_ = steps_->divide(all_keys_.where(), ranges_, top, own_seeds(), counts.where());
    own_cells_ = level_.back() - top;
  }

  // The data of a seed that a rank sends to the others.
  struct seed {
    T centre[4], moments[8], box[8];
  };

  void find_moments() {
    const std::string name = "group/domain";
    const std::uint64_t count = level_.back();
    cells_ = {ranges_, some(name, " centres", count * centre_bytes), some(name, " moments", count * moment_bytes),
              some(name, " boxes", count * box_bytes())};
    for (std::size_t l = level_.size() - 1; l-- > 0;)
      steps_->find_moments(bodies_.where(), cells_, level_[l], level_[l + 1] - level_[l]);

    const std::uint64_t top = top_count(), wide = steps_->box_width();
    const auto own = from(cells_, top);
    const auto ranges = fetched<impl::cell_range>(own.ranges, own_seeds());
    const auto centres = fetched<T>(own.centres, 4 * own_seeds()), moments = fetched<T>(own.moments, 8 * own_seeds()),
               boxes = fetched<T>(cells_.boxes.plus_bytes(top * box_bytes()), wide * own_seeds());
    std::vector<seed> mine(own_seeds());
    for (std::size_t s = 0; s < mine.size(); ++s) {
      std::copy_n(centres.data() + 4 * s, 4, mine[s].centre), std::copy_n(moments.data() + 8 * s, 8, mine[s].moments);
      std::fill_n(mine[s].box, 8, T(0)), std::copy_n(boxes.data() + wide * s, wide, mine[s].box);
    }
    const auto all = shared(m_, mine);

    std::vector<impl::cell_range> top_ranges = top_as_placed();
    std::vector<T> top_centres(4 * top), top_moments(8 * top), top_boxes(wide * top);
    for (std::size_t r = 0; r < members_; ++r)
      for (std::size_t s = 0; s < seeds_of(r).size(); ++s) {
        const std::size_t c = seeds_of(r)[s];
        const seed& it = all.of(static_cast<int>(r))[s];
        std::copy_n(it.centre, 4, top_centres.data() + 4 * c);
        std::copy_n(it.moments, 8, top_moments.data() + 8 * c), std::copy_n(it.box, wide, top_boxes.data() + wide * c);
        if (r == me_) top_ranges[c] = ranges[s];
      }
    upload(cells_.ranges, top_ranges), upload(cells_.centres, top_centres), upload(cells_.moments, top_moments);
    upload(cells_.boxes, top_boxes);
    sum_top();
  }

  // The top's cells in this rank's positions. An inner cell with bodies of this rank gets their range, so that no group
  // of them accepts it; another rank's seed is not here yet.
  std::vector<impl::cell_range> top_as_placed() const {
    std::vector<impl::cell_range> all(shape_.cells);
    for (impl::cell_range& c : all) {
      const std::uint64_t begin = std::max<std::uint64_t>(c.first, first_),
                          end = std::min<std::uint64_t>(c.end, first_ + count_);
      const bool own = has_of(c);
      c.first = own ? placed(begin) : impl::not_here, c.end = own ? placed(end) : impl::not_here;
    }
    for (std::size_t l = 0; l < shape_.leaves.size(); ++l) {
      const impl::cell_range& leaf = shape_.cells[shape_.leaves[l]];
      all[shape_.leaves[l]] = {leaf_places_[l], leaf_places_[l] + (leaf.end - leaf.first), 0, 0};
    }
    return all;
  }

  // Sums shared cells from their bodies or children, the deepest first.
  void sum_top() {
    std::vector<std::vector<std::uint32_t>> by_depth(1);
    std::vector<std::size_t> depth(top_count());
    for (std::uint32_t c = 0; c < top_count(); ++c) {
      if (shape_.owners[c] != impl::tree_top::shared) continue;
      if (depth[c] == by_depth.size()) by_depth.emplace_back();
      by_depth[depth[c]].push_back(c);
      const impl::cell_range& cell = shape_.cells[c];
      for (std::uint32_t k = 0; k < cell.children; ++k) depth[cell.child + k] = depth[c] + 1;
    }
    std::vector<std::uint32_t> list;
    for (const auto& level : by_depth) list.insert(list.end(), level.begin(), level.end());
    const memory listed = uploaded("group/top", list);
    std::size_t at = list.size();
    for (std::size_t l = by_depth.size(); l-- > 0;) {
      at -= by_depth[l].size();
      steps_->find_listed_moments(bodies_.where(), cells_, listed.plus_bytes(at * sizeof(std::uint32_t)),
                                  static_cast<std::uint32_t>(by_depth[l].size()));
    }
  }

  // ---- the walk

  void walk(T theta, bool quadrupoles, bool measures) {
    const bool relative = g_.criterion > 0 && !measures;
    steps_->set_openings(cells_, level_.back(), theta, quadrupoles);
    if (g_.criterion > 0) sizes_ = m_.scratch<T>("group/sizes", margin + count_).where();
    const impl::box_test<T> test{static_cast<T>(16.0 * std::numeric_limits<T>::epsilon() * widest_),
                                 static_cast<T>(g_.criterion), quadrupoles, relative};
    gather_essential(test);
    if (count_)
      steps_->walk({essential_bodies_, sizes_, pulls_.where(), essential_, margin, margin + count_, quadrupoles,
                    measures, relative},
                   g_);
  }

  struct counts {
    std::uint64_t cells = 0, bodies = 0;
  };
  static std::vector<share> one_behind_the_other(const std::vector<counts>& all, std::uint64_t counts::* which) {
    std::vector<share> shares;
    std::uint64_t first = 0;
    for (const counts& c : all) shares.push_back({first, c.*which}), first += c.*which;
    return shares;
  }
  static std::uint64_t end_of(const std::vector<share>& shares) { return shares.back().first + shares.back().count; }
  void swap_cells(const std::vector<moved_memory>& what, const std::vector<share>& sent,
                  const std::vector<share>& received) const {
    for (const auto& came : m_.route().all_to_all(device(), what, sent, received))
      if (came) device().wait_for(*came);
  }

  // Collects the tree that this rank walks: the top, its own domain, and the cells that other ranks send.
  void gather_essential(const impl::box_test<T>& test) {
    const auto asking = mark_opened(test);
    std::vector<counts> sent(members_), received(members_);
    for (std::size_t r = 0; r < members_; ++r) {
      if (!asking[r] || !own_cells_) continue;
      const std::uint64_t beside = count_sent(r);
      sent[r] = {own_seeds() + (beside & 0xffffffffu), beside >> 32};
    }
    m_.route().transpose(sent.data(), received.data(), sizeof received[0]);
    const auto cells_sent = one_behind_the_other(sent, &counts::cells),
               bodies_sent = one_behind_the_other(sent, &counts::bodies),
               cells_here = one_behind_the_other(received, &counts::cells),
               bodies_here = one_behind_the_other(received, &counts::bodies);

    const impl::cell_arrays going = cells_of("group/cells going", end_of(cells_sent)),
                            here = cells_of("group/cells here", end_of(cells_here));
    const memory bodies_going = m_.scratch<vec4>("group/leaves going", end_of(bodies_sent)).where();
    for (std::size_t r = 0; r < members_; ++r) {
      if (!sent[r].cells) continue;
      count_sent(r);
      steps_->pack(cells_, bodies_.where(), opened_, own_seeds(), static_cast<std::uint32_t>(r), before_.where(),
                   from(going, cells_sent[r].first), bodies_going.plus_bytes(bodies_sent[r].first * sizeof(vec4)));
    }
    swap_cells({{going.ranges, here.ranges, sizeof(impl::cell_range)},
                {going.centres, here.centres, centre_bytes},
                {going.moments, here.moments, moment_bytes}},
               cells_sent, cells_here);
    const std::uint64_t base = domain_size();
    essential_bodies_ = m_.scratch<vec4>("group/tree bodies", base + end_of(bodies_here)).where();
    copy(essential_bodies_, bodies_.where(), base * sizeof(vec4));
    swap_cells({{bodies_going, essential_bodies_.plus_bytes(base * sizeof(vec4)), sizeof(vec4)}}, bodies_sent,
               bodies_here);
    take_in(here, cells_here, bodies_here);
  }

  // Finds the ranks that need cells, and marks the cells that their walks open.
  std::vector<bool> mark_opened(const impl::box_test<T>& test) {
    const std::uint64_t mine = (count_ + impl::bodies_in_box - 1) / impl::bodies_in_box;
    const auto found = m_.scratch<impl::body_box<T>>("group/boxes", mine);
    steps_->find_body_boxes(bodies_.where(), margin, margin + count_, test.relative ? sizes_ : memory{}, found.where());
    const auto boxes = shared(m_, fetched<impl::body_box<T>>(found.where(), mine));
    std::vector<impl::body_box<T>> of_others;
    std::vector<std::uint32_t> owners;
    std::vector<bool> asking(members_);
    for (std::size_t r = 0; r < members_; ++r) {
      const auto of = boxes.of(static_cast<int>(r));
      if (r == me_ || of.empty()) continue;
      asking[r] = true;
      of_others.insert(of_others.end(), of.begin(), of.end());
      owners.resize(of_others.size(), static_cast<std::uint32_t>(r));
    }
    const auto words = static_cast<std::uint32_t>((members_ + 31) / 32);
    const auto bits = m_.scratch<std::uint32_t>("group/opened", std::uint64_t{own_cells_} * words);
    opened_ = {bits.where(), top_count(), own_cells_, words};
    before_ = m_.scratch<std::uint64_t>("group/opened counts", own_cells_ + std::uint64_t{1});
    if (own_cells_ && !of_others.empty()) {
      device().fill(bits.where(), 0, bits.size() * sizeof(std::uint32_t));
      steps_->mark_opened(cells_, opened_, own_seeds(), uploaded("group/others' boxes", of_others),
                          uploaded("group/boxes' owners", owners), static_cast<std::uint32_t>(owners.size()), test);
    }
    return asking;
  }
  // The number of cells that rank r is sent in addition to the seeds, plus 2^32 times the number of bodies. before_
  // becomes the position of each cell's among them.
  std::uint64_t count_sent(std::size_t r) {
    steps_->count_sent(cells_.ranges, opened_, static_cast<std::uint32_t>(r), before_.where());
    upsweep::exclusive_scan(m_.where(), device_span<const std::uint64_t>(before_), before_);
    return m_.read(before_, own_cells_);
  }

  void take_in(const impl::cell_arrays& here, const std::vector<share>& cells, const std::vector<share>& bodies) {
    const std::uint64_t base = level_.back();
    essential_ = cells_of("group/tree cells", base + end_of(cells));
    copy(essential_.ranges, cells_.ranges, base * sizeof(impl::cell_range));
    copy(essential_.centres, cells_.centres, base * centre_bytes);
    copy(essential_.moments, cells_.moments, base * moment_bytes);
    std::vector<std::uint32_t> places;
    for (std::size_t r = 0; r < members_; ++r) places.insert(places.end(), seeds_of(r).begin(), seeds_of(r).end());
    const memory seeds = uploaded("group/seeds' places", places);
    std::uint64_t next = base, seed = 0;
    for (std::size_t r = 0; r < members_; seed += seeds_of(r).size(), ++r) {
      if (!cells[r].count) continue;
      const std::uint64_t of_seeds = seeds_of(r).size();
      steps_->take_in(from(here, cells[r].first), static_cast<std::uint32_t>(cells[r].count),
                      seeds.plus_bytes(seed * sizeof(std::uint32_t)), static_cast<std::uint32_t>(of_seeds),
                      static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(domain_size() + bodies[r].first),
                      nobody_, essential_);
      next += cells[r].count - of_seeds;
    }
  }

  const communicator_rank& m_;
  const gravitation g_;
  const std::span<const std::uint64_t> have_;
  const std::uint64_t n_;
  const std::vector<std::uint64_t> want_;
  const std::size_t members_, me_;
  const std::uint64_t first_, count_;  // the domain's bodies, in the tree's order
  const std::unique_ptr<impl::domain_steps<T>> steps_;

  double widest_ = 0;  // the size of the largest coordinate of all
  device_span<std::uint64_t> all_keys_, keys_;
  device_span<std::uint32_t> numbers_, places_, wanted_;  // places_: the domain's bodies by sorted numbers
  std::vector<std::uint64_t> mine_of_, own_of_;           // the domain's bodies by owner, own bodies by domain
  impl::tree_top shape_;
  std::vector<std::uint32_t> leaf_places_;
  std::uint32_t nobody_ = 0, own_cells_ = 0;

  device_span<vec4> bodies_, pulls_;
  memory ranges_, sizes_, essential_bodies_;
  impl::cell_arrays cells_, essential_;
  std::vector<std::uint32_t> level_;
  impl::opened_cells opened_{};
  device_span<std::uint64_t> before_;
};

}  // namespace

template <class T>
void pull_by_device_domains(const communicator_rank& m, const gravitation& g, std::span<const std::uint64_t> have,
                            device_span<const detail::nbody_impl::vec4<T>> own,
                            device_span<detail::nbody_impl::vec4<T>> out) {
  device_domain<T>(m, g, have).accelerate(own, out);
}

template void pull_by_device_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const detail::nbody_impl::vec4<float>>,
                                     device_span<detail::nbody_impl::vec4<float>>);
template void pull_by_device_domains(const communicator_rank&, const gravitation&, std::span<const std::uint64_t>,
                                     device_span<const detail::nbody_impl::vec4<double>>,
                                     device_span<detail::nbody_impl::vec4<double>>);

}  // namespace upsweep::core
