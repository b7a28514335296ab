// GPUs of several processes, a GPU each: elements go between them by NCCL, which is found when a program runs.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upsweep/group/exchange.hpp"

namespace upsweep {

// Of one call of all members each. What ends one of them on a member, or lasts longer than gpu_link::patience, is
// thrown as exchange::ended there, and the link is no more.
class gpu_link {
 public:
  static constexpr double patience = 120;  // seconds

  virtual ~gpu_link() = default;
  // exchange::all_to_all; what is enqueued on the device comes before it.
  virtual std::vector<std::shared_ptr<moment>> all_to_all(std::span<const moved_memory> what,
                                                          std::span<const share> sent,
                                                          std::span<const share> received) = 0;
  // Returns when all of it has been sent and has come.
  virtual void settle() = 0;
  // Another member is no more: nothing waits for it any longer, on the device either.
  virtual void abandon() = 0;
};

// What a member says of its device, so that all of them know whether they can be linked.
struct linkable {
  bool by_nccl = false;             // it is a CUDA GPU, and NCCL is there
  std::array<char, 16> gpu = {};    // no two members may have the same
  std::array<char, 128> name = {};  // a link's, of its first member: what the others need to join it
};
linkable described_for_link(device&, bool names_link);
// All members call it at the same time, with the first one's name. Throws exchange::ended. `look` is called again and
// again while the link waits for other members: what it throws ends that, and the link.
std::unique_ptr<gpu_link> linked(device&, const linkable& first, int rank, int size, std::function<void()> look);

// "2.28.9", or why GPUs of several processes go by way of the host.
struct nccl_listing {
  bool usable = false;
  std::string description;
};
nccl_listing nccl_found();

}  // namespace upsweep
