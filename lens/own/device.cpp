#include "lens/own/device.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include <cstring>

#include "lens/cuda.hpp"

namespace upsweep::lens::own {

using namespace upsweep_lens;

namespace {

device* the = nullptr;

constexpr std::size_t watched_up_to = 1 << 22;  // granules: their state takes some 400 MB
constexpr std::size_t most_static_shared = 48 << 10;

// CUDA's numbers.
constexpr int invalid_value = 1, out_of_memory = 2, invalid_configuration = 9;

options with_last_words(options o, std::function<void()> last_words, std::function<void(std::uint32_t)> block_ended) {
  o.stack = 64 * 1024;
  o.barriers_acquire = true;
  o.last_words = std::move(last_words);
  o.block_ended = std::move(block_ended);
  return o;
}

// "d_in" of "(void**)&d_in, bytes".
std::string name_in(const char* call) {
  std::string text(call);
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && !(depth == 0 && text[end] == ','); ++end) {
    if (text[end] == '(' || text[end] == '[' || text[end] == '<') ++depth;
    if (text[end] == ')' || text[end] == ']' || text[end] == '>') --depth;
  }
  text.resize(end);
  if (const std::size_t address = text.rfind('&'); address != std::string::npos) text.erase(0, address + 1);
  if (const std::size_t cast = text.rfind("*)"); cast != std::string::npos) text.erase(0, cast + 2);
  std::string name;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)) && c != '(' && c != ')') name += c;
  return name.empty() ? "an array" : name;
}

std::string bytes_of(std::size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

const char* verb(int kind) {
  return kind == update ? " updates " : kind == store || kind == volatile_store ? " writes " : " reads ";
}

}  // namespace

device::device(const options& o, std::optional<bool> races, std::function<void(const std::string&)> ended)
    : machine_(with_last_words(
          o, [this] { ended_("the run cannot go on"); },
          [this](std::uint32_t block) {
            end_of_block(block);
            for (auto& [key, r] : of_block_[block]) left_[r->bytes].push_back(r);
            of_block_.erase(block);
          })),
      races_(races.value_or(true)),
      all_races_(races.value_or(false)),
      ended_(std::move(ended)) {
  the = this;
  now = &machine_;
  most_shared_ = o.block_shared;
  engine_dice_.seed(static_cast<unsigned>(o.seed + 1));
  if (o.shared_is_poisoned) poison_.emplace(static_cast<unsigned>(o.seed + 1));
  make_table();
}

device::~device() { the = nullptr; }

// ---- places

void device::attach(const void* inside, line_finder* lines) {
  lines_ = lines;
  base_ = loaded_at(inside).begin;
}

std::size_t device::attach_more(const void* inside) {
  more_.push_back(loaded_at(inside));
  return more_.size();
}

device::object device::loaded_at(const void* inside) {
  struct search {
    device& d;
    object found;
  };
  Dl_info info{};
  dladdr(inside, &info);
  const auto* base = static_cast<const unsigned char*>(info.dli_fbase);
  search all{*this, {base, base}};
  const auto segments = [](dl_phdr_info* o, std::size_t, void* of) {
    auto& [d, found] = *static_cast<search*>(of);
    const auto* begin = reinterpret_cast<const unsigned char*>(o->dlpi_addr);
    if (begin != found.begin) return 0;
    for (int i = 0; i < o->dlpi_phnum; ++i) {
      const ElfW(Phdr)& p = o->dlpi_phdr[i];
      if (p.p_type == PT_LOAD) found.end = std::max(found.end, begin + p.p_vaddr + p.p_memsz);
      if (p.p_type == PT_GNU_RELRO || (p.p_type == PT_LOAD && (p.p_flags & PF_W) == 0))
        d.read_only_.emplace_back(begin + p.p_vaddr, begin + p.p_vaddr + p.p_memsz);
    }
    return 1;
  };
  dl_iterate_phdr(segments, &all);
  return all.found;
}

where device::place(const void* from, unsigned part) {
  static_assert(sizeof(where) == sizeof(mark*), "a source_location is a pointer to what the compiler wrote down");
  const auto* p = static_cast<const unsigned char*>(from);
  const auto address = reinterpret_cast<std::uint64_t>(from);
  const std::uint64_t key = (address & 0xffffffffffff) | std::uint64_t{part} << 48;
  auto& [seen, known] = seen_[(address ^ address >> 8 ^ part) % seen_.size()];
  if (seen == key) return std::bit_cast<where>(known);
  std::unique_ptr<mark>& m = marks_[key];
  if (m == nullptr) {
    const unsigned char* base = base_;
    std::string object = "@";
    for (std::size_t i = 0; i < more_.size(); ++i)
      if (p >= more_[i].begin && p < more_[i].end) base = more_[i].begin, object = "@" + std::to_string(i + 1);
    // The call that comes back to `from` ends right before it.
    const auto before = static_cast<std::uint64_t>(p - base) - 1;
    const source_line line =
        lines_ != nullptr ? lines_->find(before) : source_line{object, "", static_cast<unsigned>(before)};
    const std::string& file = texts_.emplace_back(line.file);
    const std::string& function = texts_.emplace_back(line.function);
    m = std::make_unique<mark>(mark{file.c_str(), function.c_str(), line.line, 0});
  }
  seen = key, known = m.get();
  return std::bit_cast<where>(m.get());
}

std::string device::text_of(const where& w) const {
  const std::string file = w.file_name();
  if (w.line() == 0) return "an unknown line";
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(w.line());
}

// A kernel that was launched through a pointer gets the name of the function: "reduce<int>" of "void
// reduce<int>(int*)".
std::string device::name_of(const launch_body& b) const {
  if (b.function == nullptr || lines_ == nullptr) return b.name;
  const auto offset = static_cast<std::uint64_t>(static_cast<const unsigned char*>(b.function) - base_);
  const std::string whole = lines_->find(offset).function;
  std::size_t begin = 0, end = 0;
  for (int depth = 0; end < whole.size() && !(depth == 0 && whole[end] == '('); ++end) {
    if (whole[end] == '<') ++depth;
    if (whole[end] == '>') --depth;
    if (depth == 0 && whole[end] == ' ') begin = end + 1;
  }
  return end == whole.size() || begin >= end ? b.name : whole.substr(begin, end - begin);
}

std::string device::last_seen(const void* at) const {
  std::string text = in_kernel_ ? kernel_ : "the host's part";
  const auto line_at = [&](const void* instruction) {
    const auto* p = static_cast<const unsigned char*>(instruction);
    if (p < base_ || lines_ == nullptr) return source_line{};
    return lines_->find(static_cast<std::uint64_t>(p - base_));
  };
  // In a call of ours, it is the place that called.
  source_line line = line_at(at);
  if (line.line == 0 || line.file.ends_with("/words.cpp"))
    line = last_from_ != nullptr && in_kernel_ ? line_at(static_cast<const unsigned char*>(last_from_) - 1)
                                               : source_line{};
  if (line.line != 0) text += ", at " + line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
  return text;
}

// ---- memory

void device::describe(region& r, std::string name, std::size_t element, bool written) {
  r.its_own = std::make_unique<memory_block>();
  memory_block& m = *(r.block = r.its_own.get());
  m.name = std::move(name);
  m.named = element;
  m.address = reinterpret_cast<std::uint64_t>(r.begin);
  m.element = element % 4 == 0 ? 4 : element % 2 == 0 ? 2 : 1;
  const std::size_t granules = (r.bytes + m.element - 1) / m.element;
  m.written.assign(granules, written ? 1 : 0);
  if (!races_ || r.where == space::constant) return;
  if (!all_races_ && watched_granules_ + granules > watched_up_to) {
    not_watched_ += (not_watched_.empty() ? "" : ", ") + m.name;
    return;
  }
  watched_granules_ += granules;
  m.shadows.assign(granules, {});
}

// An access to less than a granule: the state of the granule becomes the state of each part.
void device::make_finer(memory_block& m, std::size_t element) {
  const std::size_t parts = m.element / element;
  std::vector<unsigned char> written(m.written.size() * parts);
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = m.written[i / parts];
  std::vector<shadow> shadows(m.shadows.size() * parts);
  for (std::size_t i = 0; i < shadows.size(); ++i) shadows[i] = m.shadows[i / parts];
  m.written = std::move(written), m.shadows = std::move(shadows);
  m.element = element;
}

void device::access(const void* at, std::size_t bytes, int kind, const void* from) {
  if (!in_kernel_) return touch_on_host(at, kind, from);
  if (machine_.on_own_stack(at)) return;
  last_from_ = from;
  auto* begin = static_cast<unsigned char*>(const_cast<void*>(at));
  const bool in_parts = (bytes & in_words) != 0;
  bytes &= ~in_words;
  std::size_t unit = bytes;
  if (in_parts) unit = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  if (bytes == 16 && !in_parts && reinterpret_cast<std::uintptr_t>(at) % 16 == 8) unit = 8;
  for (std::size_t done = 0; done < bytes; done += unit)
    touch(begin + done, static_cast<unsigned>(unit), kind, place(from, static_cast<unsigned>(done / unit)));
}

device::touched device::checked(unsigned char* at, unsigned size, int kind, const where& w) {
  region* r = memory_.find(at);
  if (r == nullptr) {
    if ((at >= arguments_ && at < arguments_end_) || read_only(at)) return {};
    stranger(at, kind, w);
  }
  memory_block& m = *r->block;
  if (m.named == 0) m.named = size;
  if (r->freed)
    machine_.found(fault_kind::bad_address,
                   machine_.me() + verb(kind) + m.name + ", which has been freed, at " + text_of(w));
  if (at < r->begin || at + size > r->begin + r->bytes) {
    out_of(*r, at, size, w);
    return {};
  }
  if (reinterpret_cast<std::uintptr_t>(at) % size != 0)
    machine_.found(fault_kind::bad_address, machine_.me() + verb(kind) + bytes_of(size) + " of " + m.name +
                                                " at once that do not begin at a multiple of " + std::to_string(size) +
                                                " (a misaligned address), at " + text_of(w));
  const auto offset = static_cast<std::uint64_t>(at - r->begin);
  if (r->where == space::shared && r->of != machine_.self->of->of->id &&
      !machine_.visits(m, offset, r->of, kind != load && kind != volatile_load, w))
    return {};
  if (size < m.element || offset % m.element != 0) make_finer(m, offset % 2 == 0 && size % 2 == 0 ? 2 : 1);
  return {r, &m, offset};
}

void device::touch(unsigned char* at, unsigned size, int kind, const where& w) {
  const touched t = checked(at, size, kind, w);
  if (t.m == nullptr) return;
  const region* const r = t.r;
  memory_block& m = *t.m;
  const std::uint64_t offset = t.offset;
  const bool is_volatile = kind == volatile_load || kind == volatile_store;
  if (r->where == space::shared) {
    // volatile orders nothing among a block's threads.
    machine_.touch_raw(m, offset, size,
                       kind == update                          ? event::shared_atomic
                       : kind == load || kind == volatile_load ? event::shared_load
                                                               : event::shared_store,
                       w, false);
    return;
  }
  if (r->where == space::constant && kind == load)
    return machine_.touch_raw(m, offset, size, event::constant_load, w, false);
  if (kind == update) {
    // A lane that comes back to the address that it touched before waits for others to change it, perhaps.
    if (machine_.self->last_address == m.address + offset) machine_.poll(m, t.flag(), value_at(at, size));
    machine_.touch_raw(m, offset, size, event::global_atomic, w, true);
    return;
  }
  const bool loads = kind == load || kind == volatile_load;
  machine_.touch_raw(m, offset, size, loads ? event::global_load : event::global_store, w, is_volatile);
  if (kind == volatile_load) machine_.poll(m, t.flag(), value_at(at, size));
  if (kind == volatile_store) machine_.release_flag(m, t.flag(), ordering::relaxed);
}

void device::out_of(const region& r, const unsigned char* at, unsigned size, const where& w) {
  const memory_block& m = *r.block;
  const std::int64_t offset = at - r.begin, element = static_cast<std::int64_t>(m.named);
  const std::int64_t index = offset >= 0 ? offset / element : -((-offset + element - 1) / element);
  const std::size_t count = r.bytes / m.named;
  machine_.found(fault_kind::out_of_bounds, machine_.me() + " is outside " + m.name + ", which has " +
                                                std::to_string(count) + (count == 1 ? " element" : " elements") +
                                                (size == m.named ? "" : " of " + bytes_of(m.named)) + ", with index " +
                                                std::to_string(index) + ", at " + text_of(w));
}

bool device::read_only(const void* at) const {
  for (const auto& [begin, end] : read_only_)
    if (at >= begin && at < end) return true;
  return false;
}

void device::stranger(const void* at, int kind, const where& w) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::string what;
  Dl_info info{};
  if (address < 65536) {
    what = "through a null pointer";
  } else if (dladdr(at, &info) != 0 && info.dli_fbase == base_) {
    what = "a global variable of the host, which is not __device__";
  } else {
    pthread_attr_t attributes;
    void* stack = nullptr;
    std::size_t bytes = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &bytes);
    pthread_attr_destroy(&attributes);
    unsigned char resident = 0;
    const bool is_memory = mincore(reinterpret_cast<void*>(address / 4096 * 4096), 1, &resident) == 0;
    what = at >= stack && at < static_cast<unsigned char*>(stack) + bytes ? "a local variable of the host"
           : is_memory ? "the host's memory, through a pointer that no cudaMalloc gave"
                       : "where there is no memory";
  }
  machine_.found(fault_kind::bad_address, machine_.me() + verb(kind) + what + ", at " + text_of(w));
  machine_.halt();
}

void device::touch_on_host(const void* at, int kind, const void* from) {
  if (!memory_.holds(at)) return;
  const region* r = memory_.find(at);
  if (r == nullptr || r->where != space::device) return;
  machine_.found(fault_kind::bad_address, "the host" + std::string(verb(kind)) + r->block->name +
                                              ", which is the device's memory, at " + text_of(place(from)));
  ended_("the host would have crashed");
}

region* device::shared(const void* key, const char* name, std::size_t bytes, std::size_t element,
                       const std::size_t* extents, unsigned directions) {
  return shared_in(*machine_.self->of->of, key, name, bytes, element, {extents, extents + directions});
}

region* device::shared_in(block& b, const void* key, const char* name, std::size_t bytes, std::size_t element,
                          const std::vector<std::size_t>& extents) {
  auto& mine = of_block_[b.id];
  std::size_t all = bytes;
  for (auto& [k, r] : mine) {
    if (k == key) return r;
    all += r->bytes;
  }
  if (all > (key == this ? most_shared_ : most_static_shared + machine_.dynamic_bytes))
    machine_.found(fault_kind::bad_launch, "a block of " + kernel_ + " has " + bytes_of(all) +
                                               " of shared memory, more than a launch can have");
  std::vector<region*>& left = left_[bytes];
  region* r = nullptr;
  if (left.empty()) {
    r = memory_.allocate(bytes, space::shared);
    if (r == nullptr) throw stuck("there is no room left for the blocks' shared memory");
  } else {
    r = left.back();
    left.pop_back();
  }
  if (poison_)
    for (std::size_t i = 0; i < bytes; ++i) r->begin[i] = static_cast<unsigned char>((*poison_)() >> 8);
  const std::size_t granule = element % 4 == 0 ? 4 : element % 2 == 0 ? 2 : 1;
  memory_block& m = machine_.shared_memory_of(b, key, name, (bytes + granule - 1) / granule, granule, false);
  m.named = element;
  if (!extents.empty() && bytes > 0) m.extents = extents;
  r->block = &m, r->of = b.id;
  mine.emplace_back(key, r);
  return r;
}

// ---- the host's calls

int device::launch(const launch_shape& s, const launch_body& b, const void* from) {
  const where w = place(from);
  const auto refused = [&](const std::string& why) {
    machine_.found(fault_kind::bad_launch, "the launch of " + std::string(b.name) + " at " + text_of(w) + " " + why);
    return invalid_configuration;
  };
  if (in_kernel_) {
    refused("is made by a kernel (dynamic parallelism), which the lens does not understand");
    machine_.halt();
  }
  const std::uint64_t threads = std::uint64_t{s.block.x} * s.block.y * s.block.z;
  const std::uint64_t blocks = std::uint64_t{s.grid.x} * s.grid.y * s.grid.z;
  if (threads == 0 || s.block.x > 1024 || s.block.y > 1024 || threads > 1024)
    return refused("asks for blocks of " + std::to_string(threads) + " threads; a block has 1 to 1024");
  if (s.block.z > 64) return refused("asks for blocks with z of " + std::to_string(s.block.z) + "; 64 is the most");
  if (blocks == 0 || blocks > 0x7fffffff || s.grid.y > 65535 || s.grid.z > 65535)
    return refused("asks for a grid of " + std::to_string(s.grid.x) + " × " + std::to_string(s.grid.y) + " × " +
                   std::to_string(s.grid.z) + " blocks; a grid has at least one, at most 65535 in y and z");
  if (s.shared > most_shared_)
    return refused("asks for " + bytes_of(s.shared) + " of shared memory; " + std::to_string(most_shared_) +
                   " are the most");
  const std::uint64_t together = std::uint64_t{s.cluster.x} * s.cluster.y * s.cluster.z;
  if (together == 0 || together > 16)
    return refused("asks for clusters of " + std::to_string(together) + " blocks; a cluster has 1 to 16");
  if (s.grid.x % s.cluster.x != 0 || s.grid.y % s.cluster.y != 0 || s.grid.z % s.cluster.z != 0)
    return refused("asks for a grid that is not a multiple of its clusters");
  kernel_ = name_of(b);
  arguments_ = static_cast<const unsigned char*>(b.arguments), arguments_end_ = arguments_ + b.bytes;
  in_kernel_ = true;
  copies_.clear(), groups_.clear(), barriers_.clear();
  machine_.shape_clusters({s.cluster.x, s.cluster.y, s.cluster.z}, s.early);
  machine_.hold_at_once(s.together ? blocks : 0);
  try {
    machine_.run_grid(
        {s.grid.x, s.grid.y, s.grid.z}, {s.block.x, s.block.y, s.block.z}, [&b] { b.call(b.arguments); },
        static_cast<unsigned>(s.shared), kernel_);
  } catch (const stuck& why) {
    ended_(why.what());
  }
  in_kernel_ = false;
  return 0;
}

int device::allocate(void** to, std::size_t bytes, std::size_t element, const char* text, int kind, const void* from) {
  region* r = bytes > (std::size_t{8} << 30)
                  ? nullptr
                  : memory_.allocate(bytes, kind == upsweep_lens::device ? space::device : space::both);
  if (r == nullptr) return out_of_memory;
  std::string name = name_in(text);
  // A helper's parameter names every array alike: its line tells more.
  if (name == "an array") name += " allocated at " + text_of(place(from));
  // Memory that the host fills unobserved counts as written.
  describe(*r, name, element, r->where == space::both);
  *to = bytes == 0 ? nullptr : r->begin;
  return 0;
}

int device::release(void* p, const char* call, const void* from) {
  if (p == nullptr) return 0;
  region* r = memory_.find(p);
  if (r == nullptr || r->begin != p || r->where == space::shared || r->where == space::constant || r->freed) {
    machine_.found(fault_kind::bad_call,
                   std::string(call) + " at " + text_of(place(from)) + " is given " +
                       (r != nullptr && r->freed ? r->block->name + ", which has been freed before"
                                                 : std::string("what no cudaMalloc gave")));
    return invalid_value;
  }
  memory_.retire(r);
  watched_granules_ -= r->block->shadows.size();
  r->block->shadows = {};
  madvise(r->begin, (r->bytes + 4095) / 4096 * 4096, MADV_DONTNEED);
  return 0;
}

int device::check_range(const void* at, std::size_t bytes, bool writes, const char* call, const void* from) {
  const region* r = memory_.find(at);
  const auto* p = static_cast<const unsigned char*>(at);
  if (r == nullptr) return 0;
  const std::string who = std::string(call) + " at " + text_of(place(from)) + (writes ? " writes " : " reads ");
  if (r->freed) {
    machine_.found(fault_kind::bad_call, who + r->block->name + ", which has been freed");
    return invalid_value;
  }
  if (p >= r->begin && p + bytes <= r->begin + r->bytes) return 0;
  machine_.found(fault_kind::out_of_bounds,
                 who + bytes_of(bytes) + (writes ? " to " : " of ") + r->block->name +
                     (p == r->begin ? "" : " from byte " + std::to_string(p - r->begin) + " on") + ", which has " +
                     std::to_string(r->bytes));
  return invalid_value;
}

int device::copy(void* to, const void* source, std::size_t bytes, int direction, const char* call, const void* from) {
  if (bytes == 0) return 0;
  machine_.between_launches();
  region *there = memory_.find(to), *here = memory_.find(source);
  const auto is_device = [](const region* r) { return r != nullptr; };
  const auto is_host = [](const region* r) { return r == nullptr || r->where == space::both; };
  constexpr int to_device = 1, to_host = 2, within = 3;
  const char* wrong = nullptr;
  if ((direction == to_device || direction == within) && !is_device(there))
    wrong = "its destination is the host's memory";
  if ((direction == to_host || direction == within) && !is_device(here)) wrong = "its source is the host's memory";
  if ((direction == to_host || direction == 0) && !is_host(there)) wrong = "its destination is the device's memory";
  if ((direction == to_device || direction == 0) && !is_host(here)) wrong = "its source is the device's memory";
  if (wrong != nullptr) {
    constexpr const char* directions[]{"from host to host", "from host to device", "from device to host",
                                       "from device to device"};
    machine_.found(fault_kind::bad_call, std::string(call) + " at " + text_of(place(from)) + " is told to copy " +
                                             directions[direction] + ", and " + wrong);
    return invalid_value;
  }
  if (const int error = check_range(to, bytes, true, call, from)) return error;
  if (const int error = check_range(source, bytes, false, call, from)) return error;
  std::memmove(to, source, bytes);
  if (there == nullptr) return 0;
  // Copying elements that were never written does not make them written.
  memory_block& m = *there->block;
  const auto first = static_cast<std::size_t>(static_cast<unsigned char*>(to) - there->begin);
  for (std::size_t i = first / m.element; i * m.element < first + bytes && i < m.count(); ++i) {
    m.written[i] = 1;
    if (here == nullptr) continue;
    const std::size_t same = i * m.element - std::min(first, i * m.element) +
                             static_cast<std::size_t>(static_cast<const unsigned char*>(source) - here->begin);
    m.written[i] = here->block->written[std::min(same / here->block->element, here->block->count() - 1)];
  }
  if (here != nullptr) machine_.copied(2 * bytes);
  return 0;
}

int device::fill(void* to, int value, std::size_t bytes, const char* call, const void* from) {
  if (bytes == 0) return 0;
  machine_.between_launches();
  region* r = memory_.find(to);
  if (r == nullptr) {
    machine_.found(fault_kind::bad_call,
                   std::string(call) + " at " + text_of(place(from)) + " is given the host's memory");
    return invalid_value;
  }
  if (const int error = check_range(to, bytes, true, call, from)) return error;
  std::memset(to, value, bytes);
  memory_block& m = *r->block;
  const auto first = static_cast<std::size_t>(static_cast<unsigned char*>(to) - r->begin);
  for (std::size_t i = first / m.element; i * m.element < first + bytes && i < m.count(); ++i) m.written[i] = 1;
  return 0;
}

// ---- the table

namespace {

struct any_value {
  unsigned char bytes[32];
};

void exchange(unsigned mask, void* value, std::size_t bytes, int width, int kind, int operand, const where& w) {
  any_value v{};
  std::memcpy(v.bytes, value, std::min(bytes, sizeof v));
  v = exchanged(mask, v, width, w, [=](int lane) {
    switch (kind) {
      case from_lane: return operand & (width - 1);
      case from_below: return lane - operand;
      case from_above: return lane + operand;
      default: return lane ^ operand;
    }
  });
  std::memcpy(value, v.bytes, std::min(bytes, sizeof v));
}

template <class T>
T reduced_as(unsigned mask, T value, int kind, const where& w) {
  switch (kind) {
    case sum: return reduced<std::plus<>>(mask, value, w);
    case least: return reduced<lesser>(mask, value, w);
    case most: return reduced<greater>(mask, value, w);
    case all_bits: return reduced<std::bit_and<>>(mask, value, w);
    case any_bit: return reduced<std::bit_or<>>(mask, value, w);
    default: return reduced<std::bit_xor<>>(mask, value, w);
  }
}

}  // namespace

void device::make_table() {
  static_assert(sizeof(index3) == sizeof(upsweep_lens::index));
  const auto as_index = [](const index3& i) { return reinterpret_cast<const upsweep_lens::index*>(&i); };
  table& t = table_;
  t.thread = as_index(machine_.thread_index), t.block = as_index(machine_.block_index);
  t.block_size = as_index(machine_.block_size), t.grid_size = as_index(machine_.grid_size);
  t.access = [](const void* at, std::size_t bytes, int kind, const void* from) { the->access(at, bytes, kind, from); };
  t.stored = [] { the->machine_.stored(); };
  t.block_barrier = [](int vote, const void* from) {
    the->last_from_ = from;
    the->machine_.block_barrier(the->place(from), vote != 0);
    return the->machine_.self->of->of->vote_count;
  };
  t.warp_barrier = [](unsigned mask, const void* from) {
    the->machine_.warp_operation(event::warp_barrier, the->place(from), mask, order_lanes);
  };
  t.fence = [](const void* from) { the->machine_.fence(the->place(from)); };
  t.shuffle = [](unsigned mask, void* value, std::size_t bytes, int width, int kind, int operand, const void* from) {
    exchange(mask, value, bytes, width, kind, operand, the->place(from));
  };
  t.vote = [](unsigned mask, unsigned long long value, int kind, unsigned* took_part, const void* from) {
    const votes v = voted(mask, value, the->place(from), kind == ballot ? take_votes : take_matches);
    *took_part = v.mask;
    return v.yes;
  };
  t.reduce = [](unsigned mask, void* value, int kind, bool with_sign, const void* from) {
    unsigned bits = 0;
    std::memcpy(&bits, value, sizeof bits);
    const where w = the->place(from);
    bits = with_sign ? static_cast<unsigned>(reduced_as(mask, static_cast<int>(bits), kind, w))
                     : reduced_as(mask, bits, kind, w);
    std::memcpy(value, &bits, sizeof bits);
  };
  t.active = [](const void* from) { return company(the->place(from)); };
  t.shared = [](const void* key, const char* name, std::size_t bytes, std::size_t element, const std::size_t* extents,
                unsigned directions) -> void* {
    return the->shared(key, name, bytes, element, extents, directions)->begin;
  };
  t.dynamic_shared = [](const char* name, std::size_t element) -> void* {
    return the->shared(the, name, the->machine_.dynamic_bytes, element, nullptr, 0)->begin;
  };
  t.cluster = [](int what) { return the->of_cluster(what); };
  t.cluster_barrier = [](int kind, const void* from) {
    the->last_from_ = from;
    if (kind == upsweep_lens::wait) return the->machine_.cluster_wait(the->place(from));
    the->machine_.cluster_arrive(the->place(from), kind == arrive);
  };
  t.of_block = [](const void* mine, unsigned rank, const void* from) -> void* {
    return the->of_block(static_cast<unsigned char*>(const_cast<void*>(mine)), rank, the->place(from));
  };
  t.rank_of = [](const void* at, const void* from) {
    return the->rank_of(static_cast<unsigned char*>(const_cast<void*>(at)), the->place(from));
  };
  t.assembly = [](const char* text, const operand* operands, const void* from) { the->assemble(text, operands, from); };
  t.launch = [](const launch_shape* s, const launch_body* b, const void* from) { return the->launch(*s, *b, from); };
  t.allocate = [](void** to, std::size_t bytes, std::size_t element, const char* text, int kind, const void* from) {
    return the->allocate(to, bytes, element, text, kind, from);
  };
  t.release = [](void* p, const char* call, const void* from) { return the->release(p, call, from); };
  t.copy = [](void* to, const void* source, std::size_t bytes, int direction, const char* call, const void* from) {
    return the->copy(to, source, bytes, direction, call, from);
  };
  t.fill = [](void* to, int value, std::size_t bytes, const char* call, const void* from) {
    return the->fill(to, value, bytes, call, from);
  };
  t.symbol = [](void* at, std::size_t bytes, std::size_t element, const char* name, int kind) {
    region& r = the->memory_.adopt(at, bytes, kind == constant ? space::constant : space::device);
    the->describe(r, name, element, true);  // zero, where it has no value of its own
    if (bytes == element) r.block->extents = {1};
  };
  t.say = [](const char* text) { the->said_.emplace_back(text); };
}

}  // namespace upsweep::lens::own
