// Copies from memory of other devices of this process to a device's own memory.
#pragma once

#include <memory>

#include "upsweep/core/device.hpp"

namespace upsweep {

// Between CUDA GPUs a copy is enqueued on a stream separate from the device's, over NVLink or PCIe where the driver
// lets one GPU access the other's memory; otherwise it goes through the host, and is done when bring returns.
class peer_copy {
 public:
  explicit peer_copy(device& to) : to_(to) {}
  peer_copy(const peer_copy&) = delete;
  peer_copy& operator=(const peer_copy&) = delete;
  virtual ~peer_copy() = default;

  // Later copies wait for `m`.
  virtual void after(moment& m) { m.wait(); }
  virtual void bring(memory to, device& other, memory from, std::uint64_t bytes);
  // Recorded after all copies requested so far; null where they are already complete.
  virtual std::shared_ptr<moment> brought() { return nullptr; }
  // Returns when no copy is in progress any more; never throws.
  virtual void give_up() noexcept {}

 protected:
  device& to_;
};

std::unique_ptr<peer_copy> peer_copy_to(device&);

}  // namespace upsweep
