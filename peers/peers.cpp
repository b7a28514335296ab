#include "peers/peers.hpp"

#include "peers/instruction_sets.hpp"

namespace upsweep::peers {

// The CPU peers are compiled for the processor that built them, as their users would compile them; elsewhere they may
// not run.
bool processor_fits() {
#if defined(__x86_64__) || defined(__i386__)
  return (!needed.avx2 || __builtin_cpu_supports("avx2")) && (!needed.avx512 || __builtin_cpu_supports("avx512f"));
#else
  return true;
#endif
}

namespace {

struct registry {
  std::vector<peer> present;
  std::vector<std::string> absent;

  registry() {
    if (processor_fits()) {
      add_std(present);
      add_tbb(present);
      add_cpu_sorts(present, absent);
      add_cpu_selections(present);
      add_cpu_sets(present);
      add_cpu_transforms(present);
      add_cpu_rearrangements(present);
      add_cpu_axes(present);
      add_cpu_vector_sums(present);
      add_cpu_searches(present);
      add_cpu_compactions(present);
#if UPSWEEP_WITH_OPENMP
      add_openmp(present);
#else
      absent.push_back("OpenMP: the compiler has none");
#endif
#if UPSWEEP_WITH_OPENCV
      add_opencv(present);
#else
      absent.push_back("OpenCV: this build found none (libopencv-dev)");
#endif
#if UPSWEEP_WITH_FFTW
      add_fftw(present);
#else
      absent.push_back("FFTW: this build found none (libfftw3-dev)");
#endif
    } else {
      absent.push_back("std, oneTBB and OpenMP: they were compiled for a processor (" + compiled_for() +
                       ") whose instructions this one lacks; build with -DUPSWEEP_PEERS_NATIVE=OFF");
    }
#if UPSWEEP_WITH_GPU_PEERS
    toolkit::add_cub(present, absent);
#if UPSWEEP_WITH_CCCL_CHECKOUT
    checkout::add_cub(present, absent);
#else
    absent.push_back("of another CUB than the toolkit's: -DUPSWEEP_CCCL_DIR=FOLDER takes a checkout of CCCL");
#endif
    add_thrust(present);
    add_thrust_sorts(present);
    add_npp(present, absent);
    add_cudnn(present, absent);
    add_thrust_selections(present);
#elif UPSWEEP_WITH_CUDA
    absent.push_back("CUB, Thrust, NPP and cuDNN: this build left them out (-DUPSWEEP_GPU_PEERS=ON compiles them)");
#else
    absent.push_back("CUB, Thrust, NPP and cuDNN: this build has no CUDA");
#endif
  }
};

const registry& peers() {
  static const registry r;
  return r;
}

}  // namespace

const std::vector<peer>& all() { return peers().present; }
const std::vector<std::string>& absent() { return peers().absent; }
std::string compiled_for() { return UPSWEEP_PEERS_MARCH; }

}  // namespace upsweep::peers
