// What mpirun starts: memory runs out in a process of a communicator, at each place where a call asks for some, once or
// for good. The call ends on all processes alike, with an error or the right result, and the next call is right.
//
//   memory_over_mpi              of each call in another process; only what the program asks for itself fails
//   memory_over_mpi --all        in every process
//   memory_over_mpi CALL AT      what MPI asks for fails, too, from the ATth on, in the first process. MPI may report
//                                that, of which this program ends, as it may die of it: then all do
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "tests/faults/faulty.h"
#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"
#include "upsweep/communicator/conformance/communicator_requests.hpp"
#include "upsweep/communicator/mpi.hpp"

namespace upsweep {
namespace {

using communicator_conformance::asked;
using communicator_conformance::numbers;

enum class outcome { right, refused, wrong };

class trial {
 public:
  trial(const communicator& g, const asked& what, int victim, bool mpi_may_fail = false)
      : g_(g), what_(what), victim_(victim), mpi_may_fail_(mpi_may_fail) {}

  bool is_wrong_from(long at) { return once(0, false) == outcome::wrong || once(at, true) == outcome::wrong; }

  // How often it was refused; -1: something is wrong, and was told.
  int all_places() {
    if (once(0, false) != outcome::right) return -1;
    long places = asked_for_;
    MPI_Bcast(&places, 1, MPI_LONG, victim_, MPI_COMM_WORLD);
    int refused = 0;
    for (long at = 1; at <= places + 2; at += 1 + at / 32)  // the first ones, and some of very many
      for (const bool and_all_after : {false, true}) {
        const outcome o = once(at, and_all_after);
        if (o == outcome::wrong) {
          std::fprintf(stderr, "rank %d: %s, rank %d, allocation %ld of %ld%s\n", g_.first(), what_.name, victim_, at,
                       places, and_all_after ? " and all after it" : "");
          return -1;
        }
        refused += o == outcome::refused;
      }
    if (g_.first() == 0)
      std::printf("%s, rank %d: %ld allocations, refused %d times\n", what_.name, victim_, places, refused);
    std::fflush(stdout);
    return refused;
  }

 private:
  const communicator& g_;
  const asked& what_;
  const int victim_;
  const bool mpi_may_fail_;
  const numbers whole_ =
      communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 5'003, 1);
  long asked_for_ = 0;
  numbers want_;

  // What is wrong with it is said.
  outcome call(distributed<std::uint32_t>& in, distributed<std::uint32_t>& out, numbers& host, long at,
               bool and_all_after) {
    std::string said;
    outcome o = outcome::right;
    if (g_.first() == victim_) faulty_arm(0, at, and_all_after);
    try {
      what_.call(g_, in, out, host);
    } catch (const std::bad_alloc&) {
      o = outcome::refused;
    } catch (const error& e) {
      o = e.why() == fault::out_of_memory ? outcome::refused : outcome::wrong;
      if (g_.first() == victim_) asked_for_ = faulty_disarm();
      said = e.what();
    }
    if (g_.first() == victim_) asked_for_ = faulty_disarm();
    if (mpi_may_fail_ && processes_are_gone()) throw std::runtime_error("MPI has failed: " + said);
    if (o == outcome::wrong) std::fprintf(stderr, "rank %d: %s\n", g_.first(), said.c_str());
    return o;
  }

  outcome once(long at, bool and_all_after) {
    auto in = distributed<std::uint32_t>::of(g_, whole_), out = distributed<std::uint32_t>::of(g_, whole_);
    numbers host(1);
    alarm(60);  // ranks that wait for ever
    int mine = static_cast<int>(call(in, out, host, at, and_all_after)), least = 0, most = 0;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (least != most)
      std::fprintf(stderr, "rank %d: its call ended as %d, others' from %d to %d\n", g_.first(), mine, least, most);
    if (least != most || most == static_cast<int>(outcome::wrong)) return outcome::wrong;
    if (static_cast<outcome>(mine) == outcome::refused) {
      in = distributed<std::uint32_t>::of(g_, whole_), out = distributed<std::uint32_t>::of(g_, whole_);
      host.assign(1, 0);
      what_.call(g_, in, out, host);
    }
    numbers result = in.gather(), outs = out.gather();
    result.insert(result.end(), outs.begin(), outs.end());
    result.insert(result.end(), host.begin(), host.end());
    alarm(0);
    if (want_.empty()) want_ = result;
    if (result != want_) std::fprintf(stderr, "rank %d: a wrong result\n", g_.first());
    return result == want_ ? static_cast<outcome>(mine) : outcome::wrong;
  }
};

int one_call(const std::string& name, long at) {
  const auto g = communicator::mpi(MPI_COMM_WORLD, context::cpu(1));
  for (const asked& what : communicator_conformance::calls_for_memory())
    if (what.name == name) return trial(g, what, 0, true).is_wrong_from(at);
  std::fprintf(stderr, "there is no call %s\n", name.c_str());
  return 1;
}

int all_calls(bool every_process) {
  const auto g = communicator::mpi(MPI_COMM_WORLD, context::cpu(1));
  faulty_only_of(reinterpret_cast<const void*>(faulty_only_of));  // this program, and C++'s library for it
  faulty_only_of(reinterpret_cast<const void*>(std::get_new_handler));
  int refused = 0, victim = 0;
  for (const asked& what : communicator_conformance::calls_for_memory())
    for (int i = 0; i < (every_process ? g.size() : 1); ++i) {
      const int times = trial(g, what, victim++ % g.size()).all_places();
      if (times < 0) return 1;
      refused += times;
    }
  return refused == 0;
}

}  // namespace
}  // namespace upsweep

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int status = 1;
  try {
    status = count > 2 ? upsweep::one_call(words[1], std::atol(words[2])) : upsweep::all_calls(count > 1);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  if (status != 0 || upsweep::processes_are_gone()) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}
