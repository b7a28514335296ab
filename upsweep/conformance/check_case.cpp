#include "upsweep/conformance/check_case.hpp"

#include <algorithm>
#include <cstring>

#include "upsweep/conformance/check.hpp"
#include "upsweep/conformance/first_difference.hpp"

namespace upsweep {

namespace {

constexpr std::uint64_t guard_bytes = 512;

// Device memory that grows. On the CPU every case has a separate allocation of its exact size, so that a sanitizer
// detects accesses past its end.
class operand {
 public:
  explicit operand(device& d) : device_(d) {}
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;
  ~operand() { drop(); }

  memory at_least(std::uint64_t bytes) {
    if (bytes > bytes_ || device_.kind() == backend::cpu) {
      drop();
      const std::uint64_t capacity = device_.kind() == backend::cpu ? bytes : std::max(bytes, 2 * bytes_);
      where_ = device_.allocate(capacity);
      bytes_ = capacity;
    }
    return where_;
  }

 private:
  void drop() {
    if (where_.base) device_.deallocate(where_);
    where_ = {};
    bytes_ = 0;
  }
  device& device_;
  memory where_;
  std::uint64_t bytes_ = 0;
};

constexpr std::uint64_t piece_bytes = 1 << 22;

}  // namespace

void host_bytes::resize(std::uint64_t bytes) {
  if (bytes == size_) return;
  bytes_.reset(), size_ = 0;
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes), size_ = bytes;
  if (bytes > piece_bytes) set_all({});
}

void host_bytes::set_all(std::byte x) {
  cpu::for_each_piece(size_, piece_bytes, [&](std::uint64_t first, std::uint64_t last) {
    std::memset(data() + first, std::to_integer<int>(x), last - first);
  });
}

bool operator==(const host_bytes& a, const host_bytes& b) {
  if (a.size() != b.size()) return false;
  return first_found(0, a.size(), piece_bytes, [&](std::uint64_t first, std::uint64_t last, std::uint64_t found) {
           return std::memcmp(a.data() + first, b.data() + first, last - first) != 0 ? first : found;
         }) == a.size();
}

std::string text(const check_case& c, std::uint64_t seed) {
  std::string s = describe(c.p);
  if (c.kind != input_kind::uniform) s += ", " + std::string(name_of(c.kind)) + " input";
  if (c.in_place) s += ", in place";
  if (c.offset) s += ", operands off alignment";
  return s + ", n = " + std::to_string(c.p->n) + ", seed " + std::to_string(seed);
}

// An array between two guards; host copy and device memory. After the run nothing but the array may have changed.
class guarded_memory {
 public:
  explicit guarded_memory(device& d) : device_(d), memory_(d) {}

  // `poison` fills the guards, and the array until it is written.
  void lay_out(std::uint64_t bytes, std::uint64_t offset_bytes, unsigned char poison) {
    before_ = guard_bytes + offset_bytes;
    bytes_ = bytes;
    poison_ = poison;
    where_ = memory_.at_least(before_ + bytes + guard_bytes);
    host_.resize(before_ + bytes + guard_bytes);
    host_.set_all(static_cast<std::byte>(poison));
  }
  std::byte* host() const { return host_.data() + before_; }
  memory where() const { return where_.plus_bytes(before_); }
  void upload() { device_.upload(where_, host_.data(), host_.size()); }
  void poison() { device_.fill(where_, poison_, host_.size()); }
  void download(host_bytes& to) const {
    to.resize(host_.size());
    device_.download(to.data(), where_, to.size());
  }
  const std::byte* array_in(const host_bytes& copy) const { return copy.data() + before_; }

  // Empty, or which guard was written.
  std::string guards_broken(const host_bytes& copy) const {
    const auto foreign = [&](std::byte b) { return b != static_cast<std::byte>(poison_); };
    const auto head = std::find_if(copy.begin(), copy.begin() + before_, foreign);
    if (head != copy.begin() + before_)
      return "byte " + std::to_string(before_ - (head - copy.begin())) + " before the output was written";
    const auto tail = std::find_if(copy.begin() + before_ + bytes_, copy.end(), foreign);
    if (tail != copy.end())
      return "byte " + std::to_string(tail - copy.begin() - before_ - bytes_) + " after the output was written";
    return {};
  }
  bool changed(const host_bytes& copy) const { return !(copy == host_); }

 private:
  device& device_;
  operand memory_;
  memory where_;
  host_bytes host_;
  std::uint64_t before_ = 0, bytes_ = 0;
  unsigned char poison_ = 0;
};

case_runner::case_runner(device& d, const variant& v)
    : device_(d), variant_(v), conformance_test_(conformance_test_of(v.what)) {}
case_runner::~case_runner() = default;

void case_runner::forget() { memories_.clear(), results_.clear(), again_.clear(); }

bool case_runner::affordable(std::uint64_t n, double most_work, double longest) const {
  const double x = static_cast<double>(n);
  const double work = variant_.work.value ? variant_.work.value(x) : x;
  const double chain = variant_.span.value ? variant_.span.value(x) : 0;
  const bool cpu = variant_.where == backend::cpu;
  return n <= variant_.max_n && work <= most_work && (cpu || chain <= longest);
}

const slot* case_runner::input_under(const check_case& c, const slot& output) const {
  if (c.in_place)
    for (const auto& [out, in] : conformance_test_.in_place)
      if (out == output) return &in;
  return nullptr;
}

std::string case_runner::outcome(const check_case& c, std::uint64_t seed) {
  problem p = c.p, host = c.p;
  const std::vector<array> arrays = conformance_test_.arrays(p, seed, c.kind);
  while (memories_.size() < arrays.size()) memories_.push_back(std::make_unique<guarded_memory>(device_));
  const auto place_of = [&](const slot& wanted) -> std::size_t {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].slot == wanted) return i;
    throw error(fault::bad_argument, "check", "an operand in place has no array", "correct the conformance test");
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const array& a = arrays[i];
    if (input_under(c, a.slot)) continue;
    // Single values such as a count stay aligned. All ones is NaN in floats, so a read past the end of an input changes
    // the result.
    const std::uint64_t offset = a.count == 1 ? 0 : c.offset * a.size;
    memories_[i]->lay_out(a.bytes(), offset, a.written ? poison : 0xff);
    if (a.fill) {
      fill_all(a, memories_[i]->host());
      memories_[i]->upload();
    }
    a.slot(p) = memories_[i]->where();
    a.slot(host) = {memories_[i]->host(), 0};
  }
  // Outputs are in separate memory, or in the memory of an input.
  std::vector<std::size_t> at(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const slot* const under = input_under(c, arrays[i].slot);
    at[i] = under ? place_of(*under) : i;
    arrays[i].slot(p) = memories_[at[i]]->where();
  }
  results_.resize(std::max(results_.size(), arrays.size()));
  again_.resize(results_.size());
  const auto run_once = [&](std::vector<host_bytes>& results) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].written) at[i] != i ? memories_[at[i]]->upload() : memories_[i]->poison();
    variant_.run(device_, p);
    device_.synchronize();
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].written) memories_[at[i]]->download(results[i]);
  };
  run_once(results_);

  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].written) arrays[i].slot(host) = {const_cast<std::byte*>(memories_[at[i]]->array_in(results_[i])), 0};
  const double span = variant_.span.value ? variant_.span.value(static_cast<double>(p->n)) : static_cast<double>(p->n);
  if (std::string wrong = conformance_test_.wrong(host, span); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].written) {
      if (std::string wrong = memories_[at[i]]->guards_broken(results_[i]); !wrong.empty()) return wrong;
    } else if (std::find(at.begin(), at.end(), i) == at.begin() + static_cast<std::ptrdiff_t>(i) &&
               std::count(at.begin(), at.end(), i) == 1) {
      memories_[i]->download(again_[i]);
      if (memories_[i]->changed(again_[i])) return "an input was changed";
    }
  }
  if (is_floating(p->type) && p.fold() && !c.many) {
    run_once(again_);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].written && !(again_[i] == results_[i])) return "a second run gave other bits";
  }
  return {};
}

}  // namespace upsweep
