// GPUs of several processes, one GPU each: elements go between them by NCCL, which is loaded at run time if found.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upsweep/communicator/communicator_route.hpp"

namespace upsweep {

// All ranks make each call. If a call fails on a rank, or lasts longer than gpu_link::patience, it throws
// message_route::ended there, and the link is closed.
class gpu_link {
 public:
  static constexpr double patience = 120;  // seconds

  virtual ~gpu_link() = default;
  // exchange::all_to_all; work enqueued on the device before it comes first.
  virtual std::vector<std::shared_ptr<moment>> all_to_all(std::span<const moved_memory> what,
                                                          std::span<const share> sent,
                                                          std::span<const share> received) = 0;
  // Returns when everything has been sent and received.
  virtual void settle() = 0;
  // Called when another rank is gone: neither the host nor the device waits for it any longer.
  virtual void abandon() = 0;
};

// The description of a rank's device by which all ranks decide whether they can be linked.
struct linkable {
  bool by_nccl = false;             // it is a CUDA GPU, and NCCL was found
  std::array<char, 16> gpu = {};    // no two ranks may have the same
  std::array<char, 128> name = {};  // the first rank's name of the link, which the others need to join it
};
linkable described_for_link(device&, bool names_link);
// All ranks call it at the same time, with the first rank's name. Null where they cannot be linked. `look` is called
// repeatedly while the link waits for other ranks: if it throws, the wait ends, and no link is made.
std::unique_ptr<gpu_link> linked(device&, const linkable& first, int rank, int size, std::function<void()> look);

// "2.28.9", or the reason why GPUs of several processes exchange through the host.
struct nccl_listing {
  bool usable = false;
  std::string description;
};
nccl_listing nccl_found();

}  // namespace upsweep
