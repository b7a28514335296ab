#include "upsweep/conformance/check.hpp"

#include <algorithm>

#include "upsweep/conformance/check_case.hpp"
#include "upsweep/context.hpp"

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
class checker {
 public:
  checker(device& d, const variant& v, const check_options& options)
      : device_(d), variant_(v), options_(options), conformance_test_(conformance_test_of(v.what)), runner_(d, v) {}

  check_report run() {
    if (variant_.where == device_.kind()) {
      list_cases();
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        run_case(cases_[i], [&] { return runner_.outcome(cases_[i], options_.seed); });
        if (options_.progress) options_.progress(i + 1, cases_.size());
      }
      if (options_.huge && conformance_test_.huge) run_huge();
    }
    return std::move(report_);
  }

 private:
  bool affordable(std::uint64_t n) const { return n <= options_.max_n && runner_.affordable(n); }

  // Adds the form at one size. In-place use, offsets and input kinds vary with the case, so that the whole list covers
  // all combinations.
  void lay(const problem& form, std::uint64_t n) {
    check_case c;
    c.p = form;
    c.p->n = std::min(n, conformance_test_.most_checked);
    const std::uint64_t turn = turn_++;
    conformance_test_.complete(c.p, options_.seed, turn);
    c.in_place = !conformance_test_.in_place.empty() && turn % 3 == 0;
    c.offset = turn % 5 == 0 ? 1 : turn % 7 == 0 ? 3 : 0;
    if ((conformance_test_.kinds || conformance_test_.varied) && turn % 4 != 0)
      c.kind = all_inputs[turn / 4 % all_inputs.size()];
    if (affordable(c.p->n) && why_not(variant_, device_, c.p).empty()) cases_.push_back(c);
  }

  // Adds the forms that a benchmark would time, for a variant that supports so little that this seed gave no case.
  void lay_plainly() {
    for (const problem& form : conformance_test_.forms(false)) {
      if (!options_.types.empty() && std::ranges::count(options_.types, form->type) == 0) continue;
      for (const std::uint64_t n : quick_sizes) {
        check_case c;
        c.p = form;
        c.p->n = std::min(n, conformance_test_.most_checked);
        conformance_test_.complete(c.p, options_.seed, 1);
        if (affordable(c.p->n) && why_not(variant_, device_, c.p).empty()) cases_.push_back(c);
      }
      if (cases_.size() >= 40) return;
    }
  }

  void list_cases() {
    turn_ = options_.seed;
    // OpenCL kernels are compiled when they are first called, at up to half a second each.
    std::vector<problem> all = conformance_test_.forms(options_.quick || variant_.where == backend::opencl);
    std::erase_if(all, [&](problem p) {
      if (!options_.types.empty() && std::ranges::count(options_.types, p->type) == 0) return true;
      p->n = 1;
      conformance_test_.complete(p, options_.seed, 1);
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
  void run_case(const check_case& c, Body body) {
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

  // Cases of more than 2^32 elements. Cases that are left out are reported, with the reason.
  void run_huge() {
    for (const problem& form : conformance_test_.huge())
      if (options_.types.empty() || std::ranges::count(options_.types, form->type) != 0)
        for (const input_kind kind : conformance_test_.huge_kinds) run_huge(form, kind);
  }

  void run_huge(const problem& form, input_kind kind) {
    check_case c;
    c.p = form;
    if (c.p->n == 0) c.p->n = (std::uint64_t{1} << 32) + 12347;
    c.many = true, c.kind = kind;
    // A separate device frees its scratch memory afterwards, which another form needs.
    const context own = context::named(device_.name());
    std::string why = too_long(c.p->n);  // before it is completed, which may take as long as the case
    if (why.empty()) {
      conformance_test_.complete(c.p, options_.seed, 1);
      c.in_place = !conformance_test_.in_place.empty();
      why = why_not(variant_, device_, c.p);
    }
    if (why.empty()) why = no_memory_for(c, own.device());
    if (!why.empty()) {
      leave_out(c, why);
      return;
    }
    std::string ran_out;
    run_case(c, [&]() -> std::string {
      try {
        return case_runner(own.device(), variant_).outcome(c, options_.seed);
      } catch (const error& e) {
        if (e.why() != fault::out_of_memory) throw;
        ran_out = e.what();
        return {};
      }
    });
    ++report_.huge_cases;
    if (!ran_out.empty()) --report_.cases, --report_.huge_cases, leave_out(c, ran_out);
  }

  void leave_out(const check_case& c, const std::string& why) {
    report_.left_out.push_back({text(c, options_.seed), why});
  }

  std::string too_long(std::uint64_t n) const {
    const double x = static_cast<double>(n);
    const double work = variant_.work.value ? variant_.work.value(x) : 0;
    // The span of a picture is known for a picture of one row. Tuned variants run whatever their span.
    const double chain = variant_.kind != variant_kind::tuned && variant_.span.value ? variant_.span.value(x) : 0;
    if (work > 0x1p40) return "its work is more than 2^40 steps";
    if (chain > 0x1p26) return "its longest chain is more than 2^26 steps";
    return {};
  }

  std::string no_memory_for(const check_case& c, const device& d) const {
    std::uint64_t own = 0, host = 0;
    for (const array& a : conformance_test_.arrays(c.p, options_.seed, c.kind)) {
      if (!runner_.input_under(c, a.slot)) own += a.bytes();
      host += (a.written ? 2 : 1) * a.bytes();
    }
    const auto short_of = [](std::uint64_t bytes, std::uint64_t free, const char* where) {
      const auto gigabytes = [](std::uint64_t b) { return std::to_string((b + 500'000'000) / 1'000'000'000) + " GB"; };
      return bytes <= free ? std::string()
                           : gigabytes(bytes) + " of " + where + " for operands, and it has " + gigabytes(free);
    };
    std::string why = short_of(own, d.free_memory(), "the device's memory");
    if (why.empty())
      why = short_of(device_.kind() == backend::cpu ? own + host : host, context::cpu().device().free_memory(),
                     "the host's memory");
    return why;
  }

  device& device_;
  const variant& variant_;
  const check_options& options_;
  const conformance_test& conformance_test_;
  check_report report_;
  std::vector<check_case> cases_;
  std::uint64_t turn_ = 0;
  case_runner runner_;
};

}  // namespace

std::string describe(const problem& p) { return conformance_test_of(p.what()).words(p); }

check_report check_variant(device& d, const variant& v, const check_options& options) {
  return checker(d, v, options).run();
}

}  // namespace upsweep
