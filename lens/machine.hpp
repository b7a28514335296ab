// A SIMT machine on one host thread. Each thread of a kernel is a fiber. A warp's lanes run one after the other, each
// up to the next point where it must wait for others. Operations of the lanes at the same place in the same turn count
// as one instruction of the warp. One machine runs at a time in a process.
#pragma once

#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <source_location>
#include <stdexcept>
#include <unordered_map>

#include "lens/fiber.hpp"
#include "lens/memory.hpp"

namespace upsweep::lens {

using where = std::source_location;

struct options {
  unsigned resident = 4;                  // blocks that run at once
  std::uint64_t seed = 1;                 // of the order of blocks, warps and lanes
  bool races = true;                      // looks for them: costs memory and time
  bool record = false;                    // keeps every step, for pictures
  bool real = false;                      // elements are floating-point numbers: for showing them
  std::optional<std::uint64_t> withheld;  // this block stops at its first barrier until all others have ended
  std::optional<place> without;           // this barrier is not there
  std::size_t stack = 24 * 1024;          // bytes of each thread's
  // The next barrier passes on to all threads of a block the knowledge that one of them acquired by an atomic. CUDA's
  // guide assumes this: its sum in one pass has no fence there.
  bool barriers_acquire = false;
  // Reading shared cells that were never written is not a fault: the program has filled them with values that no result
  // may depend on.
  bool shared_is_poisoned = false;
  std::size_t block_shared = 227 << 10;  // bytes of shared memory that a block may have
  // Called where the run cannot go on, before anything is unwound: for kernels that cannot be.
  std::function<void()> last_words;
  std::function<void(std::uint32_t)> block_ended;  // by its number in the grid
};

// The run cannot go on; the findings say why.
struct stuck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct index3 {
  unsigned x = 0, y = 0, z = 0;
};

// Knowledge of a thread about other blocks: for each block, the releases that it has seen. A flag that is stored with
// release and loaded with acquire passes this on, and so do barriers.
struct release {
  std::uint32_t moment = 0, epoch = 0, full = 0;
  std::uint16_t warp = 0, lane = 0;
  std::uint16_t phases = 0;  // barriers of its cluster that it has passed
};
using knowledge = std::map<std::uint32_t, std::vector<release>>;
using shared_knowledge = std::shared_ptr<const knowledge>;
struct flag {
  shared_knowledge knows;
  std::uint64_t clock = 0;
};

// The ordering of an access to a flag: release or acquire; or relaxed, which orders nothing by itself. `added`: a
// release by an atomic, which also passes on the releases of the atomics before it.
enum class ordering : std::uint8_t { full, relaxed, added };

struct warp;
struct block;
struct cluster;

shared_knowledge merged(const shared_knowledge& a, const shared_knowledge& b);

enum class waiting : std::uint8_t {
  no,
  at_block_barrier,
  at_named_barrier,
  at_cluster_barrier,
  at_warp_operation,
  for_company,
  ended
};

struct thread {
  lens::fiber fiber;
  std::uint16_t index = 0;
  std::uint8_t lane = 0;
  waiting state = waiting::no;
  bool spinning = false;  // its last turn only read a value again that it had read before
  bool pausing = false;   // its last turn ended in the middle of a long loop
  warp* of = nullptr;
  std::uint16_t site = 0;              // where it waits
  std::uint32_t mask = 0;              // with whom
  unsigned barrier = 0, expected = 0;  // a named barrier, and how many threads meet there
  void (*meet)(warp&, std::uint32_t) = nullptr;
  alignas(16) unsigned char given[32], got[32];
  int from = 0;  // the lane whose value it reads
  std::uint32_t depth = 0;
  std::uint64_t clock = 0;  // applications so far, this thread's or those it waited for
  std::uint64_t last_address = 0, last_value = 0;
  std::uint32_t repeats = 0;  // loads of that same address, one after the other
  shared_knowledge knows, fenced, pending;
  // Barriers of the cluster: those it has arrived at, has waited for, and knows to be passed by all.
  std::uint16_t arrivals = 0, waits = 0, phases = 0;
  // Its fences between ordinary accesses and those of copy engines: the moment up to which its own accesses are fenced,
  // the moment up to which other threads know of that, and the fenced accesses of others that it knew of.
  std::uint32_t fenced_here = 0, fenced_there = 0;
  shared_knowledge fenced_of_others;
  std::uint32_t fence_moment = 0;  // of its last fence among ordinary accesses
  bool waited_for_grid = false;    // for the launch before this one
};

struct warp {
  block* of = nullptr;
  std::uint16_t index = 0;
  std::uint32_t alive = 0;
  std::uint32_t order = 0, full = 0;                             // warp barriers passed; the last that all lanes passed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> partial;  // since then: order and mask
  std::uint32_t phase = 0;                                       // times its lanes have met
  thread* lanes[32]{};
};

struct block {
  std::uint32_t id = 0;
  unsigned size = 0, alive = 0;
  std::uint32_t epoch = 0;
  bool withheld = false;
  int vote_count = 0;
  std::unique_ptr<unsigned char[]> stacks;  // before the threads, which are unwound on them
  std::deque<thread> threads;
  std::vector<warp> warps;
  std::vector<std::pair<const void*, std::unique_ptr<memory_block>>> shared;
  cluster* of = nullptr;
  std::uint16_t engines = 0;  // that were named in it
  // Accesses of threads of other blocks to its shared memory, one for each warp and place.
  struct visit {
    access what;
    bool writes;
    std::string cell;
  };
  std::vector<visit> visits;
};

// Blocks that run together, and reach into each other's shared memory. A block alone is a cluster, too.
struct cluster {
  std::vector<block*> blocks;  // by rank
  std::vector<std::unique_ptr<block>> ended;
  std::uint64_t alive = 0, arrived = 0;  // threads; of those, at the barrier of this phase
  std::uint16_t phase = 0;
  shared_knowledge gathered, told;  // by those who arrive; to those who wait
  // Arrivals that order only the accesses before an earlier fence: those up to that moment.
  struct relaxed {
    std::uint32_t block, moment;
    std::uint16_t warp, lane, phase;
  };
  std::vector<relaxed> unordered;
};

// One step of a warp, kept for pictures.
struct recorded {
  std::uint32_t launch = 0, phase = 0, block = 0, warp = 0;
  event what{};
  std::uint16_t site = 0;
  std::uint32_t mask = 0;
  int memory = -1;                      // index into record_of memories
  std::vector<std::uint32_t> elements;  // of the lanes in the mask, in order
  std::vector<double> values;
  count wavefronts = 0, sectors = 0;
};

struct recorded_memory {
  std::string name;
  bool shared = false;
  std::uint32_t block = 0, launch = 0;
  std::size_t elements = 0, element = 4;
};

struct launch_record {
  std::uint64_t blocks = 0;
  unsigned threads = 0;
  counts cost;
  std::string kernel;  // where it has a name
  index3 grid, block;
};

class machine {
 public:
  explicit machine(const options& o);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  void run_grid(std::uint64_t blocks, unsigned threads, std::function<void()> kernel, unsigned shared_bytes = 0);
  void run_grid(const index3& grid, const index3& block, std::function<void()> kernel, unsigned shared_bytes,
                std::string name);
  memory_block& global_memory(std::string name, std::size_t elements, std::size_t element, bool traced);
  void copied(count bytes);

  const std::vector<launch_record>& launches() const { return launches_; }
  const std::vector<finding>& findings() const { return findings_; }
  counts total() const;
  // Between launches: drops all data about places and about finished launches, except the findings.
  void forget();
  // Clusters of that many blocks in each direction, in the next launch; `early`: its blocks may begin before the launch
  // before it has ended, and wait for that themselves.
  void shape_clusters(const index3& blocks, bool early) { cluster_size = blocks, early_ = early; }
  // A copy or a fill between launches: later launches wait for it.
  void between_launches() { first_early_ = launch_ + 1; }
  // Sets the number of blocks that run at once in the next launch; 0 means as many as the options say.
  void hold_at_once(std::uint64_t blocks) { at_once_ = blocks; }
  const place& place_of(std::uint16_t site) const { return sites_[site].at; }
  std::vector<place> places() const;    // by site
  std::vector<place> barriers() const;  // every place that has been one, in the order reached
  const std::vector<recorded>& steps() const { return steps_; }
  const std::vector<recorded_memory>& step_memories() const { return step_memories_; }

  // From within a kernel, for the thread that runs:
  std::uint16_t site_of(const where& w, event e);
  template <class T>
  T load(memory_block& m, std::int64_t i, const where& w, bool atomic = false);
  template <class T>
  void store(memory_block& m, std::int64_t i, const T& value, const where& w, bool atomic = false);
  void constant_load(std::size_t i, std::size_t size, std::size_t count, const where& w);
  template <class T, class F>
  T update(memory_block& m, std::int64_t i, const where& w, F f);  // an atomic: returns the old value
  void applied(const where& w, std::uint32_t depth);
  void stepped(const where& w);  // an application whose operands' chains are not recorded
  void block_barrier(const where& w, bool vote);
  void named_barrier(const where& w, unsigned name, unsigned threads);  // for this number of the block's threads
  void warp_operation(event e, const where& w, std::uint32_t mask, void (*meet)(warp&, std::uint32_t));
  void company(const where& w, void (*meet)(warp&, std::uint32_t));  // of the lanes that come here as well
  void fence(const where& w);
  void release_flag(const memory_block& m, std::int64_t i, ordering how = ordering::full);
  void acquire_flag(const memory_block& m, std::int64_t i, std::uint64_t value_seen, ordering how = ordering::full);
  void acquire_seen(const memory_block& m, std::int64_t i);  // with no wait
  memory_block& shared_memory(const void* key, const char* name, std::size_t elements, std::size_t element,
                              bool traced);
  memory_block& shared_memory_of(block& b, const void* key, const char* name, std::size_t elements, std::size_t element,
                                 bool traced);
  // Memory that a kernel addresses by its own pointers. Such a block has no bytes here, and its elements are granules.
  void touch_raw(memory_block& m, std::uint64_t offset, unsigned size, event what, const where& w, bool atomic);
  // An access of a copy engine on behalf of the running thread, recorded for an engine of that block.
  void touch_by_engine(memory_block& m, std::uint64_t offset, std::uint64_t bytes, event what, const where& w,
                       std::uint32_t block, std::uint16_t engine);
  std::uint16_t name_engine(block& b);
  std::uint32_t next_moment() { return moment_++; }
  // The thread releases all that it knows, or acquires it.
  shared_knowledge release_all();
  void acquire_all(const shared_knowledge& k) { self->knows = merged(self->knows, k); }
  void fence_engines(const where& w);  // ordinary accesses before it, those of copy engines after it
  bool ordered_before_me(const access& e) const { return unordered(e) == 0; }
  void cluster_arrive(const where& w, bool orders);
  void cluster_wait(const where& w);
  void wait_for_grid(const where& w);
  block* block_of(std::uint32_t id) const;  // where it runs, or has ended in a cluster that runs
  unsigned rank_of(const block& b) const;
  // Before a thread reaches into another block's shared memory; false where it cannot.
  bool visits(const memory_block& m, std::uint64_t offset, std::uint32_t owner, bool writes, const where& w);
  void poll(const memory_block& m, std::int64_t i, std::uint64_t value);  // before a flag is read that others may set
  bool looks_again() const { return self->repeats > 0; }                  // at the address that it touched before
  void stored() { ++stores_; }                                            // something that others may wait for
  bool on_own_stack(const void* at) const;
  [[noreturn]] void halt();  // the last words, and nothing after them
  void found(fault_kind what, std::string text);
  std::string me() const;

  thread* self = nullptr;
  index3 thread_index, block_index, block_size, grid_size;
  index3 cluster_size{1, 1, 1};
  unsigned dynamic_bytes = 0;  // of shared memory, as the launch requested

 private:
  struct site {
    std::uint64_t key = 0;
    event what{};
    place at;
    bool skipped = false;
    // For the current turn: the number of times that each lane was here, and the requests that this makes.
    std::array<std::uint16_t, 32> visits{};
    std::uint32_t whole = 0;  // visits that no lane can join any more
    tally cost;
    bool reached = false;
  };
  struct request {
    std::uint32_t mask = 0;
    std::uint16_t site = 0, size = 0;
    std::uint32_t visit = 0;  // of its lanes to the site
    memory_block* memory = nullptr;
    std::uint64_t address[32];
    double values[32];
  };

  void suspend();
  request& touch(std::uint16_t s);
  void touch_memory(std::uint16_t s, memory_block& m, std::int64_t i, std::size_t size);
  void touch_address(std::uint16_t s, memory_block& m, std::uint64_t address, std::size_t size);
  std::string thread_text(unsigned index) const;
  std::string block_text(std::uint32_t id) const;
  bool inside(const memory_block& m, std::int64_t i, std::uint16_t s);
  void watch(memory_block& m, std::int64_t i, bool writes, const access& mine);
  access access_here(std::uint16_t s, bool atomic) const;
  std::uint32_t unordered(const access& earlier) const;
  static std::uint32_t unordered_for(const access& earlier, std::uint32_t open, const knowledge&);
  bool fenced_for_engines(const access& earlier) const;
  void race(const memory_block& m, std::int64_t i, const access& earlier, bool wrote, const access& mine, bool writes);
  void not_fenced(const memory_block& m, std::int64_t i, const access& earlier, const access& mine, bool writes);
  void noted(double value);
  shared_knowledge told() const;
  void tell(knowledge&, const thread&) const;

  std::unique_ptr<block> start(std::uint32_t id, unsigned threads);
  std::vector<std::uint32_t> blocks_of_cluster(std::uint32_t number) const;
  std::uint32_t cluster_of(std::uint32_t block) const;
  void begin_cluster(std::uint32_t number, unsigned threads, std::vector<std::unique_ptr<block>>& resident);
  void leave(std::unique_ptr<block> b);
  void end(block& b);
  void meet_in_cluster(cluster& c);
  void run_block(block& b);
  void run_warp(warp& w);
  void run_thread(thread& t);
  bool meet_in_warp(warp& w);
  bool meet_in_block(block& b);
  void meet_by_name(block& b);
  void flush(const warp& w, bool all);
  void keep(const request& r, const warp& w, const tally& cost);
  [[noreturn]] void deadlock(const std::string& why);
  std::string who_waits(const block& b) const;
  void finish_launch(std::uint64_t blocks, unsigned threads);

  options options_;
  std::mt19937_64 dice_;
  std::function<void()> kernel_;
  std::deque<site> sites_;
  std::vector<std::pair<std::uint64_t, std::uint16_t>> site_table_;
  std::vector<request> log_;
  std::size_t logged_ = 0;
  std::vector<std::vector<std::uint32_t>> requests_of_;  // by site: indices into log_, of this turn
  std::vector<std::uint16_t> touched_;
  std::uint32_t launch_ = 0;
  std::uint32_t span_ = 0;
  std::uint64_t clock_ = 0, stores_ = 0;
  std::uint64_t steps_before_ = 0;  // of the launches before this one
  count block_barriers_ = 0, warp_barriers_ = 0;
  std::uint64_t next_address_ = 1 << 20;
  std::map<std::pair<const memory_block*, std::int64_t>, flag> flags_;
  std::deque<memory_block> global_;
  std::vector<launch_record> launches_;
  count copies_ = 0, copied_bytes_ = 0;
  std::vector<finding> findings_;
  std::map<std::string, std::size_t> finding_index_;
  std::vector<recorded> steps_;
  std::vector<recorded_memory> step_memories_;
  std::unordered_map<const memory_block*, int> step_memory_;
  std::vector<std::unique_ptr<unsigned char[]>> free_stacks_;
  std::exception_ptr thrown_;
  request* last_ = nullptr;
  std::uint32_t alive_ = 0;              // lanes of the running warp when its turn began
  std::uint32_t moment_ = 0;             // releases so far
  bool ran_ = false, advanced_ = false;  // of this block's turn: anybody ran; did more than look again
  bool halted_ = false;
  std::uint64_t at_once_ = 0;
  std::vector<std::unique_ptr<cluster>> clusters_;  // that run
  std::unordered_map<std::uint32_t, block*> running_;
  bool early_ = false;
  std::uint32_t first_early_ = 0;  // launches from that one on need not have ended
};

// The machine that is running, for the words of CUDA.
inline machine* now = nullptr;

// A lane pauses after this number of visits to one place without waiting, so that the warp's log stays small. A warp
// lets others run after a number of pauses, or when it holds a number of requests that a lane could still join.
inline constexpr std::uint16_t breath = 512;
inline constexpr unsigned most_pauses = 1 << 12;
inline constexpr std::size_t most_held = 1 << 14;

template <class T>
double shown(const T& value, const memory_block& m) {
  if constexpr (layout<T>::traced) {
    if (m.real && m.element == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    if (m.real) return std::bit_cast<double>(value.bits);
    if (m.element == 4) return static_cast<std::int32_t>(value.bits);
    return static_cast<double>(static_cast<std::int64_t>(value.bits));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return 0;
  }
}

template <class T>
T machine::load(memory_block& m, std::int64_t i, const where& w, bool atomic) {
  const std::uint16_t s = site_of(w, m.shared ? event::shared_load : event::global_load);
  if (!inside(m, i, s)) return T{};
  touch_memory(s, m, i, layout<T>::size);
  if (!m.shadows.empty()) watch(m, i, false, access_here(s, atomic));
  if (!m.written[static_cast<std::size_t>(i)])
    found(fault_kind::uninitialised, me() + " reads " + m.name + "[" + std::to_string(i) +
                                         "], which nobody has written, at " + sites_[s].at.text());
  const T value = m.get<T>(static_cast<std::size_t>(i));
  if (options_.record) noted(shown(value, m));
  return value;
}

template <class T>
void machine::store(memory_block& m, std::int64_t i, const T& value, const where& w, bool atomic) {
  const std::uint16_t s = site_of(w, m.shared ? event::shared_store : event::global_store);
  if (!inside(m, i, s)) return;
  touch_memory(s, m, i, layout<T>::size);
  if (!m.shadows.empty()) watch(m, i, true, access_here(s, atomic));
  m.put(static_cast<std::size_t>(i), value);
  ++stores_;
  if (options_.record) noted(shown(value, m));
}

template <class T, class F>
T machine::update(memory_block& m, std::int64_t i, const where& w, F f) {
  const std::uint16_t s = site_of(w, m.shared ? event::shared_atomic : event::global_atomic);
  if (!inside(m, i, s)) return T{};
  touch_memory(s, m, i, layout<T>::size);
  if (!m.shadows.empty()) watch(m, i, true, access_here(s, true));
  if (!m.written[static_cast<std::size_t>(i)])
    found(fault_kind::uninitialised, me() + " updates " + m.name + "[" + std::to_string(i) +
                                         "], which nobody has written, at " + sites_[s].at.text());
  const T before = m.get<T>(static_cast<std::size_t>(i));
  m.put(static_cast<std::size_t>(i), f(before));
  ++stores_;
  if (options_.record) noted(shown(before, m));
  if (!m.shared) {
    // A fence before makes it a release, a fence after an acquire.
    flag& known = flags_[{&m, i}];
    self->pending = known.knows;
    if (self->fenced) known.knows = merged(known.knows, self->fenced);
  }
  return before;
}

}  // namespace upsweep::lens
