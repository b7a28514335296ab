// Features of compute capability 9.0: mbarriers that count the bytes of copies, bulk copies that an engine makes
// concurrently with the threads, and the memory of other blocks of a cluster. A copy is made some time between its
// start and the moment when a thread learns that it is complete. Until then the engine owns the memory that it reads
// and writes.
#include <algorithm>

#include "lens/own/device.hpp"

namespace upsweep::lens::own {

namespace {

std::string bytes_of(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// An mbarrier, as it is kept in its eight bytes: how many arrive in a phase, how many have yet to, the bytes that are
// expected and have not come (or have come and are not expected yet), and the phase.
struct arrivals {
  std::uint64_t word;
  std::uint64_t all() const { return word & 0xfffff; }
  std::uint64_t awaited() const { return word >> 20 & 0xfffff; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(word << 3) >> 43; }
  std::uint64_t phase() const { return word >> 61; }
  static arrivals of(std::uint64_t all, std::uint64_t awaited, std::int64_t bytes, std::uint64_t phase) {
    return {all | awaited << 20 | (static_cast<std::uint64_t>(bytes) & 0x1fffff) << 40 | phase << 61};
  }
};
constexpr std::uint64_t most_bytes = (1 << 20) - 1;

std::shared_ptr<const knowledge> done(std::uint32_t block, std::uint16_t engine, std::uint32_t moment) {
  auto all = std::make_shared<knowledge>();
  (*all)[block] = {{moment, 0, 0, engine, 0, 0}};
  return all;
}

}  // namespace

// ---- mbarriers

device::barrier_known* device::known_barrier(unsigned char* at, const char* does, const where& w) {
  const auto known = barriers_.find(at);
  if (known != barriers_.end()) return &known->second;
  machine_.found(fault_kind::bad_address, machine_.me() + does + " at " + text_of(w) +
                                              ", where nobody has initialised an mbarrier (mbarrier.init)");
  machine_.halt();
}

void device::begin_barrier(unsigned char* at, std::uint64_t all, const where& w) {
  const touched t = checked(at, 8, upsweep_lens::store, w);
  if (t.m == nullptr) return;
  machine_.touch_raw(*t.m, t.offset, 8, event::shared_store, w, false);
  if (all == 0 || all > 0xfffff)
    machine_.found(fault_kind::bad_call, machine_.me() + " initialises a barrier for " + std::to_string(all) +
                                             " arrivals at " + text_of(w) + "; 1 to 1048575 are what it counts");
  const std::uint64_t word = arrivals::of(all, all, 0, 0).word;
  std::memcpy(at, &word, 8);
  barrier_known& b = barriers_[at] = {};
  block* const home = machine_.block_of(t.r->of);
  b.block = t.r->of, b.epoch = machine_.self->of->of->epoch, b.thread = machine_.self->index;
  b.engine = machine_.name_engine(*home);
}

void device::end_barrier(unsigned char* at, const where& w) {
  const touched t = checked(at, 8, upsweep_lens::store, w);
  if (t.m == nullptr) return;
  machine_.touch_raw(*t.m, t.offset, 8, event::shared_store, w, false);
  known_barrier(at, " invalidates the memory", w);
  barriers_.erase(at);
}

// A fence tells the copy engine of the barriers that its thread has initialised, or knows to be.
void device::publish_barriers() {
  const block& mine = *machine_.self->of->of;
  for (auto& [at, b] : barriers_)
    if (b.block == mine.id && (b.thread == machine_.self->index || b.epoch < mine.epoch)) b.published = true;
}

// Records `times` arrivals and `expected` further bytes, and ends the phase if it is complete.
void device::settle(unsigned char* at, barrier_known& b, std::uint64_t times, std::int64_t expected) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  const arrivals a{word};
  const std::uint64_t awaited = a.awaited() - std::min(times, a.awaited());
  const std::int64_t bytes = a.bytes() + expected;
  const bool over = awaited == 0 && bytes == 0;
  word =
      (over ? arrivals::of(a.all(), a.all(), 0, a.phase() + 1) : arrivals::of(a.all(), awaited, bytes, a.phase())).word;
  std::memcpy(at, &word, 8);
  if (!over) return;
  b.told = merged(b.told, b.gathered);
  b.gathered = nullptr;
  machine_.stored();
}

std::uint64_t device::arrive_at_barrier(unsigned char* at, std::uint64_t times, std::int64_t expected, bool orders,
                                        const where& w) {
  const std::uint64_t before = update_flag(at, 8, false, false, w, [](std::uint64_t old) { return old; });
  barrier_known& b = *known_barrier(at, " arrives", w);
  const arrivals a{before};
  if (times > a.awaited())
    machine_.found(fault_kind::divergent_barrier, machine_.me() + " arrives at the mbarrier at " + text_of(w) +
                                                      ", where all " + std::to_string(a.all()) +
                                                      " of the phase have arrived already");
  if (expected > static_cast<std::int64_t>(most_bytes) || a.bytes() + expected > static_cast<std::int64_t>(most_bytes))
    machine_.found(fault_kind::bad_call,
                   machine_.me() + " expects more bytes at " + text_of(w) + " than an mbarrier counts (1048575)");
  if (orders) b.gathered = merged(b.gathered, machine_.release_all());
  settle(at, b, times, expected);
  machine_.stored();
  return before;
}

bool device::barrier_has_passed(unsigned char* at, std::uint64_t asked, bool parity, const where& w) {
  barrier_known& b = *known_barrier(at, " waits", w);
  look_at_flag(at, 8, false, w);  // others run meanwhile
  // The engine is as fast as it likes.
  while (!b.under_way.empty() && (engine_dice_() & 16) != 0) {
    std::swap(b.under_way[engine_dice_() % b.under_way.size()], b.under_way.back());
    const bulk_copy c = b.under_way.back();
    b.under_way.pop_back();
    std::memcpy(c.to, c.from, c.bytes);
    if (b.under_way.empty() && races_) b.gathered = merged(b.gathered, done(b.block, b.engine, machine_.next_moment()));
    settle(at, b, 0, -static_cast<std::int64_t>(c.bytes));
    machine_.stored();
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, 8);
  const std::uint64_t phase = arrivals{word}.phase();
  const bool passed = parity ? (phase & 1) != asked : phase != arrivals{asked}.phase();
  if (passed) machine_.acquire_all(b.told);
  return passed;
}

// ---- copies in bulk

// Whether the engine may make this access; if so, records it as made by the engine.
bool device::in_bulk(unsigned char* at, std::uint64_t bytes, int kind, std::uint32_t block, std::uint16_t engine,
                     const where& w) {
  const char* const does = kind == upsweep_lens::store ? " writes to " : " reads from ";
  if (bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(at) % 16 != 0) {
    machine_.found(fault_kind::bad_address,
                   "a copy in bulk that " + machine_.me() + " starts at " + text_of(w) +
                       (bytes % 16 != 0 ? " is of " + bytes_of(bytes) : does + std::string("an address")) +
                       ", not of a multiple of 16");
    return false;
  }
  const touched t = checked(at, 16, kind, w);
  if (t.m == nullptr) return false;
  if (at + bytes > t.r->begin + t.r->bytes) {
    out_of(*t.r, at + bytes - 16, 16, w);
    return false;
  }
  const bool is_shared = t.r->where == space::shared, writes = kind == upsweep_lens::store;
  machine_.touch_by_engine(*t.m, t.offset, bytes,
                           is_shared ? (writes ? event::shared_store : event::shared_load)
                                     : (writes ? event::global_store : event::global_load),
                           w, block, engine);
  return true;
}

void device::load_in_bulk(unsigned char* to, unsigned char* from, std::uint64_t bytes, unsigned char* barrier,
                          const where& w) {
  const touched t = checked(barrier, 8, upsweep_lens::load, w);
  if (t.m == nullptr || bytes == 0) return;
  barrier_known& b = *known_barrier(barrier, " starts a copy in bulk", w);
  if (!b.published)
    machine_.found(fault_kind::race, machine_.me() + " starts a copy in bulk at " + text_of(w) + " for " +
                                         t.m->cell(static_cast<std::int64_t>(t.offset / t.m->element)) +
                                         ", a barrier whose initialisation no fence has shown to the copy engine "
                                         "(fence.mbarrier_init or fence.proxy.async)");
  if (const region* r = memory_.find(to); r == nullptr || r->where != space::shared || r->of != b.block)
    machine_.found(fault_kind::bad_address, machine_.me() + " starts a copy in bulk at " + text_of(w) +
                                                " into other memory than that of its barrier's block");
  if (!in_bulk(from, bytes, upsweep_lens::load, b.block, b.engine, w)) return;
  if (!in_bulk(to, bytes, upsweep_lens::store, b.block, b.engine, w)) return;
  b.under_way.push_back({to, from, bytes});
}

device::bulk_groups& device::groups_of_thread() {
  const block& mine = *machine_.self->of->of;
  return groups_[{mine.id, machine_.self->index}];
}

void device::store_in_bulk(unsigned char* to, unsigned char* from, std::uint64_t bytes, const where& w) {
  if (bytes == 0) return;
  bulk_groups& g = groups_of_thread();
  block& mine = *machine_.self->of->of;
  if (g.reads == 0) g.reads = machine_.name_engine(mine), g.writes = machine_.name_engine(mine);
  g.at = text_of(w);
  if (!in_bulk(from, bytes, upsweep_lens::load, mine.id, g.reads, w)) return;
  if (!in_bulk(to, bytes, upsweep_lens::store, mine.id, g.writes, w)) return;
  g.open.push_back({to, from, bytes});
}

void device::close_group() {
  bulk_groups& g = groups_of_thread();
  g.closed.push_back({std::move(g.open), machine_.next_moment(), false});
  g.open.clear();
}

// Waits until at most `left` of the thread's last groups are in flight, or still read their sources.
void device::wait_for_groups(std::uint64_t left, bool read, const where&) {
  bulk_groups& g = groups_of_thread();
  if (g.closed.size() <= left) return;
  const std::size_t over = g.closed.size() - static_cast<std::size_t>(left);
  const std::uint32_t block = machine_.self->of->of->id, moment = g.closed[over - 1].moment;
  for (std::size_t k = 0; k < over; ++k) {
    if (!g.closed[k].read)
      for (const bulk_copy& c : g.closed[k].all) std::memcpy(c.to, c.from, c.bytes);
    g.closed[k].read = true;
  }
  if (g.reads != 0 && races_) {
    machine_.acquire_all(done(block, g.reads, moment));
    if (!read) machine_.acquire_all(done(block, g.writes, moment));
  }
  if (!read) g.closed.erase(g.closed.begin(), g.closed.begin() + static_cast<std::ptrdiff_t>(over));
}

// The block's memory ends: no copy that needs it may be in flight.
void device::end_of_block(std::uint32_t block) {
  const auto named = [&](std::uint16_t thread) {
    return "thread " + std::to_string(thread) + " of block " + std::to_string(block);
  };
  for (auto at = groups_.lower_bound({block, 0}); at != groups_.end() && at->first.first == block;) {
    const bulk_groups& g = at->second;
    const bool waited = g.open.empty() && std::all_of(g.closed.begin(), g.closed.end(),
                                                      [](const auto& one) { return one.read || one.all.empty(); });
    if (!waited) {
      machine_.found(fault_kind::race, named(at->first.second) + " has left the kernel without having waited (" +
                                           (g.open.empty() ? "" : "cp.async.bulk.commit_group, ") +
                                           "cp.async.bulk.wait_group.read) for its copies in bulk out of shared "
                                           "memory, the last of which it started at " +
                                           g.at);
      for (const auto& one : g.closed)
        for (const bulk_copy& c : one.all)
          if (!one.read) std::memcpy(c.to, c.from, c.bytes);
    }
    at = groups_.erase(at);
  }
  for (auto& [key, r] : of_block_[block])
    for (auto at = barriers_.lower_bound(r->begin); at != barriers_.end() && at->first < r->begin + r->bytes;) {
      if (!at->second.under_way.empty())
        machine_.found(fault_kind::race, "block " + std::to_string(block) +
                                             " ends while copies in bulk write its shared memory: nobody has waited "
                                             "for the barrier that they complete");
      at = barriers_.erase(at);
    }
}

// ---- clusters

unsigned device::of_cluster(int what) const {
  const block& mine = *machine_.self->of->of;
  const index3 &size = machine_.cluster_size, &grid = machine_.grid_size, &at = machine_.block_index;
  switch (what) {
    case upsweep_lens::size_of_it: return size.x;
    case upsweep_lens::size_of_it + 1: return size.y;
    case upsweep_lens::size_of_it + 2: return size.z;
    case upsweep_lens::place_in_it: return at.x % size.x;
    case upsweep_lens::place_in_it + 1: return at.y % size.y;
    case upsweep_lens::place_in_it + 2: return at.z % size.z;
    case upsweep_lens::place_of_it: return at.x / size.x;
    case upsweep_lens::place_of_it + 1: return at.y / size.y;
    case upsweep_lens::place_of_it + 2: return at.z / size.z;
    case upsweep_lens::clusters: return grid.x / size.x;
    case upsweep_lens::clusters + 1: return grid.y / size.y;
    case upsweep_lens::clusters + 2: return grid.z / size.z;
    case upsweep_lens::rank_in_it: return machine_.rank_of(mine);
    default: return static_cast<unsigned>(mine.of->blocks.size());
  }
}

unsigned device::rank_of(unsigned char* at, const where& w) {
  const region* r = memory_.find(at);
  const block& mine = *machine_.self->of->of;
  const block* b = r != nullptr && r->where == space::shared ? machine_.block_of(r->of) : nullptr;
  if (b != nullptr && b->of == mine.of) return machine_.rank_of(*b);
  machine_.found(fault_kind::bad_address, machine_.me() + " asks at " + text_of(w) +
                                              " whose shared memory that is, which is none of its cluster's");
  machine_.halt();
}

unsigned char* device::of_block(unsigned char* at, unsigned rank, const where& w) {
  region* r = memory_.find(at);
  const block& mine = *machine_.self->of->of;
  if (r == nullptr || r->where != space::shared || rank >= mine.of->blocks.size()) {
    machine_.found(
        fault_kind::bad_address,
        machine_.me() + " asks at " + text_of(w) + " for " +
            (rank >= mine.of->blocks.size() ? "the memory of block " + std::to_string(rank) +
                                                  " of its cluster, which has " + std::to_string(mine.of->blocks.size())
                                            : "another block's copy of what is not in shared memory"));
    machine_.halt();
  }
  const std::ptrdiff_t offset = at - r->begin;
  const auto& those = of_block_[r->of];
  const auto own = std::find_if(those.begin(), those.end(), [&](const auto& one) { return one.second == r; });
  const memory_block& m = *r->block;
  region* const there = shared_in(*mine.of->blocks[rank], own->first, m.name.c_str(), r->bytes,
                                  m.named == 0 ? m.element : m.named, m.extents);
  return there->begin + offset;
}

}  // namespace upsweep::lens::own
