// Cumulative distribution functions: samples drawn by weight, histogram equalisation of a picture, and quantiles.
#include <cmath>
#include <random>

#include "show.hpp"

using namespace upsweep;
using u64 = std::uint64_t;

// A hash: sample k does not depend on the thread that draws it.
UPSWEEP_HD inline u64 random_bits(u64 k) {
  k = (k + 1) * 0x9e3779b97f4a7c15;
  k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9;
  k = (k ^ k >> 27) * 0x94d049bb133111eb;
  return k ^ k >> 31;
}

// Throws an error with the index of the first weight that is negative or not finite.
void check_weights(const context& where, const buffer<float>& weights) {
  const float* const w = weights.span().data();
  const u64 n = weights.size();
  buffer<u64> places(where, n);
  u64* const bad = places.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) { bad[i] = w[i] >= 0 && w[i] <= 3.4e38f ? n : i; });
  const u64 first = reduce(where, places.span(), n, minimum{});
  if (first == n) return;
  std::string what = "weight ";
  what += std::to_string(first);
  throw error(fault::bad_argument, "weights", what + " is negative or not finite", "give finite ones from 0 on");
}

// out[k] = i with a probability proportional to weight i: a scan of the weights, and a search for a random sum.
void sample(const context& where, const buffer<float>& weights, buffer<std::uint32_t>& out, buffer<double>& sums) {
  check_weights(where, weights);
  const u64 n = weights.size();
  const float* const w = weights.span().data();
  double* const sum = sums.span().data();
  std::uint32_t* const drawn = out.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) { sum[i] = w[i]; });
  inclusive_scan(where, sums.span(), sums.span());
  for_each_index(where, out.size(), [=] UPSWEEP_HD(u64 k) {
    const double at = double(random_bits(k) >> 11) * 0x1p-53 * sum[n - 1];
    u64 low = 0, high = n - 1;  // the first sum beyond `at`
    while (low < high) {
      const u64 middle = (low + high) / 2;
      if (sum[middle] > at)
        high = middle;
      else
        low = middle + 1;
    }
    drawn[k] = static_cast<std::uint32_t>(low);
  });
}

void show_samples(const context& where, u64 n) {
  std::vector<float> w(n);
  for (u64 i = 0; i < n; ++i)
    w[i] = i % 10 == 3 ? 0.0f : float(random_bits(i) % 1000);  // whole numbers: every sum of them is exact
  const buffer<float> weights(where, w);
  buffer<std::uint32_t> out(where, n);
  buffer<double> sums(where, n);
  const double taken = show::seconds(where, [&] { sample(where, weights, out, sums); });
  std::vector<double> running(n);
  std::vector<std::uint32_t> want(n);
  const double loop = show::seconds(where, [&] {
    double s = 0;
    for (u64 i = 0; i < n; ++i) running[i] = s += w[i];
    for (u64 k = 0; k < n; ++k)
      want[k] = static_cast<std::uint32_t>(
          std::upper_bound(running.begin(), running.end() - 1, double(random_bits(k) >> 11) * 0x1p-53 * s) -
          running.begin());
  });
  show::note("samples by weight", taken, loop);
  std::printf("%llu samples by %llu weights: %.2f ms, one after the other %.2f ms, %.2f x\n",
              static_cast<unsigned long long>(n), static_cast<unsigned long long>(n), taken * 1e3, loop * 1e3,
              loop / taken);
  const std::vector<std::uint32_t> got = out.download();
  show::verdict("samples",
                got == want && std::none_of(got.begin(), got.end(), [&](std::uint32_t i) { return w[i] == 0; }));
  w[n / 2] = -1;
  try {
    sample(where, buffer<float>(where, w), out, sums);
    show::verdict("a negative weight", false);
  } catch (const error& e) {
    show::verdict("a negative weight", std::string(e.what()).find(std::to_string(n / 2)) != std::string::npos);
  }
}

// Maps each grey to the fraction of the picture that is not brighter. The darkest grey that occurs becomes 0.
std::vector<std::uint8_t> equalized(const context& where, const std::vector<std::uint8_t>& picture) {
  const buffer<std::uint8_t> in(where, picture);
  buffer<std::uint8_t> out(where, picture.size());
  buffer<u64> bins(where, 256);
  histogram(where, in.span(), bins.span(), 0, 256);
  inclusive_scan(where, bins.span(), bins.span());
  const u64* const sum = bins.span().data();
  const std::uint8_t* const from = in.span().data();
  std::uint8_t* const to = out.span().data();
  const u64 n = picture.size(), darkest = *std::min_element(picture.begin(), picture.end());
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) {
    const u64 first = sum[darkest];
    to[i] = n == first ? from[i]
                       : static_cast<std::uint8_t>(((sum[from[i]] - first) * 255 + (n - first) / 2) / (n - first));
  });
  return out.download();
}

void show_picture(const context& where, u64 n) {
  const u64 width = std::max<u64>(static_cast<u64>(std::sqrt(double(n))), 8);
  std::vector<std::uint8_t> picture(width * width);
  for (u64 i = 0; i < picture.size(); ++i) {
    const double x = double(i % width) / double(width), y = double(i / width) / double(width);
    picture[i] = static_cast<std::uint8_t>(90 + 40 * std::sin(9 * x * x + 7 * y) * std::sin(11 * y));
  }
  std::vector<std::uint8_t> got;
  const double taken = show::seconds(where, [&] { got = equalized(where, picture); });
  u64 counts[256] = {}, below[256], so_far = 0, first = 0;
  for (const std::uint8_t v : picture) ++counts[v];
  for (int v = 0; v < 256; ++v) {
    below[v] = so_far += counts[v];
    if (first == 0) first = so_far;
  }
  bool right = true;
  for (u64 i = 0; i < picture.size(); ++i)
    right = right && got[i] == static_cast<std::uint8_t>(std::floor(
                                   double(below[picture[i]] - first) * 255 / double(picture.size() - first) + 0.5));
  const auto [low, high] = std::minmax_element(picture.begin(), picture.end());
  const auto [low_now, high_now] = std::minmax_element(got.begin(), got.end());
  std::printf("a picture of %llu x %llu, greys %d to %d: %d to %d after %.2f ms\n",
              static_cast<unsigned long long>(width), static_cast<unsigned long long>(width), *low, *high, *low_now,
              *high_now, taken * 1e3);
  show::verdict("equalization", right);
}

void show_quantiles(const context& where, u64 n) {
  std::vector<float> x(n);
  for (u64 i = 0; i < n; ++i) x[i] = float(std::sqrt(double(random_bits(i) >> 11) * 0x1p-53));
  std::vector<float> sorted = x;
  const double loop = show::seconds(where, [&] { sorted = x, std::sort(sorted.begin(), sorted.end()); });
  buffer<float> there(where, x);
  const double taken = show::seconds(where, [&] { sort(where, there.span()); });
  const std::vector<float> got = there.download();
  std::printf("quantiles of %llu numbers:", static_cast<unsigned long long>(n));
  bool right = true;
  for (const double q : {0.01, 0.25, 0.5, 0.75, 0.99}) {
    const u64 rank = static_cast<u64>(q * double(n - 1));
    right = right && got[rank] == sorted[rank] && nth_element(where, x, rank) == sorted[rank];
    std::printf(" %g: %.4f", q, got[rank]);
  }
  show::note("sorted for quantiles", taken, loop);
  std::printf("; sorted in %.2f ms, std::sort %.2f ms\n", taken * 1e3, loop * 1e3);
  show::verdict("quantiles", right);
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 18);
    const context where = context::named(o.device);
    show_samples(where, o.n);
    show_picture(where, o.n);
    show_quantiles(where, o.n);
  });
}
