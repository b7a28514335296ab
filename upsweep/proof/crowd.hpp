// Kernels that have nothing to do with what is tested come and go on a device meanwhile: of random grids, block sizes
// and shared memory, each block asleep or busy for a random time, on streams of their own, some of them before all
// others in line. So the blocks of what is tested start late, in odd orders and few at a time, as a look-back must
// bear. It takes no memory beside that of its streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "upsweep/context.hpp"

namespace upsweep {

class crowd {
 public:
  // From now on, until it is destroyed: within the time that the longest kernel takes, 10 ms or so. Throws
  // fault::unsupported on a device without CUDA and on the lens, whose blocks have no neighbours.
  crowd(const context& where, std::uint64_t seed);
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd();

  // How many kernels it has started so far.
  std::uint64_t kernels() const;
  // What a launch said, if one failed: then no more come. It may tell of what another kernel of the process did.
  std::string failure() const;

  class kernels_beside;  // a backend's

 private:
  std::unique_ptr<kernels_beside> them_;
};

class crowd::kernels_beside {
 public:
  virtual ~kernels_beside() = default;
  virtual std::uint64_t started() const = 0;
  virtual std::string failure() const = 0;
};

namespace cuda {
std::unique_ptr<crowd::kernels_beside> kernels_beside(int device, std::uint64_t seed);
}

}  // namespace upsweep
