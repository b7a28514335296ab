// Unrelated kernels that run on a device during a test: with random grids, block sizes and shared memory. Each block
// sleeps or is busy for a random time, on separate streams, some of which have the highest priority. So the blocks of
// the tested kernel start late, in odd orders and few at a time, and a look-back must work all the same. The streams
// are the only memory that this takes.
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
  // The error of a launch, if one failed; then no more kernels are launched. Another kernel of the process may have
  // caused the error.
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
