// Run-time compiled kernels on a CUDA device: compiled by NVRTC from device source (nvrtc.hpp), loaded and launched by
// the driver. Each GPU keeps the code_cache::most_programs() most recently used programs. A program that a call or a
// CUDA graph uses is kept in addition.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/cuda/nvrtc.hpp"
#include "upsweep/jit/jit.hpp"

namespace upsweep::cuda {

// A number that is found once and then kept. Several threads may find it at the same time.
class found_once {
 public:
  template <class Find>
  int get(const Find& find) const {
    int value = value_.load(std::memory_order_relaxed);
    if (value < 0) value_.store(value = find(), std::memory_order_relaxed);
    return value;
  }

 private:
  mutable std::atomic<int> value_{-1};
};

// A kernel, loaded onto one device. Properties that its launches need are kept with it, since another kernel may have
// its address once it is unloaded.
struct jit_kernel {
  CUfunction function = nullptr;
  found_once resident, shared, cluster_fits;
};

struct jit_program {
  int compiled_for = 0;                // 90
  std::vector<jit_kernel> kernels;     // in the order of their names; nothing where a number's is
  std::vector<std::uint64_t> numbers;  // that the names give (cuda/jit/jit_number.cuh)

  explicit jit_program(int its_gpu) : gpu(its_gpu) {}
  jit_program(const jit_program&) = delete;
  jit_program& operator=(const jit_program&) = delete;
  ~jit_program();  // calls no CUDA: a graph's user object may be the last owner

  const int gpu;
  CUmodule module = nullptr;
  std::atomic<std::uint64_t> capture{0};  // the last one whose graph keeps this program
};

// Returns the program compiled from these sources. Equal sources give the same program. The first call compiles it,
// which takes a second. While the device's stream is being captured, the graph keeps the program too.
std::shared_ptr<jit_program> program_of(device&, const kernel_source&);
void keep_with_captured_graph(device&, const std::shared_ptr<const void>& program);

// Returns the program kept at `at` if this call uses the same sources on the same device as the call before it.
template <class Make>
jit_program& program_of(device& d, opencl::kept_program& at, const void* algorithm, const Make& make) {
  if (at.device != d.index() || at.algorithm != algorithm || at.shared_limit != d.shared_limit())
    at = {d.index(), d.shared_limit(), algorithm, program_of(d, make())};
  else
    keep_with_captured_graph(d, at.program);
  return *static_cast<jit_program*>(const_cast<void*>(at.program.get()));
}

struct jit_launch {
  std::uint64_t blocks = 1;
  int threads = 1;
  std::uint64_t shared_bytes = 0;
  int cluster = 0;        // blocks, or none
  bool together = false;  // all blocks run at once
  bool ready = false;     // made ready while the launch before it ends: of code for Hopper and later
};
void launch(device&, const char* call, const jit_kernel&, const jit_launch&,
            std::initializer_list<const void*> arguments);
// The number of blocks that can be resident on the whole device at once.
int resident_blocks(device&, const char* call, const jit_kernel&, int threads, std::uint64_t shared_bytes);
// Whether a launch in clusters is possible, always of the same shape for one kernel.
bool cluster_fits(device&, const jit_kernel&, const jit_launch&);
// Allows launches to request that many bytes of shared memory, always the same number for one kernel.
void allow_shared(device&, const char* call, const jit_kernel&, std::uint64_t bytes);

// A kernel argument whose type contains elements of a user-defined type: laid out as the compiler does it.
class argument_bytes {
 public:
  template <class T>
  argument_bytes& add(const T& value) {
    return add(&value, sizeof value, alignof(T));
  }
  argument_bytes& add(const void* value, std::size_t size, std::size_t align) {
    pad(align);
    grow(size);
    std::memcpy(bytes_ + used_ - size, value, size);
    return *this;
  }
  // A type without members occupies one byte.
  argument_bytes& add_nothing() { return add(char{0}); }
  argument_bytes& pad(std::size_t align) {
    align_ = align > align_ ? align : align_;
    grow((align - used_ % align) % align);
    return *this;
  }
  // Completes the argument.
  const void* done() {
    pad(align_);
    return bytes_;
  }
  std::size_t size() const { return used_; }
  std::size_t align() const { return align_; }

 private:
  void grow(std::size_t bytes) {
    if (used_ + bytes > sizeof bytes_)
      throw error(fault::unsupported, "cuda", "an element is too large to be a kernel's argument", "fold smaller ones");
    std::memset(bytes_ + used_, 0, bytes);
    used_ += bytes;
  }
  alignas(16) char bytes_[4096];
  std::size_t used_ = 0, align_ = 1;
};

// A line of source that makes the compiler check that the type has the size of those bytes.
std::string require_size(const std::string& type, argument_bytes);
// A constant of the kernels, for the names of a kernel_source; it becomes the program's next number.
std::string number_of(const std::string& constant);

// ---- Folds: an element, an operator and a transform (cuda/jit/jit_fold.cuh)

// The source compiled for a fold: the algorithm's header, then the user's sources.
std::string fold_unit(const opencl::custom_kernel&, const char* header);
// The names of the three types in jit_fold.cuh, for instances of kernels.
inline constexpr const char* fold_types = "upsweep::jit::element, upsweep::jit::op, upsweep::jit::transform";

// The type that threads and tiles exchange in a fold (operators/wide_accumulators.hpp): the element, or a wider type.
struct carrier_layout {
  std::size_t size, align;
  int words;  // of 32 bits, in a tile's state
};
carrier_layout carrier_of(const opencl::custom_kernel&);

// The launch_state of tile_state.cuh for elements of that size.
struct tagged_state {
  void* control;
  struct {
    std::uint64_t* words;
    std::uint64_t capacity;
  } words;
};
tagged_state tagged_state_for(device&, const char* scratch, std::uint64_t values, std::size_t element_bytes);

inline bool is_aligned_16(memory m) { return reinterpret_cast<std::uintptr_t>(m.address()) % 16 == 0; }

}  // namespace upsweep::cuda
