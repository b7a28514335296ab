// What others do on the same work: the standard library, oneTBB, OpenMP, OpenCV, FFTW, CUB, Thrust, NPP and cuDNN. For
// the bench alone; the library's own primitives call none of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "upsweep/core/catalog.hpp"

namespace upsweep::peers {

// The call itself, ready to be timed: works on the operands of any problem of the shape it was prepared for.
template <class P>
using prepared_for = std::function<void(const P&)>;
using prepared = prepared_for<problem>;

// A peer of one algorithm, on the problems of that algorithm.
template <class P>
struct peer_for {
  std::string name;     // "cub", "std-par-unseq": short, as the tables show it
  std::string version;  // "CUB 3.0.1"
  std::string note;     // what a reader must know to judge the figure
  backend where = backend::cpu;
  decltype(P::what) what{};
  bool (*takes)(const P&) = nullptr;  // asked about problems of `what`
  // Allocates beforehand what the call needs, so that the clock sees the work alone.
  prepared_for<P> (*prepare)(device&, const P&) = nullptr;
  // Peers of one name and version that differ in this are one peer as its caller may choose to call it: the bench times
  // all of them, and holds us against the fastest.
  std::string setting = {};
};

// The same with the problem's type erased: what the bench walks.
struct peer {
  template <class P>
  peer(const peer_for<P>&);

  std::string name, version, note, setting;
  backend where = backend::cpu;
  primitive what;
  std::function<bool(const problem&)> takes;  // not called for another algorithm
  std::function<prepared(device&, const problem&)> prepare;
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
void add_thrust(std::vector<peer>&);
void add_cpu_sorts(std::vector<peer>&, std::vector<std::string>& absent);
void add_thrust_sorts(std::vector<peer>&);
void add_cpu_selections(std::vector<peer>&);
void add_cpu_sets(std::vector<peer>&);
void add_cpu_transforms(std::vector<peer>&);
void add_cpu_rearrangements(std::vector<peer>&);
void add_cpu_axes(std::vector<peer>&);
void add_cpu_vector_sums(std::vector<peer>&);
void add_cpu_searches(std::vector<peer>&);
void add_cpu_compactions(std::vector<peer>&);
void add_npp(std::vector<peer>&, std::vector<std::string>& absent);
void add_cudnn(std::vector<peer>&, std::vector<std::string>& absent);
void add_thrust_selections(std::vector<peer>&);
void add_opencv(std::vector<peer>&);
void add_fftw(std::vector<peer>&);
// CUB as the toolkit has it, and as a checkout of CCCL does (peers/cub.hpp).
namespace toolkit {
void add_cub(std::vector<peer>&, std::vector<std::string>& absent);
}
namespace checkout {
void add_cub(std::vector<peer>&, std::vector<std::string>& absent);
}

template <class P>
peer::peer(const peer_for<P>& p)
    : name(p.name), version(p.version), note(p.note), setting(p.setting), where(p.where), what(p.what) {
  takes = [f = p.takes](const problem& q) {
    const P* own = q.get_if<P>();
    return own && f(*own);
  };
  prepare = [f = p.prepare](device& d, const problem& shape) -> prepared {
    return [call = f(d, shape.as<P>())](const problem& q) { call(q.as<P>()); };
  };
}

}  // namespace upsweep::peers
