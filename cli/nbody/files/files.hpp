// Bodies from files, trajectories to files, and checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/nbody/motion.hpp"

// The first bytes select the format: HDF5 (Gadget's PartType0 to PartType5), .npy of n rows, TIPSY of either byte
// order, else CSV. Rows of .npy, and of CSV without names, are x y z vx vy vz mass; with six columns masses are 1/n,
// and four columns are x y z mass. The first row of a CSV file may name its columns, x, y, z, vx, vy, vz, mass (or m),
// in any order; z and the velocities are optional. The values of a file have any units; the scene's time step,
// softening and size are derived from them.
upsweep::nbody::scene read_bodies(const std::string& path, std::uint64_t memory, double gravity);

// Writes frames one by one, on a thread of its own.
class nbody_taker {
 public:
  virtual ~nbody_taker() = default;
  virtual void take(const nbody_shot&) = 0;
  virtual void finish() = 0;             // until then there is no output file
  virtual std::string what() const = 0;  // "501 steps to x.npy"
};

// By the extension: .npy (steps, bodies, 3), .h5 or .hdf5 (positions, time, step, mass), .json.
std::unique_ptr<nbody_taker> open_trajectory(const std::string& path, const std::vector<double>& masses,
                                             upsweep::dtype);

// The bodies of a checkpoint, and the state needed to continue.
struct nbody_checkpoint {
  std::string name, units;
  double reach = 1, duration = 1;
  std::vector<upsweep::nbody::look> looks;
  upsweep::dtype type = upsweep::dtype::f32;
  nbody_ledger ledger;
  std::vector<std::byte> motion;
};
void write_checkpoint(const std::string& path, const nbody_checkpoint&);
nbody_checkpoint read_checkpoint(const std::string& path);

// For the HDF5 file's own source.
namespace nbody_hdf5 {
extern const bool have;
upsweep::nbody::scene read(const std::string& path, std::uint64_t memory);
std::unique_ptr<nbody_taker> open_trajectory(const std::string& path, const std::vector<double>& masses,
                                             upsweep::dtype);
}  // namespace nbody_hdf5
