#include "upsweep/communicator/communicator_peer_copy.hpp"

#if UPSWEEP_WITH_CUDA
#include "upsweep/communicator/cuda/communicator_cuda_peer_copy.hpp"
#endif

namespace upsweep {

void peer_copy::bring(memory to, device& other, memory from, std::uint64_t bytes) {
  if (to_.kind() == backend::cpu) return other.download(to.address(), from, bytes);
  if (other.kind() == backend::cpu) return to_.upload(to, from.address(), bytes);
  const std::unique_ptr<char[]> host(new char[bytes]);
  other.download(host.get(), from, bytes);
  to_.upload(to, host.get(), bytes);
}

std::unique_ptr<peer_copy> peer_copy_to(device& d) {
#if UPSWEEP_WITH_CUDA
  if (d.kind() == backend::cuda) return cuda::peer_copy_to(d);
#endif
  return std::make_unique<peer_copy>(d);
}

}  // namespace upsweep
