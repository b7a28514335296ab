#include "cli/select/selection.hpp"

#include <numeric>

using namespace upsweep;

chunk_selection::chunk_selection(const context& where, dtype type, std::uint64_t chunk, bool indices)
    : context_(where),
      type_(type),
      indices_(indices),
      in_(where, chunk * size_of(type)),
      out_(where, chunk * size_of(type)),
      flags_(where, chunk),
      places_(where, indices ? chunk * 4 : 0),
      kept_places_(where, indices ? chunk * 4 : 0) {
  if (!indices) return;
  iota_.resize(chunk);
  kept_.resize(chunk);
  std::iota(iota_.begin(), iota_.end(), 0u);
  places_.bring(iota_.data(), chunk * 4);
}

std::byte* chunk_selection::turn(std::uint64_t bytes) {
  const std::size_t k = calls_++ % 2;
  if (sizes_[k] < bytes) {
    results_[k] = std::make_unique_for_overwrite<std::byte[]>(bytes);
    sizes_[k] = bytes;
  }
  return results_[k].get();
}

piece chunk_selection::where(const void* data, std::uint64_t n, comparison how, scalar threshold, std::uint64_t first) {
  problem p;
  p.how = selection::where;
  p.test = how;
  p.threshold = threshold;
  return keep(p, data, n, first);
}

piece chunk_selection::flagged(const void* data, std::uint64_t n, const std::uint8_t* flags, std::uint64_t first) {
  problem p;
  p.how = selection::flagged;
  p.in3 = flags_.bring(flags, n);
  return keep(p, data, n, first);
}

piece chunk_selection::unique(const void* data, std::uint64_t n) {
  problem p;
  p.how = selection::unique;
  return keep(p, data, n, 0);
}

piece chunk_selection::keep(problem p, const void* data, std::uint64_t n, std::uint64_t first) {
  const std::uint64_t size = size_of(type_);
  device& d = context_.dev();
  std::byte* const result = turn(n * std::max<std::uint64_t>(size, indices_ ? 8 : 0));
  p.what = primitive::select;
  p.type = type_;
  p.n = n;
  p.in = in_.bring(data, n * size);
  p.out = out_.at(result);
  p.count = d.scratch("cli/count", 16);
  if (indices_) {
    p.value_bytes = 4;
    p.in2 = places_.at(iota_.data());
    p.out2 = kept_places_.at(kept_.data());
  }
  run(d, p);
  std::uint64_t kept = 0;
  d.download(&kept, p.count, sizeof kept);
  if (!indices_) {
    out_.take_back(result, kept * size);
    return {result, kept};
  }
  kept_places_.take_back(kept_.data(), kept * 4);
  auto* const places = reinterpret_cast<std::int64_t*>(result);
  for (std::uint64_t i = 0; i < kept; ++i) places[i] = static_cast<std::int64_t>(first + kept_[i]);
  return {result, kept};
}
