#include "upsweep/conformance/occupying_kernels.hpp"

#if UPSWEEP_WITH_CROWD
#include "upsweep/cuda/cuda_device.hpp"
#endif

namespace upsweep {

crowd::crowd(const context& where, std::uint64_t seed) {
#if UPSWEEP_WITH_CROWD
  if (where.kind() == backend::cuda) {
    them_ = cuda::kernels_beside(cuda::of(where.device()).index(), seed);
    return;
  }
#endif
  (void)seed;
  throw error(fault::unsupported, where.name(), "kernels come and go beside what is tested on a CUDA GPU alone",
              "name one as the device, such as cuda:0");
}

crowd::~crowd() = default;

std::uint64_t crowd::kernels() const { return them_->started(); }
std::string crowd::failure() const { return them_->failure(); }

}  // namespace upsweep
