#include "upsweep/conformance/random_cases.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "upsweep/conformance/check_case.hpp"

namespace upsweep {

namespace {

// Bounds on a variant's work, tighter than those of a listed check, so that more cases run.
constexpr double most_work = 0x1p24, longest = 0x1p14;

// The size of most cases: several of the blocks of most CPU algorithms, so that threads interact.
constexpr std::uint64_t most_when_small = 1 << 16;

struct choices_of_a_primitive {
  primitive what;
  std::vector<std::pair<std::string, const variant*>> work;
  std::vector<problem> forms;  // of the requested types
};

std::vector<choices_of_a_primitive> choices(std::span<const std::pair<std::string, const variant*>> work,
                                            const drawn_options& options) {
  std::vector<choices_of_a_primitive> all;
  for (const auto& [device, v] : work) {
    auto at = std::ranges::find(all, v->what, &choices_of_a_primitive::what);
    if (at == all.end()) {
      // Kernels of OpenCL are compiled when they are first called: a sample of the forms there.
      std::vector<problem> forms = conformance_test_of(v->what).forms(v->where == backend::opencl);
      std::erase_if(forms, [&](const problem& p) {
        return !options.types.empty() && std::ranges::count(options.types, p->type) == 0;
      });
      at = all.insert(all.end(), {v->what, {}, std::move(forms)});
    }
    at->work.emplace_back(device, v);
  }
  std::erase_if(all, [](const choices_of_a_primitive& c) { return c.forms.empty(); });
  return all;
}

// One thread's contexts, kept from case to case.
class drawer {
 public:
  drawer(const std::vector<choices_of_a_primitive>& from, const drawn_options& options)
      : from_(from), options_(options) {}

  struct drawn {
    const variant* what = nullptr;
    std::string device;
    check_case it;
  };

  // The case of this number; none where a hundred draws gave nothing that its variant takes.
  std::optional<drawn> draw(std::uint64_t number) {
    std::seed_seq seeds{options_.seed >> 32, options_.seed & 0xffffffff, number >> 32, number & 0xffffffff};
    random_.seed(seeds);
    for (int tries = 0; tries < 100; ++tries) {
      const auto& of = one_of(from_);
      const auto& [name, v] = one_of(of.work);
      const std::string device = v->where == backend::cpu && name == "cpu" ? cpu_of_some_threads() : name;
      case_runner& runner = runner_of(device, *v);
      const conformance_test& e = runner.its_conformance_test();
      drawn d{v, device, {}};
      check_case& c = d.it;
      c.p = one_of(of.forms);
      c.p->n = std::min(size(), e.most_checked);
      e.complete(c.p, seed_of(number), random_());
      c.in_place = !e.in_place.empty() && random_() % 3 == 0;
      c.offset = random_() % 2 ? random_() % 8 : 0;
      if (e.kinds || e.varied) c.kind = one_of(all_inputs);
      if (runner.affordable(c.p->n, most_work, longest) && why_not(*v, context_of(device).device(), c.p).empty())
        return d;
    }
    return std::nullopt;
  }

  std::string run(const drawn& d, std::uint64_t number) {
    case_runner& runner = runner_of(d.device, *d.what);
    try {
      std::string wrong = runner.outcome(d.it, seed_of(number));
      runner.forget();  // of variants and devices there are hundreds, of operands up to the largest in each
      return wrong;
    } catch (const std::exception& e) {
      return std::string("it threw: ") + e.what();
    }
  }

  std::uint64_t seed_of(std::uint64_t number) const { return (options_.seed * 0x9e3779b97f4a7c15 + number) & 0xffffff; }

 private:
  template <class List>
  const typename List::value_type& one_of(const List& list) {
    return list[random_() % list.size()];
  }

  // Every magnitude as often, among the small ones or, once in eight times, among all: where all come alike, the
  // largest four of 21 take seven eighths of the time.
  std::uint64_t size() {
    const std::uint64_t all = std::max<std::uint64_t>(options_.max_n, 1);
    const std::uint64_t most = random_() % 8 ? std::min(all, most_when_small) : all;
    if (random_() % 4 == 0) return std::min(most, random_() % 70);
    return std::min(most, random_() % (std::uint64_t{2} << random_() % std::bit_width(most)));
  }

  std::string cpu_of_some_threads() {
    const unsigned most = std::max(1u, std::thread::hardware_concurrency());
    const unsigned threads = 1 + static_cast<unsigned>(random_() % most);
    return "cpu:" + std::to_string(threads);
  }

  const context& context_of(const std::string& device) {
    auto at = contexts_.find(device);
    if (at == contexts_.end()) at = contexts_.emplace(device, context::named(device)).first;
    return at->second;
  }

  case_runner& runner_of(const std::string& device, const variant& v) {
    auto& kept = runners_[{device, &v}];
    if (!kept) kept = std::make_unique<case_runner>(context_of(device).device(), v);
    return *kept;
  }

  const std::vector<choices_of_a_primitive>& from_;
  const drawn_options& options_;
  std::mt19937_64 random_;
  std::map<std::string, context> contexts_;
  std::map<std::pair<std::string, const variant*>, std::unique_ptr<case_runner>> runners_;
};

}  // namespace

drawn_report check_drawn(std::span<const std::pair<std::string, const variant*>> work, const drawn_options& options) {
  const std::vector<choices_of_a_primitive> from = choices(work, options);
  drawn_report report;
  if (from.empty()) return report;
  std::map<std::string_view, std::uint64_t> of;
  std::mutex telling;
  std::atomic<std::uint64_t> next = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto over = [&] {
    return options.seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= options.seconds;
  };
  const auto draw = [&] {
    drawer mine(from, options);
    while (!over()) {
      const std::uint64_t i = next++;
      if (i >= options.count) return;
      const std::uint64_t number = options.first + i;
      const auto d = mine.draw(number);
      if (!d) continue;
      const std::string wrong = mine.run(*d, number);
      const std::scoped_lock lock(telling);
      ++report.cases, ++of[d->what->what.name], ++report.of_bits[std::bit_width(d->it.p->n)];
      if (!wrong.empty() && ++report.failed <= 20)
        report.failures.push_back(
            {number, std::string(d->what->name), d->device, text(d->it, mine.seed_of(number)), wrong});
      if (options.progress) options.progress(report.cases);
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < options.threads; ++t) others.emplace_back(draw);
    draw();
  }
  report.of.assign(of.begin(), of.end());
  return report;
}

}  // namespace upsweep
