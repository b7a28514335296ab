// memory: resources that a context allocates from, like std::pmr. They provide the scratch memory of its calls and the
// memory of buffers made on it.
//
//   upsweep::arena_resource pool(gpu, block.span());            // `block` is a buffer<std::byte> of the caller
//   const auto mine = gpu.with({.memory = &pool});
//   upsweep::sort(mine, x.span());                            // allocates nothing but from the pool
//   std::uint64_t bytes = upsweep::scratch_needed(gpu, [&](const upsweep::context& c) { upsweep::sort(c, x.span()); });
//
// Lifetime     A resource must outlive every context made with it. Scratch memory is kept until the last copy of that
//              context is destroyed, so the second call of the same shape allocates nothing.
// Graphs       Calls that are captured into a CUDA graph take memory that later calls through the context do not use.
//              It returns to the resource with the context. Nothing else may use this memory while the graph runs: keep
//              the context as long as the graph, or use a resource whose memory belongs to the graph (a private pool).
// Order        Work that was enqueued earlier may still use memory that has been given back. A resource shared by
//              several streams must wait (context::synchronize) before it gives memory of one stream to another.
// Not counted  Memory of host containers that exist only during a call.
// Errors       fault::out_of_memory if the resource has no memory left. The call may then have written part of its
//              output.
#pragma once

#include <map>
#include <mutex>

#include "upsweep/buffer.hpp"

namespace upsweep {

class memory_resource {
 public:
  virtual ~memory_resource() = default;
  // Returns `bytes` > 0 of device memory, aligned to 256 bytes, or a null base if there is not enough. Under OpenCL the
  // offset is aligned, also to what the device requires of sub-buffers. Several threads may call it at once.
  virtual memory allocate(std::uint64_t bytes) = 0;
  virtual void deallocate(memory, std::uint64_t bytes) noexcept = 0;
  // Calls on host memory choose the size of their chunks by this.
  virtual std::uint64_t free_bytes() const = 0;
};

namespace core {

// Allocates pieces of [0, size), each in the first gap that holds it, in steps of 512 bytes: every device accepts such
// an offset as the beginning of a buffer.
class first_fit_allocator {
 public:
  static constexpr std::uint64_t step = 512, none = ~std::uint64_t{0};

  explicit first_fit_allocator(std::uint64_t size) : size_(size) {}
  std::uint64_t take(std::uint64_t bytes);  // returns none if no gap is large enough
  void give_back(std::uint64_t offset);
  std::uint64_t used() const { return used_; }
  std::uint64_t most() const { return most_; }  // the largest end offset of any piece so far

 private:
  std::uint64_t size_, used_ = 0, most_ = 0;
  std::map<std::uint64_t, std::uint64_t> pieces_;  // bytes by offset
};

}  // namespace core

// Allocates from one block of memory that the caller owns.
class arena_resource final : public memory_resource {
 public:
  arena_resource(memory block, std::uint64_t bytes, backend kind);
  template <class T>
    requires(!std::is_const_v<T>)
  arena_resource(const context& where, device_span<T> block)
      : arena_resource(block.where(), block.size() * sizeof(T), where.kind()) {}

  memory allocate(std::uint64_t bytes) override;
  void deallocate(memory, std::uint64_t bytes) noexcept override;
  std::uint64_t free_bytes() const override;
  std::uint64_t most_used() const;  // bytes from the beginning that were ever allocated

 private:
  memory block_;
  std::uint64_t lost_;  // bytes before the first aligned address
  std::uint64_t size_;
  mutable std::mutex lock_;
  core::first_fit_allocator pieces_;
};

namespace core {

// Allocates from the device, and measures how large an arena_resource would have to be for the same allocations.
class tracking_resource final : public memory_resource {
 public:
  explicit tracking_resource(device& of) : device_(of) {}
  memory allocate(std::uint64_t bytes) override;
  void deallocate(memory, std::uint64_t bytes) noexcept override;
  std::uint64_t free_bytes() const override { return device_.free_memory(); }
  std::uint64_t most() const;

 private:
  device& device_;
  mutable std::mutex lock_;
  first_fit_allocator pieces_{first_fit_allocator::none};
  std::map<void*, std::uint64_t> offsets_;
};

}  // namespace core

// Returns the bytes that call(c) allocates from the memory of c, a context like `where`. It runs the call once, with
// new scratch memory, and waits for it. An arena_resource of that many bytes, aligned to 512, is enough for the same
// call on operands of the same sizes in device memory. Two cases differ: calls on host memory choose chunks by the free
// memory, and some algorithms need memory that depends on the contents (a tree of bodies, lists of candidates).
template <class Call>
  requires std::invocable<const Call&, const context&>
std::uint64_t scratch_needed(const context& where, const Call& call) {
  core::tracking_resource measured(where.device());
  {
    const context mine = detail::with_memory(where, measured);
    call(mine);
    mine.synchronize();
  }
  return measured.most();
}

}  // namespace upsweep
