// The allocator that the Thrust peers work with.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>

#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::peers {

// Thrust allocates in every call. With this, only its first call of a shape pays for it.
class kept_memory {
 public:
  using value_type = char;

  kept_memory() = default;
  kept_memory(const kept_memory&) = delete;
  kept_memory& operator=(const kept_memory&) = delete;
  ~kept_memory() {
    for (auto& [bytes, block] : free_) cudaFree(block);
  }

  char* allocate(std::ptrdiff_t bytes) {
    auto block = free_.lower_bound(bytes);
    if (block == free_.end()) {
      void* fresh = nullptr;
      upsweep::cuda::check(cudaMalloc(&fresh, bytes), "Thrust's allocator");
      sizes_[fresh] = bytes;
      return static_cast<char*>(fresh);
    }
    void* kept = block->second;
    free_.erase(block);
    return static_cast<char*>(kept);
  }
  void deallocate(char* block, std::size_t) { free_.emplace(sizes_.at(block), block); }

 private:
  std::multimap<std::ptrdiff_t, void*> free_;
  std::map<void*, std::ptrdiff_t> sizes_;
};

}  // namespace upsweep::peers
