#include "upsweep/proof/check.hpp"

#include <algorithm>
#include <memory>

#include "upsweep/proof/exam.hpp"

namespace upsweep {

namespace {

// Sizes at which every combination runs: around warps, blocks and the smallest tiles.
constexpr std::uint64_t small_sizes[]{0,   1,   2,   3,   31,  32,  33,  63,  64,   65,   127,  128,
                                      129, 255, 256, 257, 511, 512, 513, 769, 1023, 1024, 1025, 2049};
constexpr std::uint64_t quick_sizes[]{0, 1, 33, 257, 1025};
// Around tiles of 256 to 1024 threads with 4 to 32 elements each, and primes: every combination runs a few of them.
constexpr std::uint64_t medium_sizes[]{1919,  1920,  1921,   2047,   2048,   3839,   3840,   3841,    4095,    4096,
                                       4097,  5759,  5761,   7167,   7168,   7169,   7679,   7681,    8191,    8193,
                                       10007, 11519, 11521,  12289,  14337,  16383,  16385,  23041,   32767,   32769,
                                       65535, 65537, 100003, 131071, 131073, 262145, 524287, 1000003, 1048575, 1048577};
constexpr std::uint64_t guard_bytes = 512;

// One case: a problem without its addresses, and how its operands lie.
struct case_of {
  problem p;
  input_kind kind = input_kind::uniform;
  bool in_place = false;
  std::uint64_t offset = 0;  // elements by which the operands are off their 256-byte alignment
  bool many = false;         // a form for more than 2^32 elements
};

std::string text(const case_of& c, std::uint64_t seed) {
  std::string s = describe(c.p);
  if (c.kind != input_kind::uniform) s += ", " + std::string(name_of(c.kind)) + " input";
  if (c.in_place) s += ", in place";
  if (c.offset) s += ", operands off alignment";
  return s + ", n = " + std::to_string(c.p->n) + ", seed " + std::to_string(seed);
}

// Device memory that grows. On the CPU every case has memory of its own exact size, so that a sanitizer sees its ends.
class operand {
 public:
  explicit operand(device& d) : device_(d) {}
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;
  ~operand() { drop(); }

  memory at_least(std::uint64_t bytes) {
    if (bytes > bytes_ || device_.kind() == backend::cpu) {
      drop();
      const std::uint64_t room = device_.kind() == backend::cpu ? bytes : std::max(bytes, 2 * bytes_);
      where_ = device_.allocate(room);
      bytes_ = room;
    }
    return where_;
  }

 private:
  void drop() {
    if (where_.base) device_.release(where_);
    where_ = {};
    bytes_ = 0;
  }
  device& device_;
  memory where_;
  std::uint64_t bytes_ = 0;
};

// An array between two guards; host copy and device memory. After the run nothing but the array may have changed.
class guarded {
 public:
  explicit guarded(device& d) : device_(d), memory_(d) {}

  // `poison` fills the guards, and the array until it is written.
  void lay_out(std::uint64_t bytes, std::uint64_t offset_bytes, unsigned char poison) {
    before_ = guard_bytes + offset_bytes;
    bytes_ = bytes;
    poison_ = poison;
    where_ = memory_.at_least(before_ + bytes + guard_bytes);
    host_.resize(before_ + bytes + guard_bytes);
    std::fill(host_.begin(), host_.end(), static_cast<std::byte>(poison));
  }
  std::byte* host() { return host_.data() + before_; }
  memory where() const { return where_.plus_bytes(before_); }
  void upload() { device_.upload(where_, host_.data(), host_.size()); }
  void poison() { device_.fill(where_, poison_, host_.size()); }
  void download(std::vector<std::byte>& to) const {
    to.resize(host_.size());
    device_.download(to.data(), where_, to.size());
  }
  const std::byte* array_in(const std::vector<std::byte>& copy) const { return copy.data() + before_; }

  // Empty, or which guard was written.
  std::string guards_broken(const std::vector<std::byte>& copy) const {
    const auto foreign = [&](std::byte b) { return b != static_cast<std::byte>(poison_); };
    const auto head = std::find_if(copy.begin(), copy.begin() + before_, foreign);
    if (head != copy.begin() + before_)
      return "byte " + std::to_string(before_ - (head - copy.begin())) + " before the output was written";
    const auto tail = std::find_if(copy.begin() + before_ + bytes_, copy.end(), foreign);
    if (tail != copy.end())
      return "byte " + std::to_string(tail - copy.begin() - before_ - bytes_) + " after the output was written";
    return {};
  }
  bool changed(const std::vector<std::byte>& copy) const { return copy != host_; }

 private:
  device& device_;
  operand memory_;
  memory where_;
  std::vector<std::byte> host_;
  std::uint64_t before_ = 0, bytes_ = 0;
  unsigned char poison_ = 0;
};

class checker {
 public:
  checker(device& d, const variant& v, const check_options& options)
      : device_(d), variant_(v), options_(options), exam_(exam_of(v.what)) {}

  check_report run() {
    if (variant_.where == device_.kind()) {
      list_cases();
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        run_case(cases_[i], [&] { return outcome(cases_[i]); });
        if (options_.progress) options_.progress(i + 1, cases_.size());
      }
      if (options_.huge && exam_.huge) run_huge();
    }
    return std::move(report_);
  }

 private:
  // Some rungs do quadratic work, or all of it in one thread; they stay where an answer comes within a second or so.
  bool affordable(std::uint64_t n, double most_work = 0x1p31, double longest = 0x1p18) const {
    const double x = static_cast<double>(n);
    const double work = variant_.work.value ? variant_.work.value(x) : x;
    const double chain = variant_.span.value ? variant_.span.value(x) : 0;
    const bool cpu = variant_.where == backend::cpu;
    return n <= options_.max_n && n <= variant_.max_n && work <= most_work && (cpu || chain <= longest);
  }

  // The form at one size; each has another arrangement, so that all meet all over the whole list.
  void lay(const problem& form, std::uint64_t n) {
    case_of c;
    c.p = form;
    c.p->n = std::min(n, exam_.most_checked);
    const std::uint64_t turn = turn_++;
    exam_.complete(c.p, options_.seed, turn);
    c.in_place = !exam_.in_place.empty() && turn % 3 == 0;
    c.offset = turn % 5 == 0 ? 1 : turn % 7 == 0 ? 3 : 0;
    if (exam_.kinds && turn % 4 != 0) c.kind = all_inputs[turn / 4 % all_inputs.size()];
    if (affordable(c.p->n) && why_not(variant_, device_, c.p).empty()) cases_.push_back(c);
  }

  // What a bench would time, for a variant that takes so little that this seed dealt it nothing.
  void lay_plainly() {
    for (const problem& form : exam_.forms(false)) {
      if (!options_.types.empty() && std::ranges::count(options_.types, form->type) == 0) continue;
      for (const std::uint64_t n : quick_sizes) {
        case_of c;
        c.p = form;
        c.p->n = std::min(n, exam_.most_checked);
        exam_.complete(c.p, options_.seed, 1);
        if (affordable(c.p->n) && why_not(variant_, device_, c.p).empty()) cases_.push_back(c);
      }
      if (cases_.size() >= 40) return;
    }
  }

  void list_cases() {
    turn_ = options_.seed;
    // OpenCL kernels are compiled when they are first called, at up to half a second each.
    std::vector<problem> all = exam_.forms(options_.quick || variant_.where == backend::opencl);
    std::erase_if(all, [&](problem p) {
      if (!options_.types.empty() && std::ranges::count(options_.types, p->type) == 0) return true;
      p->n = 1;
      exam_.complete(p, options_.seed, 1);
      return !why_not(variant_, device_, p).empty();
    });
    for (const problem& form : all) {
      if (options_.quick) {
        for (std::uint64_t n : quick_sizes) lay(form, n);
        lay(form, medium_sizes[turn_ % 24]);
        continue;
      }
      for (std::uint64_t n : small_sizes) lay(form, n);
      for (int k = 0; k < 2; ++k) lay(form, medium_sizes[turn_ * 7 % 36]);
    }
    if (cases_.empty()) lay_plainly();
    if (all.empty() || options_.quick) return;
    // Any form at every medium size; then the large sizes, one form each.
    for (std::uint64_t n : medium_sizes) lay(all[turn_ * 31 % all.size()], n);
    for (std::uint64_t n : {(1u << 20) + 1, (1u << 22) - 1, (1u << 24) + 4099})
      for (int k = 0; k < (variant_.where == backend::cuda ? 6 : 1); ++k) lay(all[turn_ * 31 % all.size()], n);
  }

  template <class Body>
  void run_case(const case_of& c, Body body) {
    ++report_.cases;
    std::string wrong;
    try {
      wrong = body();
    } catch (const std::exception& e) {
      wrong = std::string("it threw: ") + e.what();
    }
    if (wrong.empty()) return;
    ++report_.failed;
    if (report_.failures.size() < 20) report_.failures.push_back({text(c, options_.seed), wrong});
  }

  // The operand that an output shares memory with, or null.
  const slot* input_under(const case_of& c, const slot& output) const {
    if (c.in_place)
      for (const auto& [out, in] : exam_.in_place)
        if (out == output) return &in;
    return nullptr;
  }

  // Runs the case; empty when all is right.
  std::string outcome(const case_of& c) {
    problem p = c.p, host = c.p;
    const std::vector<array> arrays = exam_.arrays(p, options_.seed, c.kind);
    while (memories_.size() < arrays.size()) memories_.push_back(std::make_unique<guarded>(device_));
    const auto place_of = [&](const slot& wanted) -> std::size_t {
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].slot == wanted) return i;
      throw error(fault::bad_argument, "check", "an operand in place has no array", "mend the exam");
    };
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const array& a = arrays[i];
      if (input_under(c, a.slot)) continue;
      // A count and the like stay aligned. All ones is a NaN in the floats: whoever reads past an input's end shows it.
      const std::uint64_t offset = a.count == 1 ? 0 : c.offset * a.size;
      memories_[i]->lay_out(a.bytes(), offset, a.written ? poison : 0xff);
      if (a.fill) {
        fill_all(a, memories_[i]->host());
        memories_[i]->upload();
      }
      a.slot(p) = memories_[i]->where();
      a.slot(host) = {memories_[i]->host(), 0};
    }
    // What is written lies in memory of its own, or where an input was.
    std::vector<std::size_t> at(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const slot* const under = input_under(c, arrays[i].slot);
      at[i] = under ? place_of(*under) : i;
      arrays[i].slot(p) = memories_[at[i]]->where();
    }
    results_.resize(std::max(results_.size(), arrays.size()));
    again_.resize(results_.size());
    const auto run_once = [&](std::vector<std::vector<std::byte>>& results) {
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].written) at[i] != i ? memories_[at[i]]->upload() : memories_[i]->poison();
      variant_.run(device_, p);
      device_.synchronize();
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].written) memories_[at[i]]->download(results[i]);
    };
    run_once(results_);

    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].written)
        arrays[i].slot(host) = {const_cast<std::byte*>(memories_[at[i]]->array_in(results_[i])), 0};
    const double span =
        variant_.span.value ? variant_.span.value(static_cast<double>(p->n)) : static_cast<double>(p->n);
    if (std::string wrong = exam_.wrong(host, span); !wrong.empty()) return wrong;
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
        if (arrays[i].written && again_[i] != results_[i]) return "a second run gave other bits";
    }
    return {};
  }

  // Counts past 2^32.
  void run_huge() {
    for (const problem& form : exam_.huge()) {
      case_of c;
      c.p = form;
      c.p->n = (std::uint64_t{1} << 32) + 12347;
      c.many = true;
      exam_.complete(c.p, options_.seed, 1);
      c.in_place = !exam_.in_place.empty();
      const double x = static_cast<double>(c.p->n);
      const double work = variant_.work.value ? variant_.work.value(x) : 0,
                   chain = variant_.span.value ? variant_.span.value(x) : 0;
      std::uint64_t bytes = c.p->n;
      for (const array& a : exam_.arrays(c.p, options_.seed, c.kind))
        if (!input_under(c, a.slot)) bytes += a.bytes();
      if (work > 0x1p40 || chain > 0x1p26 || device_.free_memory() < bytes) continue;
      if (why_not(variant_, device_, c.p).empty()) run_case(c, [&] { return outcome(c); });
      memories_.clear();  // the next variant needs the room
      results_.clear();
      again_.clear();
    }
  }

  device& device_;
  const variant& variant_;
  const check_options& options_;
  const exam& exam_;
  check_report report_;
  std::vector<case_of> cases_;
  std::uint64_t turn_ = 0;
  std::vector<std::unique_ptr<guarded>> memories_;  // one for each operand
  std::vector<std::vector<std::byte>> results_, again_;
};

}  // namespace

std::string describe(const problem& p) { return exam_of(p.what()).words(p); }

check_report check_variant(device& d, const variant& v, const check_options& options) {
  return checker(d, v, options).run();
}

}  // namespace upsweep
