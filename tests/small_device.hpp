// A device with little memory, so that calls on host memory must go through it in chunks of a few hundred elements. Its
// memory is the host's, and it calls itself a CUDA device; contexts on it run the variants given to it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::tests {

class small_device final : public device {
 public:
  explicit small_device(std::uint64_t bytes) : device(backend::cuda), bytes_(bytes) {}
  ~small_device() override { release_scratch(); }

  // Through contexts made by on() from now on, `what` is done by `run`.
  template <class P>
  void give(decltype(P::what) what, void (*run)(device&, const P&)) {
    const auto v = std::make_shared<variant_of<P>>();
    v->name = "small", v->where = backend::cuda, v->what = what, v->run = run;
    chosen_[std::string(name_of(what))] = v.get();
    variants_.push_back(v);
  }
  static context on(const std::shared_ptr<small_device>& d) {
    return context(d, std::make_shared<const chosen_variants>(d->chosen_));
  }

  std::string name() const override { return "small"; }
  std::string description() const override { return "a device with little memory"; }
  std::uint64_t total_memory() const override { return bytes_; }
  std::uint64_t free_memory() const override { return bytes_; }
  memory allocate(std::uint64_t bytes) override {
    return {bytes ? std::aligned_alloc(256, (bytes + 255) / 256 * 256) : nullptr, 0};
  }
  void deallocate(memory m) noexcept override { std::free(m.base); }
  void upload(memory to, const void* from, std::uint64_t bytes) override { std::memcpy(to.address(), from, bytes); }
  void download(void* to, memory from, std::uint64_t bytes) override { std::memcpy(to, from.address(), bytes); }
  void copy(memory to, memory from, std::uint64_t bytes) override { std::memcpy(to.address(), from.address(), bytes); }
  void fill(memory to, unsigned char byte, std::uint64_t bytes) override {
    if (bytes) std::memset(to.address(), byte, bytes);
  }
  void synchronize() override {}
  double seconds(const std::function<void()>& enqueue) override {
    enqueue();
    return 0;
  }

 private:
  std::uint64_t bytes_;
  chosen_variants chosen_;
  std::vector<std::shared_ptr<const void>> variants_;
};

}  // namespace upsweep::tests
