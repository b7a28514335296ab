// Kernels made of a user's texts on a CUDA device: compiled by NVRTC (nvrtc.hpp), loaded and launched by the driver,
// and kept as long as the process.
#pragma once

#include <cuda.h>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "upsweep/cuda/device.hpp"
#include "upsweep/cuda/nvrtc.hpp"
#include "upsweep/opencl/custom.hpp"

namespace upsweep::cuda {

// One of them, loaded onto one device.
struct text_kernel {
  CUfunction function = nullptr;
};

struct text_program {
  int compiled_for = 0;                // 90
  std::vector<text_kernel> kernels;    // in the order of their names; nothing where a number's is
  std::vector<std::uint64_t> numbers;  // that the names give (text/number.cuh)
};

// The same texts give the same program; the first time they are compiled, which takes a second.
text_program& program_of(device&, const kernel_text&);

// What a call that goes by the same texts as the one before it on that device has at hand.
template <class Make>
text_program& program_of(device& d, opencl::kept_program& at, const void* room, const Make& make) {
  if (at.device != d.index() || at.room != room || at.shared_limit != d.shared_limit())
    at = {d.index(), d.shared_limit(), room, &program_of(d, make())};
  return *static_cast<text_program*>(at.program);
}

struct text_launch {
  std::uint64_t blocks = 1;
  int threads = 1;
  std::uint64_t shared_bytes = 0;
  int cluster = 0;        // blocks, or none
  bool together = false;  // all blocks run at once
  bool ready = false;     // made ready while the launch before it ends: of code for Hopper and later
};
void launch(device&, const char* call, const text_kernel&, const text_launch&,
            std::initializer_list<const void*> arguments);
// ... in blocks that run at once, on all of the device.
int resident_blocks(device&, const char* call, const text_kernel&, int threads, std::uint64_t shared_bytes);
bool cluster_fits(device&, const text_kernel&, const text_launch&);
// Lets launches ask for that many bytes of shared memory, always the same for one kernel.
void allow_shared(device&, const char* call, const text_kernel&, std::uint64_t bytes);

// A kernel's argument whose type has elements of the user's in it: laid out as the compiler does it.
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
  // What has no members takes a byte.
  argument_bytes& add_nothing() { return add(char{0}); }
  argument_bytes& pad(std::size_t align) {
    align_ = align > align_ ? align : align_;
    grow((align - used_ % align) % align);
    return *this;
  }
  // The end of the argument.
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

// What has the compiler check that the type is as large as those bytes, as a line of a unit.
std::string require_size(const std::string& type, argument_bytes);
// A constant of the kernels, among the names of a kernel_text: it is the program's next number.
std::string number_of(const std::string& constant);

// ---- Folds: an element, an operator and a transform (cuda/text/fold.cuh)

// What is compiled for one: the room's header, then the texts.
std::string fold_unit(const opencl::custom_kernel&, const char* header);
// The words that fold.cuh has for the three, for instances of kernels.
inline constexpr const char* fold_types = "upsweep::text::element, upsweep::text::op, upsweep::text::transform";

// tagged.cuh's launch_state for elements of that size.
struct tagged_state {
  void* control;
  struct {
    std::uint64_t* words;
    std::uint64_t capacity;
  } words;
};
tagged_state tagged_state_for(device&, const char* scratch, std::uint64_t values, std::size_t element_bytes);

inline bool is_sixteenth(memory m) { return reinterpret_cast<std::uintptr_t>(m.address()) % 16 == 0; }

}  // namespace upsweep::cuda
