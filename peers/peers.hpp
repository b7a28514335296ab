// What others do on the same work: the standard library, oneTBB, OpenMP, OpenCV, FFTW, CUB, Thrust, NPP and cuDNN. For
// the bench alone; the library's own primitives call none of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "upsweep/core/catalog.hpp"

namespace upsweep::peers {

// The call itself, ready to be timed: works on the operands of any problem of the shape it was prepared for.
using prepared = std::function<void(const problem&)>;

struct peer {
  std::string name;     // "cub", "std-par-unseq": short, as the tables show it
  std::string version;  // "CUB 3.0.1"
  std::string note;     // what a reader must know to judge the figure
  backend where = backend::cpu;
  primitive what = primitive::reduce;
  bool (*takes)(const problem&) = nullptr;
  // Allocates beforehand what the call needs, so that the clock sees the work alone.
  prepared (*prepare)(device&, const problem&) = nullptr;
};

// Those this build and this processor can run.
const std::vector<peer>& all();

// What is off, and why: one sentence each.
const std::vector<std::string>& absent();

// The instruction sets that the CPU peers were compiled for, as the compiler names the processor; empty for the
// default.
std::string compiled_for();
// Whether this processor has them.
bool processor_fits();

// Each library lists its own.
void add_std(std::vector<peer>&);
void add_tbb(std::vector<peer>&);
void add_openmp(std::vector<peer>&);
void add_cub(std::vector<peer>&);
void add_thrust(std::vector<peer>&);
void add_cpu_sorts(std::vector<peer>&, std::vector<std::string>& absent);
void add_cub_sorts(std::vector<peer>&, std::vector<std::string>& absent);
void add_thrust_sorts(std::vector<peer>&);
void add_cpu_selections(std::vector<peer>&);
void add_cub_selections(std::vector<peer>&);
void add_cub_histograms(std::vector<peer>&);
void add_cub_segmented(std::vector<peer>&);
void add_npp(std::vector<peer>&, std::vector<std::string>& absent);
void add_cudnn(std::vector<peer>&, std::vector<std::string>& absent);
void add_thrust_selections(std::vector<peer>&);
void add_opencv(std::vector<peer>&);
void add_fftw(std::vector<peer>&);

}  // namespace upsweep::peers
