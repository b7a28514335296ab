// Clusters of blocks, which run together and access each other's shared memory; and the accesses of copy engines, which
// run concurrently with the threads that start them.
#include <algorithm>

#include "lens/machine.hpp"

namespace upsweep::lens {

// ---- which blocks are together

std::uint32_t machine::cluster_of(std::uint32_t id) const {
  const index3 &c = cluster_size, &g = grid_size;
  const std::uint32_t x = id % g.x / c.x, y = id / g.x % g.y / c.y, z = id / g.x / g.y / c.z;
  return x + g.x / c.x * (y + g.y / c.y * z);
}

std::vector<std::uint32_t> machine::blocks_of_cluster(std::uint32_t number) const {
  const index3 &c = cluster_size, &g = grid_size;
  const std::uint32_t wide = g.x / c.x, high = g.y / c.y;
  const std::uint32_t x = number % wide * c.x, y = number / wide % high * c.y, z = number / wide / high * c.z;
  std::vector<std::uint32_t> all;
  for (unsigned k = 0; k < c.z; ++k)
    for (unsigned j = 0; j < c.y; ++j)
      for (unsigned i = 0; i < c.x; ++i) all.push_back(x + i + g.x * (y + j + g.y * (z + k)));
  return all;
}

unsigned machine::rank_of(const block& b) const {
  const auto& all = b.of->blocks;
  return static_cast<unsigned>(std::find(all.begin(), all.end(), &b) - all.begin());
}

block* machine::block_of(std::uint32_t id) const {
  const auto at = running_.find(id);
  return at == running_.end() ? nullptr : at->second;
}

void machine::begin_cluster(std::uint32_t number, unsigned threads, std::vector<std::unique_ptr<block>>& resident) {
  auto& c = clusters_.emplace_back(std::make_unique<cluster>());
  for (const std::uint32_t id : blocks_of_cluster(number)) {
    resident.push_back(start(id, threads));
    block& b = *resident.back();
    b.of = c.get();
    running_[id] = &b;
    c->blocks.push_back(&b);
    c->alive += threads;
  }
}

// A block's memory exists until all blocks of its cluster have ended, so that accesses to an ended block can be
// reported.
void machine::leave(std::unique_ptr<block> b) {
  cluster& c = *b->of;
  thread* const running = self;
  for (const block::visit& v : b->visits) {
    const bool told = std::any_of(b->threads.begin(), b->threads.end(), [&](thread& t) {
      self = &t;
      return unordered(v.what) == 0;
    });
    if (told) continue;
    found(fault_kind::race, block_text(b->id) + " may end while " +
                                thread_text(static_cast<unsigned>(v.what.warp * 32 + std::countr_zero(v.what.lanes))) +
                                " of " + block_text(v.what.block) + (v.writes ? " writes " : " reads ") + v.cell +
                                " in its shared memory at " + sites_[v.what.site].at.text() +
                                ": nothing orders its end after that");
  }
  self = running;
  c.ended.push_back(std::move(b));
  if (c.ended.size() < c.blocks.size()) return;
  for (const auto& one : c.ended) end(*one);
  std::erase_if(clusters_, [&](const auto& one) { return one.get() == &c; });
}

// ---- another block's shared memory

bool machine::visits(const memory_block& m, std::uint64_t offset, std::uint32_t owner, bool writes, const where& w) {
  block& mine = *self->of->of;
  const std::string what = me() + (writes ? " writes " : " reads ") +
                           m.cell(static_cast<std::int64_t>(offset / m.element)) + " in the shared memory of " +
                           block_text(owner);
  const std::uint16_t s = site_of(w, writes ? event::shared_store : event::shared_load);
  block* const other = block_of(owner);
  if (other == nullptr || other->of != mine.of) {
    found(fault_kind::bad_address, what + ", which is not of its cluster, at " + sites_[s].at.text());
    return false;
  }
  if (other->alive == 0) {
    found(fault_kind::bad_address, what + ", which has ended, at " + sites_[s].at.text());
    return true;
  }
  if (options_.races && self->phases == 0 && !(self->knows && self->knows->contains(owner)))
    found(fault_kind::race,
          what + " at " + sites_[s].at.text() + ", and no barrier of the cluster says that this block has begun");
  const access now = access_here(s, false);
  for (block::visit& v : other->visits)
    if (v.what.block == now.block && v.what.warp == now.warp && v.what.site == s) {
      const std::uint32_t lanes = v.what.lanes | now.lanes;
      v.what = now, v.what.lanes = lanes;
      return true;
    }
  other->visits.push_back({now, writes, m.cell(static_cast<std::int64_t>(offset / m.element))});
  return true;
}

// ---- the cluster's barrier

void machine::cluster_arrive(const where& w, bool orders) {
  const std::uint16_t s = site_of(w, event::block_barrier);
  touch(s);
  cluster& c = *self->of->of->of;
  if (self->arrivals > self->waits) {
    found(fault_kind::divergent_barrier, me() + " arrives at its cluster's barrier at " + sites_[s].at.text() +
                                             " once more before it has waited for it");
    if (self->arrivals > c.phase) return;
    ++self->waits;
  }
  ++self->arrivals, ++c.arrived;
  const warp& mine = *self->of;
  if (orders) {
    c.gathered = merged(c.gathered, self->knows);
    self->fenced_there = self->fenced_here;
  } else {
    c.gathered = merged(c.gathered, self->fenced);
    c.unordered.push_back({mine.of->id, self->fence_moment, mine.index, self->lane, self->arrivals});
  }
  ++stores_;  // waiting threads may continue
  meet_in_cluster(c);
}

void machine::cluster_wait(const where& w) {
  const std::uint16_t s = site_of(w, event::block_barrier);
  touch(s);
  cluster& c = *self->of->of->of;
  if (self->waits == self->arrivals) {
    found(fault_kind::divergent_barrier,
          me() + " waits at its cluster's barrier at " + sites_[s].at.text() + " without having arrived at it");
    return;
  }
  self->site = s;
  if (c.phase < self->arrivals) {
    self->state = waiting::at_cluster_barrier;
    suspend();
  }
  self->waits = self->arrivals;
  self->phases = std::max(self->phases, self->arrivals);
  acquire_all(c.told);
}

// All threads that have not left their kernels have arrived.
void machine::meet_in_cluster(cluster& c) {
  if (c.alive == 0 || c.arrived < c.alive) return;
  ++c.phase;
  c.arrived = 0;
  c.told = merged(c.told, c.gathered);
  c.gathered = nullptr;
  for (block* b : c.blocks)
    for (thread& t : b->threads)
      if (t.state == waiting::at_cluster_barrier) t.state = waiting::no;
  ++block_barriers_, ++stores_;
  advanced_ = true;
}

// ---- copy engines

std::uint16_t machine::name_engine(block& b) {
  if (b.engines == 0xffff - access::first_engine)
    throw stuck("a block has more barriers and groups of copies than the lens can tell apart");
  return static_cast<std::uint16_t>(access::first_engine + b.engines++);
}

void machine::touch_by_engine(memory_block& m, std::uint64_t offset, std::uint64_t bytes, event what, const where& w,
                              std::uint32_t block, std::uint16_t engine) {
  const std::uint16_t s = site_of(w, what);
  // The engine has the banks of shared memory to itself.
  constexpr std::uint64_t at_once = 1 << 15;
  for (std::uint64_t at = 0; at < bytes && is_global(what); at += at_once)
    touch_address(s, m, m.address + offset + at, std::min(at_once, bytes - at));
  const bool writes = what == event::global_store || what == event::shared_store;
  const access mine{launch_, block, ~0u, ~0u, 1, moment_, engine, s, 0, false};
  for (std::size_t i = offset / m.element; i * m.element < offset + bytes && i < m.count(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (!m.shadows.empty()) watch(m, at, writes, mine);
    if (!writes && !m.written[i] && !(m.shared && options_.shared_is_poisoned))
      found(fault_kind::uninitialised, "the copy in bulk that " + me() + " starts reads " + m.cell(at) +
                                           ", which nobody has written, at " + sites_[s].at.text());
    if (writes) m.written[i] = 1;
  }
}

shared_knowledge machine::release_all() {
  if (!options_.races) return nullptr;
  const shared_knowledge all = told();
  self->fenced_there = self->fenced_here;
  ++moment_;
  return all;
}

void machine::fence_engines(const where& w) {
  touch(site_of(w, event::fence));
  if (!options_.races) return;
  self->fenced_of_others = told();
  self->fenced_here = ++moment_;
}

void machine::wait_for_grid(const where& w) {
  touch(site_of(w, event::fence));
  self->waited_for_grid = true;
}

}  // namespace upsweep::lens
