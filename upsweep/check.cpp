#include "upsweep/check.hpp"

#include <algorithm>
#include <cmath>

#include "upsweep/oracle.hpp"

namespace upsweep {

namespace {

// Sizes at which every combination runs: around warps, blocks and the smallest tiles.
constexpr std::uint64_t small_sizes[]{0,   1,   2,   3,   31,  32,  33,  63,  64,  65,   127,  128,
                                      129, 255, 256, 257, 511, 512, 513, 769, 1023, 1024, 1025, 2049};
constexpr std::uint64_t quick_sizes[]{0, 1, 33, 257, 1025};
// Around tiles of 256 to 1024 threads with 4 to 32 elements each, and primes: every combination runs a few of them.
constexpr std::uint64_t medium_sizes[]{1919,  1920,  1921,  2047,  2048,  3839,  3840,  3841,   4095,   4096,   4097,   5759,
                                       5761,  7167,  7168,  7169,  7679,  7681,  8191,  8193,   10007,  11519,  11521,  12289,
                                       14337, 16383, 16385, 23041, 32767, 32769, 65535, 65537,  100003, 131071, 131073, 262145,
                                       524287, 1000003, 1048575, 1048577};
constexpr std::uint64_t guard_bytes = 512;

// One case: a problem without its addresses, and how its operands lie.
struct case_of {
  problem p;
  bool in_place = false;
  bool from_init = false;    // init is not the identity
  std::uint64_t offset = 0;  // elements by which in and out are off their 256-byte alignment
};

std::string text(const case_of& c, std::uint64_t seed) {
  std::string s = describe(c.p);
  if (c.from_init) s += " from an initial value";
  if (c.in_place) s += ", in place";
  if (c.offset) s += ", operands off alignment";
  return s + ", n = " + std::to_string(c.p.n) + ", seed " + std::to_string(seed);
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
      : device_(d), variant_(v), options_(options), in_(d), in2_(d), out_(d) {}

  check_report run() {
    if (variant_.where == device_.kind()) {
      list_cases();
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        run_case(cases_[i], [&] { return outcome(cases_[i]); });
        if (options_.progress) options_.progress(i + 1, cases_.size());
      }
      if (options_.huge) run_huge();
    }
    return std::move(report_);
  }

 private:
  // Some rungs do quadratic work, or all of it in one thread; they stay where an answer comes within a second or so.
  bool affordable(std::uint64_t n) const {
    const double x = static_cast<double>(n);
    const double work = variant_.work.value ? variant_.work.value(x) : x;
    const double chain = variant_.span.value ? variant_.span.value(x) : 0;
    const bool cpu = variant_.where == backend::cpu;
    return n <= options_.max_n && n <= variant_.max_n && work <= 0x1p31 && (cpu || chain <= 0x1p18);
  }

  bool add(case_of c) {
    const bool logical = c.p.op == op_kind::logical_and || c.p.op == op_kind::logical_or;
    c.p.init = identity_scalar(c.p.op, c.p.type);
    if (c.from_init) {
      c.p.init = random_input(c.p.type, c.p.op, c.p.n, options_.seed).start_value();
      // A value that decides the result leaves little else to check.
      if (logical && c.p.n > 33) c.p.init = identity_scalar(c.p.op, c.p.type);
    }
    if (!affordable(c.p.n) || !why_not(variant_, device_, c.p).empty()) return false;
    cases_.push_back(c);
    return true;
  }

  // Every combination that the variant takes, at n = 1; the sizes multiply later.
  std::vector<case_of> combinations() const {
    std::vector<case_of> all;
    for (dtype type : all_dtypes)
      for (op_kind op : all_ops)
        for (transform_kind f : all_transforms)
          for (bool inclusive : {false, true}) {
            case_of c;
            c.p.what = variant_.what;
            c.p.type = type;
            c.p.op = op;
            c.p.transform = f;
            c.p.inclusive = inclusive;
            c.p.n = 1;
            const bool scan = variant_.what == primitive::scan, add = variant_.what == primitive::vector_add;
            if (inclusive && !scan) continue;
            if (add && (op != op_kind::plus || f != transform_kind::identity)) continue;
            if (left_out(type, op, f)) continue;
            if (why_not(variant_, device_, c.p).empty()) all.push_back(c);
          }
    return all;
  }

  // OpenCL kernels are compiled for each type, operator and transform when they are first called, at up to half a second
  // each: there every operator has every transform on some type, not on all, and a quick check meets every type and every
  // operator, not all pairs of them.
  bool left_out(dtype type, op_kind op, transform_kind f) const {
    const bool opencl = variant_.where == backend::opencl;
    if (!opencl && !options_.quick) return false;
    if (op == op_kind::compose_affine) return f != transform_kind::identity && options_.quick;
    const int t = static_cast<int>(type), o = static_cast<int>(op), types = static_cast<int>(all_dtypes.size());
    if (f != transform_kind::identity)
      return t != (o + static_cast<int>(f)) % types || (opencl && options_.quick && op != op_kind::plus);
    return opencl && options_.quick && op != op_kind::plus && t != o % types && t != (o + 1) % types;
  }

  void list_cases() {
    std::uint64_t turn = options_.seed;
    const std::vector<case_of> all = combinations();
    const auto lay = [&](case_of c, std::uint64_t n) {
      // Each size of each combination has another arrangement, so that all meet all over the whole list.
      c.p.n = n;
      c.in_place = variant_.what == primitive::scan && turn % 3 == 0;
      c.from_init = variant_.what != primitive::vector_add && turn % 2 == 0;
      c.offset = turn % 5 == 0 ? 1 : turn % 7 == 0 ? 3 : 0;
      ++turn;
      add(c);
    };
    for (const case_of& c : all) {
      if (options_.quick) {
        for (std::uint64_t n : quick_sizes) lay(c, n);
        lay(c, medium_sizes[turn % 24]);
        continue;
      }
      for (std::uint64_t n : small_sizes) lay(c, n);
      for (int k = 0; k < 2; ++k) lay(c, medium_sizes[turn * 7 % 36]);
    }
    if (all.empty() || options_.quick) return;
    // Sums of every type, both forms, at every medium size; then the large sizes, one combination each.
    for (std::uint64_t n : medium_sizes) lay(all[turn * 31 % all.size()], n);
    for (std::uint64_t n : {(1u << 20) + 1, (1u << 22) - 1, (1u << 24) + 4099})
      for (int k = 0; k < (variant_.where == backend::cuda ? 6 : 1); ++k) lay(all[turn * 31 % all.size()], n);
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

  // Runs the case; empty when all is right.
  std::string outcome(const case_of& c) {
    problem p = c.p;
    const std::uint64_t size = size_of(p.type), offset = c.offset * size;
    const std::uint64_t out_bytes = p.what == primitive::reduce ? size : p.n * size;
    const random_input input(p.type, p.op, p.n, options_.seed);
    // All ones is a NaN in the floats: whoever reads past the input's end shows it.
    in_.lay_out(p.n * size, offset, 0xff);
    input.fill(in_.host(), 0, p.n);
    in_.upload();
    p.in = in_.where();
    if (p.what == primitive::vector_add) {
      in2_.lay_out(p.n * size, 0, 0xff);
      random_input(p.type, p.op, p.n, options_.seed + 1).fill(in2_.host(), 0, p.n);
      in2_.upload();
      p.in2 = in2_.where();
    }
    guarded& out = c.in_place ? in_ : out_;
    if (!c.in_place) out_.lay_out(out_bytes, p.what == primitive::reduce ? 0 : offset, 0xa5);
    p.out = out.where();

    const auto run_once = [&](std::vector<std::byte>& result) {
      c.in_place ? in_.upload() : out_.poison();
      variant_.run(device_, p);
      device_.synchronize();
      out.download(result);
    };
    run_once(first_);

    problem host = p;
    host.in = {in_.host(), 0};
    host.in2 = {in2_.host(), 0};
    const double span = variant_.span.value ? variant_.span.value(static_cast<double>(p.n)) : static_cast<double>(p.n);
    if (std::string wrong = what_is_wrong(host, out.array_in(first_), span); !wrong.empty()) return wrong;
    if (std::string wrong = out.guards_broken(first_); !wrong.empty()) return wrong;
    if (!c.in_place) {
      in_.download(second_);
      if (in_.changed(second_)) return "the input was changed";
      if (p.what == primitive::vector_add) {
        in2_.download(second_);
        if (in2_.changed(second_)) return "the second input was changed";
      }
    }
    if (is_floating(p.type) && (p.op == op_kind::plus || p.op == op_kind::multiplies)) {
      run_once(second_);
      if (first_ != second_) return "a second run gave other bits";
    }
    return {};
  }

  // Counts past 2^32: u32 sums, the operands made and judged in pieces so that the host need not hold them.
  void run_huge() {
    case_of c;
    c.p.what = variant_.what;
    c.p.n = (std::uint64_t{1} << 32) + 12347;
    c.p.init = scalar::of<std::uint32_t>(7);
    c.from_init = true;
    c.p.inclusive = variant_.inclusive;
    c.in_place = variant_.what == primitive::scan;
    const bool scan = variant_.what == primitive::scan;
    const double work = variant_.work.value ? variant_.work.value(static_cast<double>(c.p.n)) : 0;
    const double chain = variant_.span.value ? variant_.span.value(static_cast<double>(c.p.n)) : 0;
    if (variant_.what == primitive::vector_add || work > 0x1p40 || chain > 0x1p26) return;
    if (!why_not(variant_, device_, c.p).empty() || device_.free_memory() < c.p.n * 4 + c.p.n) return;
    run_case(c, [&]() -> std::string {
      constexpr std::uint64_t piece = std::uint64_t{1} << 26;
      problem p = c.p;
      operand in(device_), result(device_);
      p.in = in.at_least(p.n * 4);
      p.out = scan ? p.in : result.at_least(256);
      const random_input input(p.type, p.op, p.n, options_.seed);
      std::vector<std::uint32_t> x(piece), y(piece);
      for (std::uint64_t first = 0; first < p.n; first += piece) {
        const std::uint64_t count = std::min(piece, p.n - first);
        input.fill(x.data(), first, count);
        device_.upload(p.in.plus_bytes(first * 4), x.data(), count * 4);
      }
      variant_.run(device_, p);
      device_.synchronize();
      oracle o(p, 0);
      for (std::uint64_t first = 0; first < p.n; first += piece) {
        const std::uint64_t count = std::min(piece, p.n - first);
        input.fill(x.data(), first, count);
        if (!scan) {
          o.reduce_input(x.data(), count);
          continue;
        }
        device_.download(y.data(), p.out.plus_bytes(first * 4), count * 4);
        o.scan(x.data(), y.data(), count);
      }
      if (!scan) {
        device_.download(y.data(), p.out, 4);
        o.reduce_result(y.data());
      }
      return o.wrong();
    });
  }

  device& device_;
  const variant& variant_;
  const check_options& options_;
  check_report report_;
  std::vector<case_of> cases_;
  guarded in_, in2_, out_;
  std::vector<std::byte> first_, second_;
};

}  // namespace

std::string describe(const problem& p) {
  std::string s(name_of(p.type));
  s += " " + std::string(name_of(p.op));
  if (p.transform != transform_kind::identity) s += ", " + std::string(name_of(p.transform));
  if (p.what == primitive::scan) s += p.inclusive ? ", inclusive scan" : ", exclusive scan";
  return s;
}

check_report check_variant(device& d, const variant& v, const check_options& options) { return checker(d, v, options).run(); }

}  // namespace upsweep
