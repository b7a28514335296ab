#include "lens/machine.hpp"

#include <algorithm>

#include "lens/requests.hpp"

namespace upsweep::lens {

namespace {

// Stacks a power of two apart would all want the same few lines of the cache.
std::size_t stride_of(std::size_t stack) { return stack + 192; }
constexpr unsigned most_threads = 1024;
constexpr std::size_t most_findings = 50;

// Different for different places.
std::uint64_t number_of(const where& w) {
#if defined(__EMSCRIPTEN__)
  return reinterpret_cast<std::uint64_t>(w.file_name()) << 28 | (w.line() & 0xffff) << 12 | (w.column() & 0xfff);
#else
  static_assert(sizeof(where) == sizeof(std::uintptr_t),
                "a source_location is a pointer to what the compiler wrote down");
  return std::bit_cast<std::uintptr_t>(w);
#endif
}

std::string base_name(const char* path) {
  const std::string_view p = path;
  const std::size_t slash = p.rfind('/');
  return std::string(slash == std::string_view::npos ? p : p.substr(slash + 1));
}

}  // namespace

shared_knowledge merged(const shared_knowledge& a, const shared_knowledge& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto both = std::make_shared<knowledge>(*a);
  for (const auto& [from, releases] : *b) {
    auto& mine = (*both)[from];
    for (const release& r : releases) {
      const auto same = std::find_if(mine.begin(), mine.end(),
                                     [&](const release& m) { return m.warp == r.warp && m.lane == r.lane; });
      if (same == mine.end()) {
        mine.push_back(r);
      } else if (same->moment < r.moment) {
        *same = r;
      }
    }
  }
  return both;
}

counts& counts::operator+=(const counts& o) {
  for (int e = 0; e < events; ++e) by[e] += o.by[e];
  launches += o.launches, blocks += o.blocks, threads += o.threads, steps += o.steps, cost += o.cost;
  span = std::max(span, o.span);
  copies += o.copies, copied_bytes += o.copied_bytes;
  block_barriers += o.block_barriers, warp_barriers += o.warp_barriers;
  for (const line_tally& theirs : o.lines) {
    const auto mine = std::find_if(lines.begin(), lines.end(), [&](const line_tally& l) {
      return l.what == theirs.what && l.where.line == theirs.where.line && l.where.column == theirs.where.column &&
             l.where.file == theirs.where.file;
    });
    if (mine == lines.end()) {
      lines.push_back(theirs);
    } else {
      mine->cost += theirs.cost;
    }
  }
  return *this;
}

machine::machine(const options& o) : options_(o), dice_(o.seed), site_table_(8192, {0, 0}) {
  sites_.emplace_back();  // site 0 means no place
  requests_of_.emplace_back();
}

machine::~machine() {
  if (now == this) now = nullptr;
}

// ---- places

std::uint16_t machine::site_of(const where& w, event e) {
  const std::uint64_t key = number_of(w) * 16 + static_cast<unsigned>(e);
  const std::size_t mask = site_table_.size() - 1;
  for (std::size_t at = (key * 0x9E3779B97F4A7C15u) >> 40 & mask;; at = (at + 1) & mask) {
    if (site_table_[at].first == key) return site_table_[at].second;
    if (site_table_[at].second != 0) continue;
    if (sites_.size() > site_table_.size() / 2)
      throw stuck("the kernels have more places than the lens can tell apart");
    const auto id = static_cast<std::uint16_t>(sites_.size());
    site_table_[at] = {key, id};
    site& s = sites_.emplace_back();
    s.key = key, s.what = e;
    s.at = {base_name(w.file_name()), w.file_name(), w.function_name(), w.line(), w.column()};
    const auto& gone = options_.without;
    s.skipped = gone && gone->file == s.at.file && gone->line == s.at.line && gone->column == s.at.column;
    requests_of_.emplace_back();
    return id;
  }
}

std::vector<place> machine::places() const {
  std::vector<place> all;
  for (const site& s : sites_) all.push_back(s.at);
  return all;
}

std::vector<place> machine::barriers() const {
  std::vector<place> all;
  for (const site& s : sites_) {
    if (s.what != event::block_barrier && s.what != event::warp_barrier) continue;
    const bool known = std::any_of(all.begin(), all.end(), [&](const place& p) {
      return p.file == s.at.file && p.line == s.at.line && p.column == s.at.column;
    });
    if (s.at.line != 0 && !known) all.push_back(s.at);
  }
  return all;
}

// ---- operations of a thread

void machine::suspend() { fiber::suspend(); }

namespace {

// "5", or "(5, 1)" and "(5, 1, 0)" where there are more directions than one.
std::string index_source(std::uint64_t i, const index3& in) {
  if (in.y == 1 && in.z == 1) return std::to_string(i);
  const std::string x = std::to_string(i % in.x), y = std::to_string(i / in.x % in.y);
  return "(" + x + ", " + y + (in.z == 1 ? "" : ", " + std::to_string(i / in.x / in.y)) + ")";
}

index3 index_of(std::uint64_t i, const index3& in) {
  return {static_cast<unsigned>(i % in.x), static_cast<unsigned>(i / in.x % in.y),
          static_cast<unsigned>(i / in.x / in.y)};
}

}  // namespace

std::string machine::thread_text(unsigned index) const { return "thread " + index_source(index, block_size); }
std::string machine::block_text(std::uint32_t id) const { return "block " + index_source(id, grid_size); }
std::string machine::me() const { return thread_text(self->index) + " of " + block_text(self->of->of->id); }

void machine::found(fault_kind what, std::string text) {
  // A fault is reported once for each pair of lines, not for each thread.
  std::string key = name_of(what);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) && (i == 0 || text[i - 1] != ':') &&
        (i == 0 || !std::isdigit(static_cast<unsigned char>(text[i - 1])) || key.back() == '#')) {
      if (key.back() != '#') key += '#';
      continue;
    }
    key += text[i];
  }
  const auto [at, fresh] = finding_index_.try_emplace(key, findings_.size());
  if (!fresh) {
    ++findings_[at->second].times;
  } else if (findings_.size() < most_findings) {
    findings_.push_back({what, std::move(text)});
  } else {
    at->second = most_findings - 1;
  }
}

machine::request& machine::touch(std::uint16_t s) {
  const unsigned lane = self->lane;
  if (const std::uint16_t visits = sites_[s].visits[lane]; visits != 0 && visits % breath == 0) {
    self->spinning = self->repeats >= breath;
    self->pausing = true;
    suspend();
  }
  const std::size_t visit = sites_[s].visits[lane]++;
  std::vector<std::uint32_t>& mine = requests_of_[s];
  if (mine.empty()) touched_.push_back(s);
  if (visit == mine.size()) {
    if (logged_ == log_.size()) log_.emplace_back();
    request& fresh = log_[logged_];
    fresh.mask = 0, fresh.site = s, fresh.memory = nullptr, fresh.visit = static_cast<std::uint32_t>(visit);
    mine.push_back(static_cast<std::uint32_t>(logged_++));
  }
  request& r = log_[mine[visit]];
  r.mask |= 1u << lane;
  return r;
}

void machine::touch_memory(std::uint16_t s, memory_block& m, std::int64_t i, std::size_t size) {
  touch_address(s, m, m.address + static_cast<std::uint64_t>(i) * size, size);
}

void machine::touch_address(std::uint16_t s, memory_block& m, std::uint64_t address, std::size_t size) {
  self->repeats = address == self->last_address ? self->repeats + 1 : 0;
  self->last_address = address;
  self->site = s;
  request& r = touch(s);
  r.memory = &m;
  r.size = static_cast<std::uint16_t>(size);
  r.address[self->lane] = address;
  last_ = &r;
}

void machine::touch_raw(memory_block& m, std::uint64_t offset, unsigned size, event what, const where& w, bool atomic) {
  const std::uint16_t s = site_of(w, what);
  touch_address(s, m, m.address + offset, size);
  if (what == event::constant_load) return;
  const bool updates = what == event::global_atomic || what == event::shared_atomic;
  const bool writes = updates || what == event::global_store || what == event::shared_store;
  for (std::size_t i = offset / m.element; i * m.element < offset + size && i < m.count(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (!m.shadows.empty()) watch(m, at, writes, access_here(s, atomic || updates));
    if (!m.written[i] && (updates || !writes) && !(m.shared && options_.shared_is_poisoned))
      found(fault_kind::uninitialised, me() + (updates ? " updates " : " reads ") + m.cell(at) +
                                           ", which nobody has written, at " + sites_[s].at.text());
    if (writes) m.written[i] = 1;
  }
  if (writes && !updates) ++stores_;
  if (!updates || m.shared) return;
  // A fence before makes it a release, a fence after an acquire.
  flag& known = flags_[{&m, static_cast<std::int64_t>(offset)}];
  self->pending = known.knows;
  if (self->fenced) known.knows = merged(known.knows, self->fenced);
}

void machine::poll(const memory_block& m, std::int64_t i, std::uint64_t value) {
  self->spinning = self->repeats > 0 && self->last_value == value;
  self->last_value = value;
  suspend();
  if (const auto known = flags_.find({&m, i}); known != flags_.end() && options_.races)
    self->pending = merged(self->pending, known->second.knows);
}

bool machine::on_own_stack(const void* at) const {
  const unsigned char* base = self->of->of->stacks.get() + self->index * stride_of(options_.stack);
  return at >= base && at < base + options_.stack;
}

void machine::halt() {
  halted_ = true;
  suspend();
  std::abort();  // never resumed
}

void machine::constant_load(std::size_t i, std::size_t size, std::size_t count, const where& w) {
  const std::uint16_t s = site_of(w, event::constant_load);
  if (i >= count)
    found(fault_kind::out_of_bounds, me() + " is outside a constant array of " + std::to_string(count) +
                                         " elements, with index " + std::to_string(i) + ", at " + sites_[s].at.text());
  request& r = touch(s);
  r.size = static_cast<std::uint16_t>(size);
  r.address[self->lane] = i * size;
}

void machine::noted(double value) { last_->values[self->lane] = value; }

bool machine::inside(const memory_block& m, std::int64_t i, std::uint16_t s) {
  if (i >= 0 && static_cast<std::size_t>(i) < m.count()) return true;
  found(fault_kind::out_of_bounds, me() + " is outside " + m.name + ", which has " + std::to_string(m.count()) +
                                       " elements, with index " + std::to_string(i) + ", at " + sites_[s].at.text());
  return false;
}

void machine::applied(const where& w, std::uint32_t depth) {
  touch(site_of(w, event::apply));
  span_ = std::max(span_, depth);
  clock_ = std::max(clock_, ++self->clock);
}

void machine::stepped(const where& w) {
  touch(site_of(w, event::apply));
  clock_ = std::max(clock_, ++self->clock);
  span_ = std::max(span_, static_cast<std::uint32_t>(steps_before_ + self->clock));
}

void machine::block_barrier(const where& w, bool vote) {
  const std::uint16_t s = site_of(w, event::block_barrier);
  if (sites_[s].skipped) return;
  touch(s);
  self->given[0] = vote;
  self->site = s;
  self->state = waiting::at_block_barrier;
  suspend();
}

void machine::named_barrier(const where& w, unsigned name, unsigned threads) {
  const std::uint16_t s = site_of(w, event::block_barrier);
  touch(s);
  self->site = s;
  self->barrier = name, self->expected = threads;
  self->state = waiting::at_named_barrier;
  suspend();
}

void machine::warp_operation(event e, const where& w, std::uint32_t mask, void (*meet)(warp&, std::uint32_t)) {
  const std::uint16_t s = site_of(w, e);
  if (sites_[s].skipped) return;
  touch(s);
  if (!(mask >> self->lane & 1)) {
    found(fault_kind::bad_exchange, me() + " is not in its own mask at " + sites_[s].at.text());
    mask |= 1u << self->lane;
  }
  self->site = s;
  self->mask = mask;
  self->meet = meet;
  self->state = waiting::at_warp_operation;
  suspend();
}

void machine::tell(knowledge& all, const thread& t) const {
  const warp& w = *t.of;
  auto& mine = all[w.of->id];
  std::erase_if(mine, [&](const release& r) { return r.warp == w.index && r.lane == t.lane; });
  mine.push_back({moment_, w.of->epoch, w.full, w.index, t.lane, t.phases});
}

void machine::company(const where& w, void (*meet)(warp&, std::uint32_t)) {
  const std::uint16_t s = site_of(w, event::exchange);
  touch(s);
  self->site = s, self->meet = meet;
  self->state = waiting::for_company;
  suspend();
}

shared_knowledge machine::told() const {
  auto all = self->knows ? std::make_shared<knowledge>(*self->knows) : std::make_shared<knowledge>();
  tell(*all, *self);
  return all;
}

void machine::fence(const where& w) {
  touch(site_of(w, event::fence));
  if (!options_.races) return;
  self->knows = merged(self->knows, self->pending);
  self->fenced = told();
  self->fenced_there = self->fenced_here;
  self->fence_moment = ++moment_;
}

void machine::release_flag(const memory_block& m, std::int64_t i, ordering how) {
  flag& f = flags_[{&m, i}];
  f.clock = std::max(f.clock, self->clock);
  if (!options_.races) return;
  if (how == ordering::relaxed) {
    f.knows = self->fenced;  // a fence before makes it a release
    return;
  }
  f.knows = how == ordering::added ? merged(told(), f.knows) : told();
  self->fenced_there = self->fenced_here;
  ++moment_;
}

void machine::acquire_seen(const memory_block& m, std::int64_t i) {
  const auto known = flags_.find({&m, i});
  if (known == flags_.end()) return;
  self->clock = std::max(self->clock, known->second.clock);
  if (options_.races) self->knows = merged(self->knows, known->second.knows);
}

void machine::acquire_flag(const memory_block& m, std::int64_t i, std::uint64_t value, ordering how) {
  if (const auto known = flags_.find({&m, i}); known != flags_.end()) {
    self->clock = std::max(self->clock, known->second.clock);
    // A fence after a relaxed load makes it an acquire.
    shared_knowledge& told = how == ordering::relaxed ? self->pending : self->knows;
    if (options_.races) told = merged(told, known->second.knows);
  }
  self->spinning = self->repeats > 0 && self->last_value == value;
  self->last_value = value;
  suspend();  // others run before a waiting thread looks again
}

memory_block& machine::shared_memory(const void* key, const char* name, std::size_t elements, std::size_t element,
                                     bool traced) {
  return shared_memory_of(*self->of->of, key, name, elements, element, traced);
}

memory_block& machine::shared_memory_of(block& b, const void* key, const char* name, std::size_t elements,
                                        std::size_t element, bool traced) {
  for (auto& [k, m] : b.shared)
    if (k == key) return *m;
  auto m = std::make_unique<memory_block>();
  std::uint64_t end = 0;
  for (auto& [k, other] : b.shared) end = std::max<std::uint64_t>(end, other->address + other->bytes.size());
  m->name = name;
  m->shared = true;
  m->address = (end + 15) / 16 * 16;
  m->shape(elements, element, traced, options_.races);
  m->real = options_.real;
  b.shared.emplace_back(key, std::move(m));
  return *b.shared.back().second;
}

memory_block& machine::global_memory(std::string name, std::size_t elements, std::size_t element, bool traced) {
  memory_block& m = global_.emplace_back();
  m.name = std::move(name);
  m.real = options_.real;
  m.shape(elements, element, traced, options_.races);
  m.address = next_address_;
  next_address_ += (elements * element + 511) / 256 * 256;
  return m;
}

void machine::copied(count bytes) { ++copies_, copied_bytes_ += bytes; }

// ---- races

// Which lanes of an earlier access the running thread may not rely on.
std::uint32_t machine::unordered(const access& e) const {
  if (e.launch != launch_) {
    const bool may_run = early_ && e.launch != 0 && e.launch >= first_early_ && !self->waited_for_grid;
    return may_run ? e.lanes : 0;
  }
  const warp& w = *self->of;
  const block& b = *w.of;
  std::uint32_t open = e.lanes;
  const bool in_clusters = b.of->blocks.size() > 1 && !e.by_engine();
  if (in_clusters && e.arrived < self->phases && cluster_of(e.block) == cluster_of(b.id)) {
    // Each of those barriers orders the access, unless the lane arrived without a release of its accesses.
    for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const auto silent = std::count_if(b.of->unordered.begin(), b.of->unordered.end(), [&](const auto& r) {
        return r.block == e.block && r.warp == e.warp && r.lane == lane && r.phase > e.arrived &&
               r.phase <= self->phases && e.moment >= r.moment;
      });
      if (silent < self->phases - e.arrived) open &= ~(1u << lane);
    }
    if (open == 0) return 0;
  }
  if (e.block == b.id && !e.by_engine()) {
    if (e.epoch != b.epoch) return 0;
    if (e.warp == w.index) {
      if (e.order < w.full) return 0;
      open &= ~(1u << self->lane);
      for (std::uint32_t rest = w.partial.empty() ? 0 : open; rest != 0; rest &= rest - 1) {
        std::uint32_t known = rest & -rest;
        for (const auto& [order, mask] : w.partial)
          if (order > e.order && (mask & known) != 0) known |= mask;
        if (known >> self->lane & 1) open &= ~(rest & -rest);
      }
    }
  }
  if (open == 0 || !self->knows) return open;
  open = unordered_for(e, open, *self->knows);
  if (open == 0 || !in_clusters) return open;
  // The thread that this one acquired from may have passed a barrier of that block's cluster.
  for (const std::uint32_t other : blocks_of_cluster(cluster_of(e.block)))
    if (const auto from = self->knows->find(other); from != self->knows->end())
      for (const release& r : from->second)
        if (e.arrived < r.phases) return 0;
  return open;
}

// The lanes whose accesses a thread with this knowledge cannot rely on.
std::uint32_t machine::unordered_for(const access& e, std::uint32_t open, const knowledge& all) {
  const auto from = all.find(e.block);
  if (from == all.end()) return open;
  for (const release& r : from->second) {
    if (e.moment > r.moment) continue;
    if (e.epoch < r.epoch) return 0;
    if (e.warp != r.warp) continue;
    if (e.order < r.full) return 0;
    open &= ~(1u << r.lane);
  }
  return open;
}

// Whether between that access and the copy engine that the running thread sets to work there is a fence for it.
bool machine::fenced_for_engines(const access& e) const {
  if (e.launch != launch_ || e.by_engine()) return true;
  if (e.block == self->of->of->id && e.warp == self->of->index && e.lanes == 1u << self->lane)
    return e.moment < self->fenced_here;
  if (const block* b = block_of(e.block)) {
    bool all = true;
    for (std::uint32_t rest = e.lanes; rest != 0; rest &= rest - 1)
      all = all && e.moment < b->threads[e.warp * 32u + static_cast<unsigned>(std::countr_zero(rest))].fenced_there;
    if (all) return true;
  }
  return self->fenced_of_others && unordered_for(e, e.lanes, *self->fenced_of_others) == 0;
}

void machine::race(const memory_block& m, std::int64_t i, const access& e, bool wrote, const access& mine,
                   bool writes) {
  std::string who = me() + (writes ? " writes " : " reads ");
  if (mine.by_engine()) who = "the copy in bulk that " + me() + " starts" + (writes ? " writes " : " reads ");
  std::string text = who + m.cell(i) + " at " + sites_[mine.site].at.text() + ", and nothing orders that after ";
  if (e.by_engine()) {
    text += "the copy in bulk that was started at " + sites_[e.site].at.text();
    text += wrote ? " and writes it" : " and reads it";
  } else {
    text += thread_text(static_cast<unsigned>(e.warp * 32 + std::countr_zero(unordered(e))));
    if (e.block != self->of->of->id || e.launch != launch_) text += " of " + block_text(e.block);
    text += e.launch != launch_ ? std::string(" of the launch before, for whose end it has not waited, which ") +
                                      (wrote ? "wrote it" : "read it")
                                : (wrote ? ", which wrote it at " : ", which read it at ") + sites_[e.site].at.text();
  }
  found(fault_kind::race, std::move(text));
}

void machine::not_fenced(const memory_block& m, std::int64_t i, const access& e, const access& mine, bool writes) {
  found(fault_kind::race, "the copy in bulk that " + me() + " starts" + (writes ? " writes " : " reads ") + m.cell(i) +
                              " at " + sites_[mine.site].at.text() + ", which " +
                              thread_text(static_cast<unsigned>(e.warp * 32 + std::countr_zero(e.lanes))) +
                              " wrote at " + sites_[e.site].at.text() +
                              ": no fence.proxy.async between them makes that seen by the copy engine");
}

access machine::access_here(std::uint16_t s, bool atomic) const {
  const warp& w = *self->of;
  return {launch_, w.of->id, w.of->epoch, w.order, 1u << self->lane, moment_, w.index, s, self->arrivals, atomic};
}

void machine::watch(memory_block& m, std::int64_t i, bool writes, const access& mine) {
  shadow& h = m.shadows[static_cast<std::size_t>(i)];
  const auto clashes = [&](const access& e) { return !(mine.atomic && e.atomic) && unordered(e) != 0; };
  if (clashes(h.write)) {
    race(m, i, h.write, true, mine, writes);
  } else if (mine.by_engine() && h.write.launch == launch_ && !fenced_for_engines(h.write)) {
    not_fenced(m, i, h.write, mine, writes);
  }
  if (writes) {
    if (clashes(h.read)) race(m, i, h.read, false, mine, true);
    for (const access& r : h.more_reads)
      if (clashes(r)) race(m, i, r, false, mine, true);
    h.read = {};
    h.more_reads.clear();
    h.write = mine;
    return;
  }
  // An earlier read that is ordered before this one is not kept: any access ordered after this one is ordered after
  // both.
  const auto joins = [&](access& r) {
    if (r.launch == mine.launch && r.block == mine.block && r.epoch == mine.epoch && r.order == mine.order &&
        r.warp == mine.warp && r.moment == mine.moment && r.atomic == mine.atomic && r.arrived == mine.arrived) {
      r.lanes |= mine.lanes;
      return true;
    }
    // A thread that learns that an engine is done learns only of the accesses of that engine.
    if (mine.by_engine() && r.launch == launch_ && (r.warp != mine.warp || r.block != mine.block)) return false;
    if (unordered(r) != 0 && !(mine.by_engine() && r.launch == launch_)) return false;
    r = mine;
    return true;
  };
  if (joins(h.read)) return;
  for (access& r : h.more_reads)
    if (joins(r)) return;
  if (h.more_reads.size() < 64) h.more_reads.push_back(mine);
}

// ---- counting

static void add_sectors(const std::uint64_t* address, std::uint32_t mask, unsigned size, bool atomic, tally& t) {
  const request_cost one = count_sectors(address, mask, size, atomic);
  t.elements += one.elements, t.sectors += one.sectors, t.ideal_sectors += one.ideal_sectors;
}

static void add_wavefronts(const std::uint64_t* address, std::uint32_t mask, unsigned size, tally& t) {
  const request_cost one = count_wavefronts(address, mask, size);
  t.elements += one.elements, t.wavefronts += one.wavefronts, t.ideal_wavefronts += one.ideal_wavefronts;
  t.worst_degree = std::max<count>(t.worst_degree, one.degree);
  ++t.degrees[std::min<count>(one.degree, 32)];
}

// Constant memory hands out one address at a time, to all lanes that want it.
static void count_turns(const std::uint64_t* address, std::uint32_t mask, unsigned size, tally& t) {
  const lanes_of_request a(address, mask);
  t.bytes += static_cast<count>(std::popcount(mask)) * size;
  t.elements += static_cast<count>(a.count);
  t.turns += static_cast<count>(a.count);
}

static count most_wanted(const std::uint64_t* address, std::uint32_t mask) {
  count most = 0;
  for (std::uint32_t a = mask; a != 0; a &= a - 1) {
    count same = 0;
    for (std::uint32_t b = mask; b != 0; b &= b - 1)
      same += address[std::countr_zero(a)] == address[std::countr_zero(b)];
    most = std::max(most, same);
  }
  return most;
}

// Counts all requests of the turn; or, while lanes pause, those that none of them can join any more: lane by lane, a
// site's visits come in order.
void machine::flush(const warp& w, bool all) {
  for (const std::uint16_t at : touched_) {
    site& s = sites_[at];
    s.whole = ~0u;
    for (unsigned lane = 0; lane < 32 && !all; ++lane)
      if (const thread* t = w.lanes[lane]; t != nullptr && t->state == waiting::no)
        s.whole = std::min<std::uint32_t>(s.whole, s.visits[lane]);
  }
  std::size_t held = 0;
  for (std::size_t k = 0; k < logged_; ++k) {
    const request& r = log_[k];
    site& s = sites_[r.site];
    if (r.visit >= s.whole) {
      if (held != k) log_[held] = r;
      ++held;
      continue;
    }
    tally one;
    tally& t = options_.record ? one : s.cost;
    s.reached = true;
    ++t.instructions;
    t.lanes += static_cast<count>(std::popcount(r.mask));
    t.divergent += (alive_ & ~r.mask) != 0;
    if (r.memory != nullptr) {
      t.bytes += static_cast<count>(std::popcount(r.mask)) * r.size;
      if (is_global(s.what)) add_sectors(r.address, r.mask, r.size, s.what == event::global_atomic, t);
      if (is_shared(s.what)) add_wavefronts(r.address, r.mask, r.size, t);
      if (s.what == event::global_atomic || s.what == event::shared_atomic) t.turns += most_wanted(r.address, r.mask);
    }
    if (s.what == event::constant_load) count_turns(r.address, r.mask, r.size, t);
    if (options_.record) {
      keep(r, w, one);
      s.cost += one;
    }
  }
  for (const std::uint16_t at : touched_) {
    requests_of_[at].clear();
    site& s = sites_[at];
    for (std::uint16_t& visits : s.visits)
      visits = static_cast<std::uint16_t>(visits - std::min<std::uint32_t>(visits, s.whole));
  }
  touched_.clear();
  logged_ = held;
  for (std::size_t k = 0; k < held; ++k) {
    request& r = log_[k];
    std::vector<std::uint32_t>& those = requests_of_[r.site];
    if (those.empty()) touched_.push_back(r.site);
    r.visit = static_cast<std::uint32_t>(those.size());
    those.push_back(static_cast<std::uint32_t>(k));
  }
}

void machine::keep(const request& r, const warp& w, const tally& cost) {
  recorded step{launch_, w.phase, w.of->id, w.index, sites_[r.site].what, r.site,
                r.mask,  -1,      {},       {},      cost.wavefronts,     cost.sectors};
  if (r.memory != nullptr) {
    const memory_block& m = *r.memory;
    const auto [known, fresh] = step_memory_.try_emplace(&m, static_cast<int>(step_memories_.size()));
    if (fresh) step_memories_.push_back({m.name, m.shared, w.of->id, launch_, m.count(), m.element});
    step.memory = known->second;
    for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      step.elements.push_back(static_cast<std::uint32_t>((r.address[lane] - m.address) / m.element));
      step.values.push_back(r.values[lane]);
    }
  }
  steps_.push_back(std::move(step));
}

counts machine::total() const {
  counts all;
  for (const launch_record& l : launches_) all += l.cost;
  all.copies = copies_, all.copied_bytes = copied_bytes_;
  return all;
}

void machine::finish_launch(std::uint64_t blocks, unsigned threads) {
  launch_record& l = launches_.emplace_back();
  l.blocks = blocks, l.threads = threads, l.grid = grid_size, l.block = block_size;
  counts& c = l.cost;
  c.launches = 1, c.blocks = blocks, c.threads = blocks * threads;
  c.steps = clock_, c.cost = c.threads * clock_, c.span = span_;
  c.block_barriers = block_barriers_, c.warp_barriers = warp_barriers_;
  for (site& s : sites_) {
    if (!s.reached) continue;
    c.by[static_cast<int>(s.what)] += s.cost;
    // A line that occurs in several instantiations is one line.
    counts one;
    one.lines.push_back({s.what, s.at, s.cost});
    c += one;
    s.cost = {};
    s.reached = false;
  }
  steps_before_ += clock_;
  clock_ = block_barriers_ = warp_barriers_ = 0;
}

// ---- running

std::unique_ptr<block> machine::start(std::uint32_t id, unsigned threads) {
  auto b = std::make_unique<block>();
  b->id = id, b->size = b->alive = threads;
  b->withheld = options_.withheld == id;
  if (free_stacks_.empty()) {
    b->stacks = std::make_unique_for_overwrite<unsigned char[]>(most_threads * stride_of(options_.stack));
  } else {
    b->stacks = std::move(free_stacks_.back());
    free_stacks_.pop_back();
  }
  b->warps.resize((threads + 31) / 32);
  for (unsigned t = 0; t < threads; ++t) {
    warp& w = b->warps[t / 32];
    w.of = b.get(), w.index = static_cast<std::uint16_t>(t / 32);
    w.alive |= 1u << (t % 32);
    thread& s = b->threads.emplace_back();
    s.index = static_cast<std::uint16_t>(t), s.lane = static_cast<std::uint8_t>(t % 32), s.of = &w;
    w.lanes[t % 32] = &s;
    s.fiber.start(b->stacks.get() + t * stride_of(options_.stack), options_.stack, [this] {
      try {
        kernel_();
      } catch (const std::exception&) {
        thrown_ = std::current_exception();
      }
      self->state = waiting::ended;
    });
  }
  return b;
}

void machine::end(block& b) {
  if (options_.block_ended) options_.block_ended(b.id);
  for (auto& [key, m] : b.shared) {
    step_memory_.erase(m.get());
    flags_.erase(flags_.lower_bound({m.get(), INT64_MIN}), flags_.upper_bound({m.get(), INT64_MAX}));
  }
  running_.erase(b.id);
  free_stacks_.push_back(std::move(b.stacks));
}

void machine::run_thread(thread& t) {
  self = &t;
  thread_index = index_of(t.index, block_size);
  t.spinning = t.pausing = false;
  ran_ = true;
  t.fiber.resume();
  if (halted_) options_.last_words();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!t.spinning) advanced_ = true;
  if (t.state != waiting::ended) return;
  t.of->alive &= ~(1u << t.lane);
  --t.of->of->alive;
  cluster& c = *t.of->of->of;
  --c.alive;
  if (t.arrivals > c.phase) --c.arrived;
  meet_in_cluster(c);
}

// Runs the warp until it waits for other warps, or polls a value that has not changed.
void machine::run_warp(warp& w) {
  for (unsigned pauses = 0;;) {
    bool any = false;
    alive_ = w.alive;
    const unsigned offset = static_cast<unsigned>(dice_() % 32);
    for (unsigned k = 0; k < 32; ++k) {
      thread* t = w.lanes[(k + offset) % 32];
      if (t == nullptr || t->state != waiting::no) continue;
      run_thread(*t);
      any = true;
    }
    // Lanes that only paused go on, and meet those requests that others of the warp have made meanwhile.
    bool pause = false, look = false;
    for (const thread* t : w.lanes)
      if (t != nullptr && t->state == waiting::no) (t->pausing && !t->spinning ? pause : look) = true;
    if (pause && !look && pauses < most_pauses && logged_ <= most_held) {
      ++pauses;
      flush(w, false);
      continue;
    }
    if (any) flush(w, true);
    if (!meet_in_warp(w)) return;
    pauses = 0;
  }
}

// Lets those lanes go on whose whole mask has arrived. Lanes that have ended are waited for no more.
bool machine::meet_in_warp(warp& w) {
  bool met = false;
  for (unsigned first = 0; first < 32; ++first) {
    const thread* t = w.lanes[first];
    if (t != nullptr && t->state == waiting::for_company) {
      std::uint32_t those = 0;
      for (unsigned lane = first; lane < 32; ++lane)
        if (const thread* o = w.lanes[lane]; o != nullptr && o->state == t->state && o->site == t->site)
          those |= 1u << lane;
      t->meet(w, those);
      for (std::uint32_t rest = those; rest != 0; rest &= rest - 1)
        w.lanes[std::countr_zero(rest)]->state = waiting::no;
      met = true;
      continue;
    }
    if (t == nullptr || t->state != waiting::at_warp_operation) continue;
    const std::uint32_t mask = t->mask & w.alive;
    std::uint64_t clock = 0;
    bool all = true;
    for (std::uint32_t rest = mask; rest != 0 && all; rest &= rest - 1) {
      const thread& o = *w.lanes[std::countr_zero(rest)];
      all = o.state == waiting::at_warp_operation && o.mask == t->mask && o.meet == t->meet;
      clock = std::max(clock, o.clock);
    }
    if (!all) continue;
    met = true;
    ++w.phase;
    if (sites_[t->site].what == event::warp_barrier) ++warp_barriers_;
    if (t->meet != nullptr) t->meet(w, mask);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      thread& o = *w.lanes[std::countr_zero(rest)];
      o.state = waiting::no;
      o.clock = clock;
    }
  }
  if (met) ran_ = advanced_ = true;
  return met;
}

// A warp barrier orders memory among its lanes; a shuffle or a vote does not.
void order_lanes(warp& w, std::uint32_t mask) {
  ++w.order;
  if ((mask & w.alive) == w.alive) {
    w.full = w.order;
    w.partial.clear();
  } else {
    w.partial.emplace_back(w.order, mask);
  }
  shared_knowledge all;
  std::uint16_t phases = 0;
  bool waited = false;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const thread& t = *w.lanes[std::countr_zero(rest)];
    all = merged(all, t.knows), phases = std::max(phases, t.phases), waited = waited || t.waited_for_grid;
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    thread& t = *w.lanes[std::countr_zero(rest)];
    t.phases = phases, t.fenced_there = t.fenced_here, t.waited_for_grid = waited;
  }
  if (all)
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) w.lanes[std::countr_zero(rest)]->knows = all;
}

bool machine::meet_in_block(block& b) {
  if (b.alive == 0) return false;
  const thread* first = nullptr;
  const thread* gone = nullptr;
  std::uint64_t clock = 0;
  std::uint32_t phase = 0;
  std::uint16_t phases = 0;
  bool waited = false;
  int votes = 0;
  shared_knowledge all, fenced;
  for (const thread& t : b.threads) {
    if (t.state == waiting::ended) {
      gone = &t;
      continue;
    }
    if (t.state != waiting::at_block_barrier) return false;
    if (first == nullptr) first = &t;
    const place &a = sites_[first->site].at, &here = sites_[t.site].at;
    if (a.line != here.line || a.column != here.column || a.file != here.file)
      found(fault_kind::divergent_barrier, "in " + block_text(b.id) + " " + thread_text(first->index) +
                                               " waits at the barrier of " + a.text() + " while " +
                                               thread_text(t.index) + " waits at that of " + here.text());
    clock = std::max(clock, t.clock);
    votes += t.given[0];
    all = merged(all, t.knows);
    // An atomic of any thread after the barrier passes on everything that others fenced before the barrier:
    // __threadfence is sequentially consistent.
    if (options_.barriers_acquire) all = merged(all, t.pending), fenced = merged(fenced, t.fenced);
    phases = std::max(phases, t.phases);
    waited = waited || t.waited_for_grid;
  }
  if (gone != nullptr)
    found(fault_kind::divergent_barrier, "in " + block_text(b.id) + " " + thread_text(gone->index) +
                                             " has left the kernel, and others meet at the barrier of " +
                                             sites_[first->site].at.text());
  b.vote_count = votes;
  ++b.epoch;
  ++block_barriers_;
  for (const warp& w : b.warps) phase = std::max(phase, w.phase);
  for (warp& w : b.warps) w.phase = phase + 1, w.partial.clear();
  for (thread& t : b.threads) {
    if (t.state == waiting::ended) continue;
    t.state = waiting::no;
    t.clock = clock;
    t.knows = all;
    if (fenced) t.fenced = fenced;
    t.phases = phases, t.fenced_there = t.fenced_here, t.waited_for_grid = waited;
  }
  ran_ = advanced_ = true;
  return true;
}

// Named barriers: when the expected number of threads has arrived, they continue, and know the earlier accesses of the
// others.
void machine::meet_by_name(block& b) {
  for (const thread& one : b.threads) {
    if (one.state != waiting::at_named_barrier) continue;
    std::vector<thread*> those;
    for (thread& t : b.threads)
      if (t.state == waiting::at_named_barrier && t.barrier == one.barrier) those.push_back(&t);
    if (those.size() < one.expected) continue;
    auto all = std::make_shared<knowledge>();
    shared_knowledge before;
    std::uint64_t clock = 0;
    std::uint16_t phases = 0;
    bool waited = false;
    for (const thread* t : those) {
      before = merged(before, t->knows), clock = std::max(clock, t->clock);
      phases = std::max(phases, t->phases), waited = waited || t->waited_for_grid;
    }
    if (before) *all = *before;
    for (std::size_t i = 0; i < those.size(); ++i) {
      warp& w = *those[i]->of;
      const bool first = i == 0 || those[i - 1]->of != &w;
      const auto here = std::count_if(those.begin(), those.end(), [&](const thread* t) { return t->of == &w; });
      const bool whole = here == std::popcount(w.alive);
      if (first && whole) w.full = ++w.order, w.partial.clear();
      if (first || !whole) tell(*all, *those[i]);
    }
    ++moment_;
    ++block_barriers_;
    for (thread* t : those) {
      t->state = waiting::no, t->clock = clock, t->knows = all;
      t->phases = phases, t->fenced_there = t->fenced_here, t->waited_for_grid = waited;
    }
    ran_ = advanced_ = true;
  }
}

void machine::forget() {
  sites_.resize(1), requests_of_.resize(1);
  std::fill(site_table_.begin(), site_table_.end(), std::pair<std::uint64_t, std::uint16_t>{0, 0});
  launches_.clear(), flags_.clear();
}

void machine::run_block(block& b) {
  ran_ = advanced_ = false;
  block_index = index_of(b.id, grid_size);
  const std::size_t offset = dice_() % b.warps.size();
  for (std::size_t k = 0; k < b.warps.size(); ++k) run_warp(b.warps[(k + offset) % b.warps.size()]);
  meet_by_name(b);
  meet_in_block(b);
  // One that waits for its cluster may go on yet.
  const bool waits = std::any_of(b.threads.begin(), b.threads.end(),
                                 [](const thread& t) { return t.state == waiting::at_cluster_barrier; });
  if (!ran_ && b.alive > 0 && !waits) deadlock("no thread of " + block_text(b.id) + " can go on: " + who_waits(b));
}

std::string machine::who_waits(const block& b) const {
  std::map<std::string, std::pair<unsigned, unsigned>> groups;  // how many, the first of them
  for (const thread& t : b.threads) {
    std::string what;
    if (t.state == waiting::ended) what = "has left the kernel";
    if (t.state == waiting::at_block_barrier) what = "waits at the barrier of " + sites_[t.site].at.text();
    if (t.state == waiting::at_cluster_barrier)
      what = "waits for its cluster at the barrier of " + sites_[t.site].at.text();
    if (t.state == waiting::at_named_barrier)
      what = "waits at barrier " + std::to_string(t.barrier) + " of " + sites_[t.site].at.text();
    if (t.state == waiting::at_warp_operation) what = "waits for its warp at " + sites_[t.site].at.text();
    if (t.state == waiting::no && t.spinning) what = "looks again and again at " + sites_[t.site].at.text();
    if (what.empty()) what = "can run";
    const auto [at, fresh] = groups.try_emplace(what, 0u, t.index);
    ++at->second.first;
  }
  std::string text;
  for (const auto& [what, who] : groups) {
    text += (text.empty() ? "" : "; ") + thread_text(who.second);
    if (who.first > 1) text += " (and " + std::to_string(who.first - 1) + " more)";
    text += " " + what;
  }
  return text;
}

void machine::deadlock(const std::string& why) {
  found(fault_kind::deadlock, why);
  if (options_.last_words) options_.last_words();
  throw stuck("deadlock: " + why);
}

void machine::run_grid(std::uint64_t blocks, unsigned threads, std::function<void()> kernel, unsigned shared_bytes) {
  if (blocks > 0x7fffffff) throw stuck("a grid has 1 to 2^31 - 1 blocks, not " + std::to_string(blocks));
  run_grid({static_cast<unsigned>(blocks), 1, 1}, {threads, 1, 1}, std::move(kernel), shared_bytes, {});
}

void machine::run_grid(const index3& grid, const index3& block_shape, std::function<void()> kernel,
                       unsigned shared_bytes, std::string name) {
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const unsigned threads = block_shape.x * block_shape.y * block_shape.z;
  if (threads == 0 || threads > most_threads)
    throw stuck("a block has 1 to 1024 threads, not " + std::to_string(threads));
  if (blocks == 0 || blocks > 0x7fffffff) throw stuck("a grid has 1 to 2^31 - 1 blocks, not " + std::to_string(blocks));
  now = this;
  ++launch_;
  flags_.clear();  // the launch before has ended: all it wrote is seen
  block_size = block_shape;
  grid_size = grid;
  kernel_ = std::move(kernel);
  dynamic_bytes = shared_bytes;
  if (!early_) first_early_ = launch_;
  clusters_.clear(), running_.clear();
  const std::uint64_t in_one = std::uint64_t{cluster_size.x} * cluster_size.y * cluster_size.z,
                      clusters = blocks / in_one;

  // No order of blocks is promised: each next cluster is drawn from a window of those that wait.
  std::vector<std::uint32_t> window;
  std::uint64_t next = 0;
  const auto draw = [&] {
    while (next < clusters && window.size() < 64) window.push_back(static_cast<std::uint32_t>(next++));
    std::swap(window[dice_() % window.size()], window.back());
    const std::uint32_t id = window.back();
    window.pop_back();
    return id;
  };
  std::vector<std::unique_ptr<block>> resident;
  std::uint64_t quiet = 0, stores_before = stores_;
  const std::uint64_t at_once = at_once_ > 0 ? at_once_ : options_.resident;
  const auto held = [](const block& b) { return b.withheld && b.epoch > 0; };
  for (;;) {
    std::size_t running = 0;
    for (const auto& b : resident) running += !held(*b);
    while ((next < clusters || !window.empty()) && running < at_once) {
      begin_cluster(draw(), threads, resident);
      running += in_one;
    }
    if (resident.empty()) break;
    if (running == 0) {
      for (auto& b : resident) b->withheld = false;  // all others have ended
      continue;
    }
    const std::size_t chosen = dice_() % resident.size();
    block& b = *resident[chosen];
    if (held(b)) continue;
    run_block(b);
    quiet = advanced_ || stores_ != stores_before ? 0 : quiet + 1;
    stores_before = stores_;
    if (b.alive == 0) {
      leave(std::move(resident[chosen]));
      resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(chosen));
      quiet = 0;
    }
    if (quiet > 64 * resident.size() && (running >= at_once || (next == clusters && window.empty()))) {
      std::string why = "every block that runs waits for what none of them will write";
      for (const auto& r : resident)
        if (held(*r)) why += "; block " + std::to_string(r->id) + " has started and is withheld";
      if (next < clusters || !window.empty())
        why += "; " + std::to_string((clusters - next + window.size()) * in_one) +
               " blocks have not started and find no room";
      for (const auto& r : resident)
        if (!held(*r)) {
          why += "; in block " + std::to_string(r->id) + " " + who_waits(*r);
          break;
        }
      deadlock(why);
    }
  }
  finish_launch(blocks, threads);
  launches_.back().kernel = std::move(name);
  cluster_size = {1, 1, 1}, early_ = false;
}

}  // namespace upsweep::lens
