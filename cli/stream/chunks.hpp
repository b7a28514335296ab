// A file of any length, processed in chunks of a fixed number of elements. While a chunk is processed, the next one is
// read and the results of the previous one are written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cli/io/elements.hpp"
#include "upsweep/buffer.hpp"

struct piece {
  const void* data = nullptr;
  std::uint64_t n = 0;
};

// `work` gets n > 0 elements after `first` previous ones, and returns the data to write: the chunk's own memory, or
// memory that its next call does not change. Returns the number of elements.
std::uint64_t stream_chunks(element_source&, std::uint64_t chunk, const std::string& title,
                            const std::function<piece(void* data, std::uint64_t n, std::uint64_t first)>& work,
                            const std::function<void(const void*, std::uint64_t)>& write = nullptr);

// Memory of an operand during a call: the data itself on the CPU, device memory on other devices, allocated once.
class device_workspace {
 public:
  device_workspace(const upsweep::context& where, std::uint64_t bytes)
      : where_(where), on_host_(where.kind() == upsweep::backend::cpu) {
    if (!on_host_) held_ = std::make_unique<upsweep::buffer<std::byte>>(where, bytes);
  }
  // For results that go to `data`.
  upsweep::memory at(void* data) { return on_host_ ? upsweep::memory{data, 0} : held_->span().where(); }
  upsweep::memory bring(const void* data, std::uint64_t bytes) {
    if (!on_host_) upload(where_, {static_cast<const std::byte*>(data), bytes}, held_->span().subspan(0, bytes));
    return at(const_cast<void*>(data));
  }
  void take_back(void* data, std::uint64_t bytes) {
    if (!on_host_) download(where_, held_->span().subspan(0, bytes), {static_cast<std::byte*>(data), bytes});
  }

 private:
  upsweep::context where_;
  bool on_host_;
  std::unique_ptr<upsweep::buffer<std::byte>> held_;
};
