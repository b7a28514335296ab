// Reading, copying and multiplying with all of the device's threads, each on one block of its own.
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "peers/ceilings.hpp"
#include "upsweep/cpu/cpu_device.hpp"

namespace upsweep::peers {

namespace {

// As wide as the processor's registers; GCC and Clang both know the attribute.
#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
typedef std::uint64_t words __attribute__((vector_size(register_bytes)));
typedef float floats __attribute__((vector_size(register_bytes)));

constexpr std::uint64_t group = 8;  // registers in one turn of a loop, so that no single chain holds it up

std::uint64_t read_block(const words* from, std::uint64_t count) {
  words seen[group]{};
  for (std::uint64_t i = 0; i + group <= count; i += group)
    for (std::uint64_t k = 0; k < group; ++k) seen[k] ^= from[i + k];
  words all{};
  for (std::uint64_t k = 0; k < group; ++k) all ^= seen[k];
  return all[0] ^ all[1];
}

void copy_block(words* to, const words* from, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) to[i] = from[i];
}

void stream_block(words* to, const words* from, std::uint64_t count) {
#if defined(__AVX512F__)
  for (std::uint64_t i = 0; i < count; ++i)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), reinterpret_cast<const __m512i&>(from[i]));
  _mm_sfence();
#elif defined(__AVX2__)
  for (std::uint64_t i = 0; i < count; ++i)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), reinterpret_cast<const __m256i&>(from[i]));
  _mm_sfence();
#elif defined(__x86_64__)
  for (std::uint64_t i = 0; i < count; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), reinterpret_cast<const __m128i&>(from[i]));
  _mm_sfence();
#else
  copy_block(to, from, count);
#endif
}

// Ten chains of dependent multiply-adds: more than any core's latency times its width. Returns how many were done.
double multiply_add_block(std::uint64_t turns, float& result) {
  constexpr int chains = 10;
  floats x[chains];
  for (int c = 0; c < chains; ++c) x[c] = floats{} + static_cast<float>(c);
  const floats a = floats{} + 0.999f, b = floats{} + 0.001f;
  for (std::uint64_t i = 0; i < turns; ++i)
    for (int c = 0; c < chains; ++c) x[c] = x[c] * a + b;
  for (int c = 1; c < chains; ++c) x[0] += x[c];
  result = x[0][0];
  return static_cast<double>(turns) * chains * (register_bytes / sizeof(float));
}

}  // namespace

std::vector<ceiling> cpu_ceilings(device& d, std::uint64_t bytes, int repeats) {
  auto& host = static_cast<cpu::device&>(d);
  const auto threads = static_cast<std::uint64_t>(host.threads());
  const std::uint64_t each = bytes / sizeof(words) / threads / group * group;
  const lent_memory a(d, each * threads * sizeof(words)), b(d, each * threads * sizeof(words));
  words *in = a.where().as<words>(), *out = b.where().as<words>();

  // One block a thread where the scheduler has a thread for each; where it has fewer, some do two.
  const auto on_all_threads = [&](auto body) {
    return [&, body] {
      host.arena().execute([&] {
        oneapi::tbb::parallel_for(
            std::uint64_t{0}, threads, [&](std::uint64_t t) { body(t, t * each); }, oneapi::tbb::static_partitioner{});
      });
    };
  };
  // The pages are made, and lie near the thread that uses them.
  on_all_threads([&](std::uint64_t, std::uint64_t first) {
    for (std::uint64_t i = 0; i < each; ++i) in[first + i] = out[first + i] = words{} + i;
  })();

  std::vector<std::uint64_t> seen(threads * 8);
  std::vector<float> sums(threads * 16);
  const double moved = static_cast<double>(each * threads * sizeof(words));
  constexpr std::uint64_t turns = 200000;
  float ignored = 0;
  const double operations = multiply_add_block(1, ignored) * turns * static_cast<double>(threads);
  const auto time = [&](auto body) { return fastest_seconds(d, repeats, on_all_threads(body)); };
  std::vector<ceiling> all{
      {"read", limit::read, time([&](std::uint64_t t, std::uint64_t f) { seen[t * 8] = read_block(in + f, each); }),
       moved, "every thread reads its block"},
      {"copy", limit::copy, time([&](std::uint64_t, std::uint64_t f) { copy_block(out + f, in + f, each); }), 2 * moved,
       "ordinary stores; read and written bytes"},
      {"copy, non-temporal stores", limit::copy,
       time([&](std::uint64_t, std::uint64_t f) { stream_block(out + f, in + f, each); }), 2 * moved,
       "stores past the caches; read and written bytes"},
      {"multiply-add f32", limit::arithmetic,
       time([&](std::uint64_t t, std::uint64_t) { multiply_add_block(turns, sums[t * 16]); }), operations,
       "multiply-adds in registers"},
      {"fork and join", limit::latency, time([&](std::uint64_t, std::uint64_t) {}), 0,
       "an empty parallel loop of one step a thread"}};
  return all;
}

}  // namespace upsweep::peers
