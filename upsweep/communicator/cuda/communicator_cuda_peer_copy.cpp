#include "upsweep/communicator/cuda/communicator_cuda_peer_copy.hpp"

#include <set>

#include "upsweep/communicator/cuda/communicator_side_stream.hpp"

namespace upsweep::cuda {

namespace {

// Lets `here` access the other GPU's memory where the driver can; its memory pool needs a grant of its own. Where the
// driver cannot, cudaMemcpyPeerAsync copies through the host.
void reach(const device& here, int other) {
  static std::mutex lock;
  static std::set<std::pair<int, int>> asked;
  const std::scoped_lock held(lock);
  if (here.index() == other || !asked.emplace(here.index(), other).second) return;
  int can = 0, has_pool = 0;
  check(cudaDeviceCanAccessPeer(&can, here.index(), other), "cuda: asking for peer access");
  if (!can) return;
  here.make_current();
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  cudaGetLastError();  // ignored: the caller may have enabled it already
  if (status != cudaErrorPeerAccessAlreadyEnabled) check(status, "cuda: enabling peer access");
  check(cudaDeviceGetAttribute(&has_pool, cudaDevAttrMemoryPoolsSupported, other), "cuda: enabling peer access");
  if (!has_pool) return;
  cudaMemPool_t pool{};
  check(cudaDeviceGetDefaultMemPool(&pool, other), "cuda: enabling peer access");
  const cudaMemAccessDesc both{.location = {.type = cudaMemLocationTypeDevice, .id = here.index()},
                               .flags = cudaMemAccessFlagsProtReadWrite};
  check(cudaMemPoolSetAccess(pool, &both, 1), "cuda: enabling peer access");
}

class side_stream_copy final : public upsweep::peer_copy {
 public:
  explicit side_stream_copy(device& d) : peer_copy(d), beside_(d) {}

  void after(moment& m) override { beside_.on().wait_for(m); }

  void bring(memory to, upsweep::device& other, memory from, std::uint64_t bytes) override {
    if (other.kind() != backend::cuda) return peer_copy::bring(to, other, from, bytes);
    const int there = of(other).index(), here = beside_.on().index();
    if (there == here) return beside_.on().copy(to, from, bytes);
    reach(beside_.on(), there);
    beside_.on().make_current();
    check(cudaMemcpyPeerAsync(to.address(), here, from.address(), there, bytes, beside_.on().stream()),
          "cuda: copying from another GPU");
  }

  std::shared_ptr<moment> brought() override { return beside_.on().record(); }
  void give_up() noexcept override { beside_.drain(); }

 private:
  side_stream beside_;
};

}  // namespace

std::unique_ptr<upsweep::peer_copy> peer_copy_to(upsweep::device& d) {
  return std::make_unique<side_stream_copy>(of(d));
}

}  // namespace upsweep::cuda
