// The CPU's algorithms divide a sequence into blocks. The boundaries of blocks depend only on the length of the
// sequence, and threads take the blocks by ticket, in order. So no result depends on the number of threads or on their
// timing.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "upsweep/core/device.hpp"

namespace upsweep::cpu {

// Elements in a block of about `bytes`.
constexpr std::uint64_t block_elements(std::uint64_t bytes, std::uint64_t element_bytes) {
  const std::uint64_t fit = bytes / element_bytes;
  return fit < 64 ? 64 : fit;
}

constexpr std::uint64_t block_count(std::uint64_t n, std::uint64_t block) { return n / block + (n % block != 0); }

// Raised when a block fails, so that no other block waits for a carry that will never come.
class stop_flag {
 public:
  void raise() { raised_.store(true, std::memory_order_relaxed); }
  bool raised() const { return raised_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> raised_{false};
};

// Thrown in a block that cannot continue because another block failed. The caller receives the exception of that block.
struct abandoned {};
[[noreturn]] void abandon();

// A non-owning reference to a callable (block, stop_flag). It must not outlive the call it is passed to.
class block_body {
 public:
  template <class Body>
  block_body(const Body& body)
      : body_(&body), call_([](const void* b, std::uint64_t block, const stop_flag& stop) {
          (*static_cast<const Body*>(b))(block, stop);
        }) {}
  void operator()(std::uint64_t block, const stop_flag& stop) const { call_(body_, block, stop); }

 private:
  const void* body_;
  void (*call_)(const void*, std::uint64_t, const stop_flag&);
};

// Sets bit i of `bits` if test(i), for i < count, clears the other bits of the words that it writes, and returns the
// number of bits set. Each word is computed in a register.
template <class Test>
std::uint64_t mark_bits(std::uint64_t count, std::uint64_t* bits, const Test& test) {
  std::uint64_t set = 0;
  for (std::uint64_t first = 0; first < count; first += 64) {
    const std::uint64_t here = count - first < 64 ? count - first : 64;
    std::uint64_t word = 0;
    for (std::uint64_t k = 0; k < here; ++k)
      word |= static_cast<std::uint64_t>(static_cast<bool>(test(first + k))) << k;
    bits[first / 64] = word;
    set += static_cast<std::uint64_t>(std::popcount(word));
  }
  return set;
}

// Calls f(first + i) for each bit i of `word` that is set, in order. If most bits are set it visits runs of set bits.
template <class F>
void for_each_set(std::uint64_t word, std::uint64_t first, const F& f) {
  if (std::popcount(word) < 56) {
    for (; word != 0; word &= word - 1) f(first + static_cast<std::uint64_t>(std::countr_zero(word)));
    return;
  }
  for (unsigned i = 0; i < 64;) {
    const std::uint64_t rest = word >> i;
    if (rest == 0) return;
    i += static_cast<unsigned>(std::countr_zero(rest));
    for (const unsigned end = i + static_cast<unsigned>(std::countr_one(word >> i)); i < end; ++i) f(first + i);
  }
}

// Runs body(b) for b = 0, 1, … blocks - 1 on the device's threads. When body(b) runs, every smaller block has been
// taken by a running thread, so body(b) may wait for it. Rethrows the first exception of a body. A body may call this
// again: while it waits for those blocks, its thread takes none of the outer ones, which might wait for that body.
void for_each_block(upsweep::device& d, std::uint64_t blocks, block_body body);

// Overload without a device. It runs on the threads that oneTBB provides to the caller.
void for_each_block(std::uint64_t blocks, block_body body);

// Calls body(first, last) for pieces of `grain` elements that cover [0, n), on the threads of oneTBB.
template <class Body>
void for_each_piece(std::uint64_t n, std::uint64_t grain, const Body& body) {
  for_each_block(block_count(n, grain), [&](std::uint64_t b, const stop_flag&) {
    body(b * grain, n - b * grain < grain ? n : (b + 1) * grain);
  });
}

// The number of threads that for_each_block may use at once.
int threads_of(const upsweep::device& d);

// Passes a carry from block to block, in order.
class relay {
 public:
  // Waits until every block before `block` has passed. Their writes are then visible. Throws if the run has failed.
  void await(std::uint64_t block, const stop_flag& stop) const;
  // Release: the next block reads, after its await, the carry that was written before this call.
  void pass(std::uint64_t block) { turn_.store(block + 1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<std::uint64_t> turn_{0};
};

// One T per block: in scratch memory of the device, or in a vector if T is not trivially copyable.
template <class T>
class block_values {
 public:
  block_values(upsweep::device& d, std::string_view name, std::uint64_t blocks, const T& any) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      values_ = d.scratch(name, blocks * sizeof(T)).template as<T>();
    } else {
      held_.assign(blocks, any);
      values_ = held_.data();
    }
  }
  T& operator[](std::uint64_t block) { return values_[block]; }

 private:
  struct nothing {};
  std::conditional_t<std::is_trivially_copyable_v<T>, std::vector<nothing>, std::vector<T>> held_;
  T* values_ = nullptr;
};

}  // namespace upsweep::cpu
