// Declarations that all CUB peers share. Their files are compiled with the toolkit's CUB, and again with a checkout of
// CCCL if -DUPSWEEP_CCCL_DIR names one. One program contains both: each build of these files has its own namespace, and
// the names of CUB and Thrust contain their version.
#pragma once

#include <cub/version.cuh>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "peers/peers.hpp"
#include "upsweep/cuda/cuda_device.hpp"

#if UPSWEEP_PEERS_OF_CHECKOUT
#define UPSWEEP_CUB checkout
#else
#define UPSWEEP_CUB toolkit
#endif

namespace upsweep::peers::UPSWEEP_CUB {

// "cub" is the toolkit's, "cub-3.6" a checkout's; `kind` sets work apart that is no other setting of the same.
inline std::string cub_name(std::string_view kind = {}) {
  std::string name = "cub";
#if UPSWEEP_PEERS_OF_CHECKOUT
  (((name += '-') += std::to_string(CUB_MAJOR_VERSION)) += '.') += std::to_string(CUB_MINOR_VERSION);
#endif
  if (!kind.empty()) (name += '-') += kind;
  return name;
}
inline std::string cub_version() {
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

// CUB's calls are made twice: without scratch one says how much it wants.
struct cub_launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

// Scratch of one call's own, as long as that is kept: the settings of one work are timed in turn.
struct cub_scratch {
  device& d;
  memory where;
  cub_scratch(device& on, std::uint64_t bytes) : d(on), where(on.allocate(bytes)) {}
  cub_scratch(const cub_scratch&) = delete;
  cub_scratch& operator=(const cub_scratch&) = delete;
  ~cub_scratch() { d.deallocate(where); }
};

// `call` is made as call(launch, problem) and gives what CUB says.
template <class P, auto Call>
prepared_for<P> prepare_cub(device& d, const P& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  upsweep::cuda::check(Call({nullptr, bytes, gpu.stream()}, p), "CUB");
  // No smaller than one byte: a null pointer would ask for the size again.
  const auto scratch = std::make_shared<cub_scratch>(d, bytes + 1);
  return [scratch, bytes, stream = gpu.stream()](const P& p) mutable {
    upsweep::cuda::check(Call({scratch->where.address(), bytes, stream}, p), "CUB");
  };
}

// What a caller may choose: a count of 32 bits where it does, or of 64. Neither is always the faster one: sorts of 2^28
// u32 keys take 17 % longer with 32 bits, pairs 14 % longer with 64.
template <class Count>
inline constexpr const char* count_name = sizeof(Count) == 4 ? "32-bit count" : "64-bit count";
template <class Count>
constexpr bool fits_count(std::uint64_t n) {
  return n <= static_cast<std::uint64_t>(std::numeric_limits<Count>::max());
}

void add_folds(std::vector<peer>&);
void add_radix_sorts(std::vector<peer>&);
void add_merge_sorts(std::vector<peer>&);
void add_segmented_sorts(std::vector<peer>&);
void add_selections(std::vector<peer>&);
void add_histograms(std::vector<peer>&);
void add_segmented_folds(std::vector<peer>&);

}  // namespace upsweep::peers::UPSWEEP_CUB
