#include "cli/bench/group.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "cli/bench/bench.hpp"
#include "cli/report/figures.hpp"
#include "cli/report/table.hpp"
#include "upsweep/communicator.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

using nlohmann::ordered_json;
using namespace upsweep;

namespace bench {

namespace {

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A call by the communicator and by its first rank alone.
struct work {
  const char* name;
  const char* form;
  std::uint64_t n;
  std::uint64_t moved;  // bytes that each rank sends to others
  std::function<void()> together, alone;
  std::function<bool()> right;  // whether both have come to the same
};

struct measured {
  statistics together, alone, exchange;  // exchange: as many bytes, and nothing else
};

class group_bench {
 public:
  group_bench(const std::string& devices, const plan& p)
      : group_(communicator::named(devices)), members_(static_cast<std::uint64_t>(group_.size())), plan_(p) {}

  ordered_json run() {
    ordered_json all = document("group-bench");
    all["seed"] = plan_.seed;
    all["members"] = ordered_json::array();
    for (int i = 0; i < group_.local_size(); ++i) all["members"].push_back(group_.where(i).description());
    const statistics note =
        timed_alone([&] { group_.for_each_rank("note", [](communicator_rank& m) { m.all(std::uint64_t{1}); }); });
    fmt::print("{} members: {}; 8 bytes from each to all and back to the caller: {}\n", members_,
               group_.where(0).description(), figures::time_text(note.median));
    all["note"] = to_json(note);
    ordered_json rows = ordered_json::array();
    table t({"call", "n", "group", "first alone", "speed-up", "sent", "bus", "exchange alone"});
    for (const std::uint64_t n : plan_.sizes) {
      elements_of(n, rows, t);
      bodies_of(n, rows, t);
    }
    t.print();
    all["rows"] = std::move(rows);
    return all;
  }

 private:
  static ordered_json to_json(const statistics& s) {
    return {
        {"median_s", s.median}, {"p10_s", s.p10}, {"p90_s", s.p90}, {"fastest_s", s.fastest}, {"samples", s.samples}};
  }
  statistics timed_alone(const std::function<void()>& call) const {
    std::vector<timed> all{{[&] { return seconds_of(call); }, {}}};
    call();
    sample_in_turn(all, plan_.each);
    return summarize(all[0].seconds);
  }

  // Every rank sends so many bytes, an even part to each of the others.
  void exchange(std::uint64_t bytes) const {
    const std::uint64_t each = members_ > 1 ? bytes / (members_ - 1) : 0;
    group_.for_each_rank("exchange", [&](communicator_rank& m) {
      std::vector<std::uint64_t> sizes(members_, each);
      sizes[static_cast<std::size_t>(m.rank())] = 0;
      const auto from = m.scratch<std::byte>("bench/sent", bytes), to = m.scratch<std::byte>("bench/received", bytes);
      m.all_to_all(device_span<const std::byte>(from.subspan(0, each * (members_ - 1))), sizes,
                   to.subspan(0, each * (members_ - 1)), sizes);
    });
  }

  void take(const work& w, ordered_json& rows, table& t) const {
    w.together(), w.alone();
    if (!w.right())
      throw error(fault::device_failure, std::string("bench ") + w.name, "the group's result differs from one device's",
                  "run `upsweep check`");
    std::vector<timed> all{{[&] { return seconds_of(w.together); }, {}},
                           {[&] { return seconds_of(w.alone); }, {}},
                           {[&] { return seconds_of([&] { exchange(w.moved); }); }, {}}};
    exchange(w.moved);
    sample_in_turn(all, plan_.each);
    const measured m{summarize(all[0].seconds), summarize(all[1].seconds), summarize(all[2].seconds)};
    const auto bytes = static_cast<double>(w.moved);
    const double speedup = m.alone.median / m.together.median, bus = bytes / m.together.median,
                 limit = bytes / m.exchange.median;
    t.row({w.name, fmt::format("{}", w.n), figures::time_text(m.together.median), figures::time_text(m.alone.median),
           figures::ratio_text(speedup), bytes_text(bytes), figures::rate_text(bus) + "B/s",
           figures::rate_text(limit) + "B/s"});
    rows.push_back({{"primitive", w.name},
                    {"form", w.form},
                    {"n", w.n},
                    {"members", members_},
                    {"group", to_json(m.together)},
                    {"alone", to_json(m.alone)},
                    {"speedup", speedup},
                    {"bytes_sent_by_each", w.moved},
                    {"bus_bytes_per_s", bus},
                    {"exchange", to_json(m.exchange)},
                    {"exchange_bytes_per_s", limit},
                    {"checked", true}});
  }

  void elements_of(std::uint64_t n, ordered_json& rows, table& t) const {
    using T = std::uint32_t;
    const context& one = group_.where(0);
    std::vector<T> host(n);
    for (std::uint64_t i = 0; i < n; ++i) host[i] = static_cast<T>(mixed(plan_.seed + i));
    const auto x = distributed<T>::of(group_, host);
    auto y = distributed<T>::even(group_, n), kept = distributed<T>::even(group_, 0);
    const buffer<T> x1(one, host);
    buffer<T> y1(one, n), sum1(one, 1);
    buffer<std::uint64_t> counts1(one, 256), kept1(one, 1);
    std::vector<std::uint64_t> counts(256);
    const auto in = x1.span();
    T sum = 0;
    const auto same = [&](const distributed<T>& all) {
      std::vector<T> want = y1.download();
      want.resize(all.size());
      return all.gather() == want;
    };
    // The part of a small message that each rank sends to the others: 8 bytes a value.
    const std::uint64_t a_value = 8 * (members_ - 1), half = n / 2;
    const auto done = [&](const auto& call) {
      return [&, call] {
        call();
        one.synchronize();
      };
    };
    take({"reduce", "u32 plus", n, a_value, [&] { sum = reduce(group_, x); },
          done([&] { reduce(one, in, sum1.span()); }), [&] { return sum1.download()[0] == sum; }},
         rows, t);
    take({"scan", "inclusive, u32 plus", n, a_value, [&] { inclusive_scan(group_, x, y); },
          done([&] { inclusive_scan(one, in, y1.span()); }), [&] { return same(y); }},
         rows, t);
    take({"sort", "u32, uniform", n, n / members_ * sizeof(T) * (members_ - 1) / members_, [&] { sort(group_, x, y); },
          done([&] { sort(one, in, y1.span()); }), [&] { return same(y); }},
         rows, t);
    const auto lower_half = less_than(T{1} << 31);
    take({"select", "u32, half kept", n, a_value, [&] { copy_if(group_, x, kept, lower_half); },
          done([&] { copy_if(one, in, y1.span(), kept1.span(), lower_half); }),
          [&] { return kept1.download()[0] == kept.size() && same(kept) && kept.size() + half > half; }},
         rows, t);
    const std::int64_t end = std::int64_t{1} << 32;
    take({"histogram", "u32, 256 bins", n, 256 * a_value, [&] { histogram(group_, x, counts, 0, end); },
          done([&] { histogram(one, in, counts1.span(), 0, end); }), [&] { return counts1.download() == counts; }},
         rows, t);
  }

  // As many bodies as take about as long by all pairs.
  void bodies_of(std::uint64_t elements, ordered_json& rows, table& t) const {
    const context& one = group_.where(0);
    const double scale = one.kind() == backend::cpu ? 8 : 64;
    const auto n = static_cast<std::uint64_t>(scale * std::sqrt(static_cast<double>(elements)));
    if (n == 0) return;
    std::vector<float> host[4];
    std::uint64_t turn = plan_.seed;
    for (auto& column : host) {
      column.resize(n);
      for (float& v : column) v = static_cast<float>(unit(mixed(++turn)));
    }
    const auto part = [&](int k) { return distributed<float>::of(group_, host[k]); };
    const auto x = part(0), y = part(1), z = part(2), mass = part(3);
    auto ax = part(0), ay = part(0), az = part(0);
    const buffer<float> x1(one, host[0]), y1(one, host[1]), z1(one, host[2]), mass1(one, host[3]);
    buffer<float> ax1(one, n), ay1(one, n), az1(one, n);
    nbody::parameters rules{.softening = 0.01, .method = nbody::method::all_pairs};
    const auto together = [&] { nbody::accelerations(group_, rules, x, y, z, mass, ax, ay, az); };
    const auto add = [&](const char* name, std::uint64_t moved) {
      take({name, "f32, softening 0.01", n, moved, together,
            [&] {
              nbody::accelerations(one, rules, x1.span(), y1.span(), z1.span(), mass1.span(), ax1.span(), ay1.span(),
                                   az1.span());
              one.synchronize();
            },
            [&] { return close(ax.gather(), ax1.download()); }},
           rows, t);
    };
    const std::uint64_t ring = n / members_ * 16 * (members_ - 1);
    add("all pairs", ring);
    rules.method = nbody::method::barnes_hut, rules.decomposition = nbody::domain_decomposition::whole;
    add("tree", ring);
    rules.decomposition = nbody::domain_decomposition::domains;
    if (members_ > 1) add("tree by domains", most_sent_in(together));
  }

  // Bytes that leave the rank that sends most.
  std::uint64_t most_sent_in(const std::function<void()>& call) const {
    std::vector<std::uint64_t> before, after;
    const auto count = [&](std::vector<std::uint64_t>& to) {
      group_.for_each_rank("bytes sent", [&](communicator_rank& m) {
        const auto all = m.all(m.route().bytes_sent());
        if (m.local_rank() == 0) to = all;
      });
    };
    count(before), call(), count(after);
    std::uint64_t most = 0;
    for (std::size_t r = 0; r < after.size(); ++r) most = std::max(most, after[r] - before[r]);
    return most;
  }

  // Members may group sums another way: within rounding.
  static bool close(const std::vector<float>& a, const std::vector<float>& b) {
    float most = 0, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      most = std::max(most, std::abs(b[i])), apart = std::max(apart, std::abs(a[i] - b[i]));
    return a.size() == b.size() && apart <= 1e-4f * most;
  }

  communicator group_;
  std::uint64_t members_;
  const plan& plan_;
};

}  // namespace

ordered_json run_group(const std::string& devices, const plan& p) { return group_bench(devices, p).run(); }

}  // namespace bench
