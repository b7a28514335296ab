// Where a context's memory comes from, when a caller says so: scratch of the calls, and buffers made on that context.
//
//   upsweep::fixed_memory pool(gpu, room.span());             // `room` is a buffer<std::byte> of the caller's
//   const auto mine = gpu.with({.memory = &pool});
//   upsweep::sort(mine, x.span());                            // allocates nothing but from the pool
//   std::uint64_t bytes = upsweep::scratch_needed(gpu, [&](const upsweep::context& c) { upsweep::sort(c, x.span()); });
//
// Lifetime     A resource outlives every context made with it. Scratch is kept as long as a copy of that context is
//              there, and so the second call of the same shape asks for nothing.
// Order        What is given back may still be used by work that was enqueued before: a resource that several streams
//              share waits (context::synchronize) before it hands memory from one to another.
// Not counted  what the host's own containers hold for the length of a call.
// Errors       fault::out_of_memory where the resource has no more; the call may then have written some of its output.
#pragma once

#include <map>
#include <mutex>

#include "upsweep/buffer.hpp"

namespace upsweep {

class memory_resource {
 public:
  virtual ~memory_resource() = default;
  // `bytes` > 0 of the device's memory, aligned to 256 bytes (under OpenCL: its offset, and to what the device asks of
  // sub-buffers), or a null base where there are none. Threads may call it at once.
  virtual memory allocate(std::uint64_t bytes) = 0;
  virtual void release(memory, std::uint64_t bytes) noexcept = 0;
  // What calls on host memory choose the size of their chunks by.
  virtual std::uint64_t free_bytes() const = 0;
};

namespace core {

// Pieces of [0, size), each where the first gap is that holds it, in steps of 512 bytes: what every device takes for
// the beginning of a buffer.
class arrangement {
 public:
  static constexpr std::uint64_t step = 512, none = ~std::uint64_t{0};

  explicit arrangement(std::uint64_t size) : size_(size) {}
  std::uint64_t take(std::uint64_t bytes);  // none: no gap holds it
  void give_back(std::uint64_t offset);
  std::uint64_t used() const { return used_; }
  std::uint64_t most() const { return most_; }  // the furthest end that any piece had

 private:
  std::uint64_t size_, used_ = 0, most_ = 0;
  std::map<std::uint64_t, std::uint64_t> pieces_;  // bytes by offset
};

}  // namespace core

// A block of the caller's memory, handed out piece by piece.
class fixed_memory final : public memory_resource {
 public:
  fixed_memory(memory block, std::uint64_t bytes, backend kind);
  template <class T>
    requires(!std::is_const_v<T>)
  fixed_memory(const context& where, device_span<T> block)
      : fixed_memory(block.where(), block.size() * sizeof(T), where.kind()) {}

  memory allocate(std::uint64_t bytes) override;
  void release(memory, std::uint64_t bytes) noexcept override;
  std::uint64_t free_bytes() const override;
  std::uint64_t most_used() const;  // bytes from the beginning that were ever handed out

 private:
  memory block_;
  std::uint64_t lost_;  // before the first place that is aligned
  std::uint64_t size_;
  mutable std::mutex lock_;
  core::arrangement pieces_;
};

namespace core {

// A device's own memory, and how large a fixed_memory would have to be for all that was asked of it.
class measured_memory final : public memory_resource {
 public:
  explicit measured_memory(device& of) : device_(of) {}
  memory allocate(std::uint64_t bytes) override;
  void release(memory, std::uint64_t bytes) noexcept override;
  std::uint64_t free_bytes() const override { return device_.free_memory(); }
  std::uint64_t most() const;

 private:
  device& device_;
  mutable std::mutex lock_;
  arrangement pieces_{arrangement::none};
  std::map<void*, std::uint64_t> offsets_;
};

}  // namespace core

// The bytes that call(c) takes from c's memory, c being a context as `where` is. It runs the call once, with scratch
// made anew, and waits for it. A fixed_memory of as many bytes, aligned to 512, is enough for the same call on operands
// of the same sizes in device memory; the chunks of a call on host memory depend on what is free, and what depends on
// contents (a tree of bodies, the lists of candidates) on contents.
template <class Call>
  requires std::invocable<const Call&, const context&>
std::uint64_t scratch_needed(const context& where, const Call& call) {
  core::measured_memory measured(where.dev());
  {
    const context mine = where.placed({.resource = &measured});
    call(mine);
    mine.synchronize();
  }
  return measured.most();
}

}  // namespace upsweep
