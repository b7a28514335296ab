// Memory of other devices of this process brought into a device's own.
#pragma once

#include <memory>

#include "upsweep/core/device.hpp"

namespace upsweep {

// Between CUDA GPUs a copy is enqueued beside the device's own work, over NVLink or PCIe where the driver lets one GPU
// reach the other's memory; otherwise it goes by way of the host, and is done when bring returns.
class pull {
 public:
  explicit pull(device& to) : to_(to) {}
  pull(const pull&) = delete;
  pull& operator=(const pull&) = delete;
  virtual ~pull() = default;

  // What is brought from now on comes after `m`.
  virtual void after(moment& m) { m.wait(); }
  virtual void bring(memory to, device& other, memory from, std::uint64_t bytes);
  // When all that bring was asked for so far is there; null where it is.
  virtual std::shared_ptr<moment> brought() { return nullptr; }
  // Returns when nothing is under way any more; throws nothing.
  virtual void give_up() noexcept {}

 protected:
  device& to_;
};

std::unique_ptr<pull> pull_to(device&);

}  // namespace upsweep
