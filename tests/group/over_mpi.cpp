// What mpirun starts: every call of a communicator against one device, a process a rank; or one way to fail.
//
//   over_mpi ELEMENTS [STEP]   the walk, by every STEP-th shape of parts
//   over_mpi --bodies N        accelerations and motion of so many bodies against one device
//   over_mpi --drawn SEED FIRST COUNT   calls drawn at random (communicator/conformance/communicator_random.hpp)
//   over_mpi --start           a reduce, and all ranks' names to all
//   over_mpi --killed RANK     that process ends by a signal in the midst of calls: sort, scan and bodies, on and on
//   over_mpi --leaving RANK    that process throws between two calls, while the others make one
//   over_mpi --disorder        processes make different calls
//   over_mpi --bench ELEMENTS  the least times of some calls, and those of one process with as many threads
//
// UPSWEEP_GROUP_GPUS=2: the walk by GPUs, process r with GPU r modulo 2.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"
#include "upsweep/communicator/conformance/communicator_random.hpp"
#include "upsweep/communicator/mpi.hpp"

namespace upsweep {
namespace {

int walked(const communicator& g, std::uint64_t most, std::size_t step) {
  const auto j = communicator_conformance::walk(g, most, g.where().kind() == backend::cpu, step);
  for (const std::string& wrong : j.found()) std::fprintf(stderr, "rank %d: %s\n", g.first(), wrong.c_str());
  if (j.asked() < 100) std::fprintf(stderr, "rank %d: only %d results were looked at\n", g.first(), int(j.asked()));
  if (g.first() == 0) std::printf("%d ranks: %d results, %d wrong\n", g.size(), int(j.asked()), int(j.found().size()));
  return j.found().empty() && j.asked() >= 100 ? 0 : 1;
}

int with_bodies(const communicator& g, std::uint64_t n) {
  const auto j = communicator_conformance::walk_bodies(g, n, true, true);
  for (const std::string& wrong : j.found()) std::fprintf(stderr, "rank %d: %s\n", g.first(), wrong.c_str());
  if (g.first() == 0)
    std::printf("%d ranks: %d results of bodies, %d wrong\n", g.size(), int(j.asked()), int(j.found().size()));
  return j.found().empty() && j.asked() >= 100 ? 0 : 1;
}

int drawn(const communicator& g, std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const auto r =
      communicator_conformance::check_calls({&g, 1}, {.seed = seed, .first = first, .count = count, .max_n = 5000});
  for (const std::string& wrong : r.wrong) std::fprintf(stderr, "rank %d: %s\n", g.first(), wrong.c_str());
  if (g.first() == 0)
    std::printf("%d ranks: %d calls in %d cases drawn, %d wrong\n", g.size(), int(r.calls), int(r.cases),
                int(r.failed));
  return r.failed == 0 && r.cases == count ? 0 : 1;
}

int started(const communicator& g) {
  const auto n = static_cast<std::uint32_t>(g.size());
  std::vector<std::uint32_t> mine(static_cast<std::size_t>(g.first() % 3), 1);  // none, one or two
  auto x = distributed<std::uint32_t>::from_blocks(g, mine);
  std::uint32_t want = 0;
  for (std::uint32_t r = 0; r < n; ++r) want += r % 3;
  auto keys = distributed<std::uint32_t>::of(
      g, communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::falling, 100, 1));
  sort(g, keys);
  const bool right = reduce(g, x) == want && is_sorted(context::cpu(1), keys.gather());
  if (g.first() == 0) std::printf("%u ranks started\n", n);
  return right ? 0 : 1;
}

// Whenever it comes: a thread of its own ends the process some time into the calls.
int killed(const communicator& g, int who) {
  const std::uint64_t n = 300'000;
  const auto x = distributed<std::uint32_t>::of(
      g, communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, n, 1));
  auto y = distributed<std::uint32_t>::even(g, n);
  nbody::bodies<float> b;
  b.resize(4000);
  for (std::size_t i = 0; i < b.size(); ++i) b.x[i] = static_cast<float>(i), b.mass[i] = 1;
  nbody::distributed_simulation<float> s(g, b, {.softening = 0.1, .method = nbody::method::barnes_hut});
  std::jthread soon;
  if (g.first() == who)
    soon = std::jthread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::raise(SIGKILL);
    });
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(100))
    sort(g, x, y), inclusive_scan(g, y, y), s.step(1);
  std::printf("the calls ended well\n");
  return 0;
}

struct no_luck : std::runtime_error {
  using std::runtime_error::runtime_error;
};

int leaving(const communicator& g, int who) {
  auto x = distributed<float>::even(g, 1000);
  if (g.first() == who) throw no_luck("it had none");
  const std::string want =
      "rank " + std::to_string(who) + " of " + std::to_string(g.size()) + " has left the communicator";
  int wrong = 0;
  for (int again = 0; again < 2; ++again) {  // no later call waits for it, either
    std::string said = "nothing was thrown";
    try {
      sort(g, x);
    } catch (const error& e) {
      said = e.what();
    }
    if (said.find(want) != std::string::npos) continue;
    std::fprintf(stderr, "rank %d: %s\n", g.first(), said.c_str());
    wrong = 1;
  }
  return wrong;
}

int in_disorder(const communicator& g) {
  auto x = distributed<float>::even(g, 1000);
  try {
    if (g.first() == 0) {
      reduce(g, x);
    } else {
      sort(g, x);
    }
  } catch (const error& e) {
    const bool right = std::strstr(e.what(), "is in reduce and rank 1 in sort; make the same calls") != nullptr;
    if (!right) std::fprintf(stderr, "rank %d: %s\n", g.first(), e.what());
    return right ? 0 : 1;
  }
  std::fprintf(stderr, "rank %d: nothing was thrown\n", g.first());
  return 1;
}

// The least of some seconds that the call takes: all ranks together, and the first alone with as many threads.
double seconds_of(const std::function<void()>& call, const communicator* g) {
  double least = 1e9;
  for (int i = 0; i < 15; ++i) {
    if (g) g->for_each_rank("start", [](communicator_rank& m) { m.route().barrier(); });
    const auto start = std::chrono::steady_clock::now();
    call();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}
void timed(const communicator& g, const char* what, const std::function<void()>& call,
           const std::function<void()>& alone = nullptr) {
  double one = 0;
  if (alone && g.first() == 0) one = seconds_of(alone, nullptr);
  const double all = seconds_of(call, &g);
  if (g.first() != 0) return;
  std::printf("%-24s %9.3f ms", what, all * 1e3);
  if (alone) std::printf("   one process, %d threads: %9.3f ms   ratio %.2f", g.size(), one * 1e3, all / one);
  std::printf("\n");
}

int benched(const communicator& g, std::uint64_t n) {
  const auto whole = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, n, 1);
  const auto x = distributed<std::uint32_t>::of(g, whole);
  auto y = distributed<std::uint32_t>::even(g, n);
  const context one = context::cpu(g.size());
  std::vector<std::uint32_t> out(n);
  std::vector<std::uint64_t> counts(256);
  const std::int64_t end = std::int64_t{1} << 32;
  timed(g, "sort", [&] { sort(g, x, y); }, [&] { sort(one, whole, out); });
  timed(g, "inclusive_scan", [&] { inclusive_scan(g, x, y); }, [&] { inclusive_scan(one, whole, out); });
  timed(g, "reduce", [&] { reduce(g, x); }, [&] { reduce(one, whole); });
  timed(
      g, "histogram, 256 bins", [&] { histogram(g, x, counts, 0, end); },
      [&] { histogram(one, whole, counts, 0, end); });
  auto kept = distributed<std::uint32_t>::even(g, 0);
  const auto test = less_than(1u << 31);
  timed(g, "copy_if", [&] { copy_if(g, x, kept, test); }, [&] { copy_if(one, whole, out, test); });
  timed(g, "8 bytes to all",
        [&] { g.for_each_rank("exchange", [](communicator_rank& m) { m.all(std::uint64_t{1}); }); });
  timed(g, "a part to the next", [&] {
    g.for_each_rank("exchange", [&](communicator_rank& m) {
      const auto part = x.part(m.local_rank());
      const auto p = static_cast<std::size_t>(m.size()), me = static_cast<std::size_t>(m.rank());
      std::vector<std::uint64_t> sent(p), received(p);
      sent[(me + 1) % p] = part.size();
      received[(me + p - 1) % p] = x.size_of(static_cast<int>((me + p - 1) % p));
      const auto to = m.scratch<std::uint32_t>("bench/next", received[(me + p - 1) % p]);
      m.all_to_all(part, sent, to, received);
    });
  });
  return 0;
}

int begun(int count, char** words) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const gpus = std::getenv("UPSWEEP_GROUP_GPUS");
  const auto g =
      communicator::mpi(MPI_COMM_WORLD, gpus ? context::cuda(rank % std::max(std::atoi(gpus), 1)) : context::cpu(1));
  const std::string word = count > 1 ? words[1] : "1000";
  const auto number = [&] { return count > 2 ? std::strtoull(words[2], nullptr, 10) : 0; };
  if (word == "--bodies") return with_bodies(g, number());
  if (word == "--drawn" && count > 4)
    return drawn(g, number(), std::strtoull(words[3], nullptr, 10), std::strtoull(words[4], nullptr, 10));
  if (word == "--start") return started(g);
  if (word == "--killed") return killed(g, static_cast<int>(number()));
  if (word == "--leaving") return leaving(g, static_cast<int>(number()));
  if (word == "--disorder") return in_disorder(g);
  if (word == "--bench") return benched(g, number());
  return walked(g, std::strtoull(word.c_str(), nullptr, 10), count > 2 ? number() : 1);
}

}  // namespace
}  // namespace upsweep

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int status = 1;
  try {
    status = upsweep::begun(count, words);
  } catch (const upsweep::no_luck&) {
    status = 0;  // what it was asked for
  } catch (const std::exception& e) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
  }
  if (upsweep::processes_are_gone()) MPI_Abort(MPI_COMM_WORLD, status);
  MPI_Finalize();
  return status;
}
