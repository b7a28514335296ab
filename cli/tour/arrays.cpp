// The tour's tasks on arrays.
#include <cstdlib>
#include <execution>
#include <numeric>
#include <utility>

#include "cli/tour/data.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

using upsweep::context;

namespace tour {

namespace {

constexpr auto par = std::execution::par_unseq;

// The reference is made in double. Ours adds in blocks, and may be off by 1e-5 of the sum; the error of a plain loop
// grows with n.
instance sum(std::uint64_t n) {
  const auto in = uniform_floats(n);
  const double exact = std::accumulate(in->begin(), in->end(), 0.0);
  const auto within = [=](double share) { return [=](float x) { return is_off(x, exact, share * exact, "the sum"); }; };
  const auto answer = std::make_shared<float>();
  const auto loose = within(static_cast<double>(n) * 0x1p-24), tight = within(1e-5);
  instance i;
  i.theirs = {{"a plain loop",
               {},
               [=] { *answer = std::accumulate(in->begin(), in->end(), 0.0f); },
               [=] { return loose(*answer); }},
              {"reduce(par, …)",
               {},
               [=] { *answer = std::reduce(par, in->begin(), in->end()); },
               [=] { return loose(*answer); }}};
  i.ours = [=](const context& c, bool there) {
    return mapped<float>(
        c, there, in, 1,
        [c](const auto& from, auto&& to) {
          if constexpr (upsweep::is_device_span<std::remove_cvref_t<decltype(to)>>)
            upsweep::reduce(c, from, to);
          else
            to[0] = upsweep::reduce(c, from);
        },
        [=](const std::vector<float>& got) { return tight(got[0]); });
  };
  return i;
}

instance running_total(std::uint64_t n) {
  const auto in = made<std::uint32_t>(n, [](generator& g) { return g() % 200; });
  const auto expected = array<std::uint32_t>(n), out = array<std::uint32_t>(n);
  std::partial_sum(in->begin(), in->end(), expected->begin());
  const auto wrong = [=] { return differs(*out, *expected); };
  instance i;
  i.theirs = {
      {"inclusive_scan(…)", {}, [=] { std::inclusive_scan(in->begin(), in->end(), out->begin()); }, wrong},
      {"inclusive_scan(par, …)", {}, [=] { std::inclusive_scan(par, in->begin(), in->end(), out->begin()); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    return mapped<std::uint32_t>(
        c, there, in, n, [c](const auto& from, auto&& to) { upsweep::inclusive_scan(c, from, to); },
        [=](const auto& got) { return differs(got, *expected); });
  };
  return i;
}

// std's sort in place, and are given a copy before the clock starts.
instance sorted(std::uint64_t n) {
  const auto in = made<std::uint32_t>(n, [](generator& g) { return g(); });
  const auto expected = std::make_shared<std::vector<std::uint32_t>>(*in);
  std::sort(par, expected->begin(), expected->end());
  const auto out = array<std::uint32_t>(n);
  const auto copy = [=] { *out = *in; };
  const auto wrong = [=] { return differs(*out, *expected); };
  instance i;
  i.theirs = {{"sort(…)", copy, [=] { std::sort(out->begin(), out->end()); }, wrong},
              {"sort(par, …)", copy, [=] { std::sort(par, out->begin(), out->end()); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    return mapped<std::uint32_t>(
        c, there, in, n, [c](const auto& from, auto&& to) { upsweep::sort(c, from, to); },
        [=](const auto& got) { return differs(got, *expected); });
  };
  return i;
}

// Rows in the order of a key, equal keys in the order they came: pairs for std, two columns for us.
instance sorted_rows(std::uint64_t n) {
  using pair = std::pair<std::uint32_t, std::uint32_t>;
  const auto keys = made<std::uint32_t>(n, [n](generator& g) { return g() % (n / 2); });
  const auto values = array<std::uint32_t>(n);
  std::iota(values->begin(), values->end(), 0u);
  const auto out = array<pair>(n), expected = array<pair>(n);
  const auto copy = [=] {
    for (std::uint64_t k = 0; k < n; ++k) (*out)[k] = {(*keys)[k], (*values)[k]};
  };
  const auto by_key = [](const pair& a, const pair& b) { return a.first < b.first; };
  // The values count up: of equal keys the smaller value came first.
  copy();
  *expected = *out;
  std::sort(par, expected->begin(), expected->end());
  const auto wrong = [=]() -> std::string {
    for (std::uint64_t k = 0; k < n; ++k)
      if ((*out)[k] != (*expected)[k]) return fmt::format("row {} is wrong", k);
    return {};
  };
  instance i;
  i.theirs = {{"stable_sort(…)", copy, [=] { std::stable_sort(out->begin(), out->end(), by_key); }, wrong},
              {"stable_sort(par, …)", copy, [=] { std::stable_sort(par, out->begin(), out->end(), by_key); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    const auto compare = [=](const std::vector<std::uint32_t>& k, const std::vector<std::uint32_t>& v) -> std::string {
      for (std::uint64_t j = 0; j < n; ++j)
        if (pair{k[j], v[j]} != (*expected)[j]) return fmt::format("row {} is wrong", j);
      return {};
    };
    if (there) {
      using buffer = upsweep::buffer<std::uint32_t>;
      const auto k = std::make_shared<buffer>(c, *keys), v = std::make_shared<buffer>(c, *values),
                 ks = std::make_shared<buffer>(c, n), vs = std::make_shared<buffer>(c, n);
      return way{"",
                 {},
                 [=] {
                   upsweep::sort_by_key(c, k->span(), v->span(), ks->span(), vs->span());
                   c.synchronize();
                 },
                 [=] { return compare(ks->download(), vs->download()); }};
    }
    const auto ks = array<std::uint32_t>(n), vs = array<std::uint32_t>(n);
    return way{"", {}, [=] { upsweep::sort_by_key(c, *keys, *values, *ks, *vs); }, [=] { return compare(*ks, *vs); }};
  };
  return i;
}

instance median(std::uint64_t n) {
  const auto in = uniform_floats(n), out = array<float>(n);
  const auto copy = [=] { *out = *in; };
  copy();
  const auto middle = out->begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(par, out->begin(), middle, out->end());
  const float expected = *middle;
  const auto wrong = [=] { return is_off(*middle, expected, 0, "the median"); };
  instance i;
  i.theirs = {{"nth_element(…)", copy, [=] { std::nth_element(out->begin(), middle, out->end()); }, wrong},
              {"nth_element(par, …)", copy, [=] { std::nth_element(par, out->begin(), middle, out->end()); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    const auto answer = std::make_shared<float>();
    const auto compare = [=] { return is_off(*answer, expected, 0, "the median"); };
    if (!there) return way{"", {}, [=] { *answer = upsweep::nth_element(c, *in, n / 2); }, compare};
    const auto from = std::make_shared<upsweep::buffer<float>>(c, *in);
    return way{"", {}, [=] { *answer = upsweep::nth_element(c, from->span(), n / 2); }, compare};
  };
  return i;
}

instance kept(std::uint64_t n) {
  const auto in = uniform_floats(n), expected = array<float>(n), out = array<float>(n);
  const auto small = [](float x) { return x < 0.5f; };
  const auto count =
      static_cast<std::uint64_t>(std::copy_if(in->begin(), in->end(), expected->begin(), small) - expected->begin());
  const auto found = std::make_shared<std::uint64_t>();
  const auto compare = [=](const std::vector<float>& got) {
    return *found == count ? differs(got, *expected, count)
                           : fmt::format("{} elements are kept instead of {}", *found, count);
  };
  const auto wrong = [=] { return compare(*out); };
  const auto at = [=](auto end) { *found = static_cast<std::uint64_t>(end - out->begin()); };
  instance i;
  i.theirs = {
      {"copy_if(…)", {}, [=] { at(std::copy_if(in->begin(), in->end(), out->begin(), small)); }, wrong},
      {"copy_if(par, …)", {}, [=] { at(std::copy_if(par, in->begin(), in->end(), out->begin(), small)); }, wrong}};
  i.ours = [=](const context& c, bool there) {
    return mapped<float>(
        c, there, in, n,
        [=](const auto& from, auto&& to) { *found = upsweep::copy_if(c, from, to, upsweep::less_than(0.5f)); },
        compare);
  };
  return i;
}

// The standard library has no run-length encoding; this is the usual loop.
template <class T>
std::uint64_t encode(const std::vector<T>& in, std::vector<T>& firsts, std::vector<std::uint64_t>& lengths) {
  std::uint64_t runs = 0;
  for (std::size_t k = 0; k < in.size();) {
    std::size_t end = k + 1;
    while (end < in.size() && in[end] == in[k]) ++end;
    firsts[runs] = in[k];
    lengths[runs++] = end - k;
    k = end;
  }
  return runs;
}

// Runs are right when they are not empty, next to each other differ, and give what they were made of when written out.
template <class T>
std::string wrong_runs(const std::vector<T>& in, const std::vector<T>& firsts,
                       const std::vector<std::uint64_t>& lengths, std::uint64_t count) {
  std::uint64_t at = 0;
  for (std::uint64_t r = 0; r < count; ++r) {
    if (lengths[r] == 0 || lengths[r] > in.size() - at || (r && firsts[r] == firsts[r - 1]))
      return fmt::format("run {} is wrong", r);
    for (const std::uint64_t end = at + lengths[r]; at < end; ++at)
      if (in[at] != firsts[r]) return fmt::format("run {} contains elements that are not in it", r);
  }
  return at == in.size() ? std::string() : fmt::format("the runs end at {} instead of {}", at, in.size());
}

instance runs(std::uint64_t n) {
  using word = std::uint32_t;
  const auto in = made<word>(n, [last = word{0}](generator& g) mutable { return last += g() % 4 == 0; });
  const auto out = array<word>(n);
  const auto lengths = array<std::uint64_t>(n);
  const auto count = std::make_shared<std::uint64_t>();
  instance i;
  i.theirs = {{"a plain loop",
               {},
               [=] { *count = encode(*in, *out, *lengths); },
               [=] { return wrong_runs(*in, *out, *lengths, *count); }}};
  i.ours = [=](const context& c, bool there) {
    if (there) {
      const auto from = std::make_shared<upsweep::buffer<word>>(c, *in),
                 f = std::make_shared<upsweep::buffer<word>>(c, n);
      const auto l = std::make_shared<upsweep::buffer<std::uint64_t>>(c, n);
      return way{"",
                 {},
                 [=] { *count = upsweep::run_length_encode(c, from->span(), f->span(), l->span()); },
                 [=] { return wrong_runs(*in, f->download(), l->download(), *count); }};
    }
    const auto f = array<word>(n);
    const auto l = array<std::uint64_t>(n);
    return way{"",
               {},
               [=] { *count = upsweep::run_length_encode(c, *in, *f, *l); },
               [=] { return wrong_runs(*in, *f, *l, *count); }};
  };
  return i;
}

instance bytes(std::uint64_t n) {
  const auto in = made<std::uint8_t>(n, [](generator& g) { return (g() & g()) % 256; });
  const auto expected = array<std::uint64_t>(256), out = array<std::uint64_t>(256);
  const auto count = [=](std::vector<std::uint64_t>& counts) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const std::uint8_t b : *in) ++counts[b];
  };
  count(*expected);
  instance i;
  i.theirs = {{"a plain loop", {}, [=] { count(*out); }, [=] { return differs(*out, *expected); }}};
  i.ours = [=](const context& c, bool there) {
    return mapped<std::uint64_t>(
        c, there, in, 256, [c](const auto& from, auto&& to) { upsweep::histogram(c, from, to, 0, 256); },
        [=](const auto& got) { return differs(got, *expected); });
  };
  return i;
}

}  // namespace

std::vector<task> array_tasks() {
  return {{"sort", "upsweep::sort", "u32 keys", "keys", 20, {}, sorted},
          {"sort rows by a key", "upsweep::sort_by_key", "u32 keys, u32 values, stable", "rows", 56, {}, sorted_rows},
          {"median", "upsweep::nth_element", "f32", "elements", 12, {}, median},
          {"select by a predicate", "upsweep::copy_if", "f32, half are selected", "elements", 16, {}, kept},
          {"running total", "upsweep::inclusive_scan", "u32", "elements", 20, {}, running_total},
          {"runs and their lengths", "upsweep::run_length_encode", "u32, runs of four", "elements", 60, {}, runs},
          {"histogram of bytes", "upsweep::histogram", "u8 in 256 bins", "bytes", 2, {}, bytes},
          {"sum", "upsweep::reduce", "f32", "elements", 4, {}, sum}};
}

}  // namespace tour
