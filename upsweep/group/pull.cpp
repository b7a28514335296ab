#include "upsweep/group/pull.hpp"

#if UPSWEEP_WITH_CUDA
#include "upsweep/group/cuda/pull.hpp"
#endif

namespace upsweep {

void pull::bring(memory to, device& other, memory from, std::uint64_t bytes) {
  if (to_.kind() == backend::cpu) return other.download(to.address(), from, bytes);
  if (other.kind() == backend::cpu) return to_.upload(to, from.address(), bytes);
  const std::unique_ptr<char[]> host(new char[bytes]);
  other.download(host.get(), from, bytes);
  to_.upload(to, host.get(), bytes);
}

std::unique_ptr<pull> pull_to(device& d) {
#if UPSWEEP_WITH_CUDA
  if (d.kind() == backend::cuda) return cuda::pull_to(d);
#endif
  return std::make_unique<pull>(d);
}

}  // namespace upsweep
