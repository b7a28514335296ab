// Communicators of processes: one rank each, over MPI.
//
//   MPI_Init(&argc, &argv);                                              // and upsweep/communicator.hpp for the calls
//   {
//     const auto g = upsweep::communicator::mpi(MPI_COMM_WORLD, upsweep::context::cpu());
//     const auto x = upsweep::distributed<float>::from_blocks(g, mine);       // each process's part
//     const float sum = upsweep::reduce(g, x);                             // on every process
//   }
//   MPI_Finalize();
//
// The communicator is duplicated, so that its messages do not mix with the caller's. It must be destroyed before
// MPI_Finalize. Every process makes the same calls in the same order, each from one thread (MPI_THREAD_FUNNELED is
// enough). Destroying the communicator is a call, too: it waits for the other processes' next step, or until they
// destroy theirs. So a process that leaves by an exception ends the call that the others are in.
//
// Where a process dies, most launchers end all of them (mpirun at once). Under one that does not, a waiting process
// checks twice a second whether the processes of its host still run. If one does not, it throws fault::device_failure
// and names it, as it does for errors that MPI reports. MPI_Finalize may then wait for ever: if processes_are_gone(),
// call MPI_Abort instead. Only MPI can detect that a process of another host has died.
//
// Where every process has a GPU of its own, NCCL copies elements between them, if libnccl.so.2 is found on all;
// otherwise they go through the host.
//
// Only this header includes mpi.h: compile files that include it with MPI (find_package(MPI), mpicxx).
#pragma once

// Excludes MPI's old C++ bindings.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "upsweep/communicator/communicator_gpu_transport.hpp"
#include "upsweep/communicator/communicator_process_alive.hpp"
#include "upsweep/communicator/communicator_ranks.hpp"

namespace upsweep {

class mpi_route final : public message_route {
 public:
  explicit mpi_route(MPI_Comm comm) : message_route(rank_in(comm), size_of(comm)) {
    const auto ranks = static_cast<std::size_t>(size());
    processes_.resize(ranks), links_.resize(ranks), joined_.resize(ranks);
    leaving_at_.resize(ranks), coming_at_.resize(ranks), sizes_.resize(ranks), pending_.reserve(64);
    const running_process mine = this_process();
    sure(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    sure(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, processes_.data(), sizeof mine, MPI_BYTE, comm_), "MPI_Allgather");
  }
  ~mpi_route() override {
    int finalized = 0;
    if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized) return;
    leave();
    if (!any_gone()) MPI_Comm_free(&comm_);
  }

  // Whether a process of any communicator of this one is gone, or MPI has failed.
  static std::atomic<bool>& any_gone() {
    static std::atomic<bool> one{false};
    return one;
  }

 private:
  // MPI counts in int.
  static constexpr std::uint64_t piece = std::uint64_t{1} << 30;

  static int rank_in(MPI_Comm comm) {
    int there = 0, rank = 0;
    if (MPI_Initialized(&there) != MPI_SUCCESS || !there)
      core::throw_error(
          error(fault::bad_argument, "communicator::mpi", "MPI is not initialised", "call MPI_Init first"));
    sure(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
  }
  static int size_of(MPI_Comm comm) {
    int size = 1;
    sure(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    return size;
  }

  static void sure(int answer, const char* what) {
    if (answer == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING + 1] = {};
    int length = 0;
    MPI_Error_string(answer, text, &length);
    throw_ended(fault::device_failure, what, text, "check that all processes are running");
  }
  // As sure(), during an exchange: after an error no rank is waited for any more.
  void must(int answer, const char* what) {
    if (answer != MPI_SUCCESS) give_up_on(size());
    sure(answer, what);
  }

  // Marks a rank as gone, or with size() all of them: neither the host nor a GPU waits for it from now on.
  void give_up_on(int rank) {
    lose(rank), any_gone() = true;
    if (link_) link_->abandon();
  }

  void carry_to_all(const void* mine, void* all, std::uint64_t bytes) override {
    if (bytes <= piece / static_cast<std::uint64_t>(size())) {
      MPI_Request pending{};
      must(MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, comm_,
                          &pending),
           "MPI_Iallgather");
      return wait({&pending, 1});
    }
    std::ranges::fill(sizes_, bytes);
    pairwise([&](int) { return static_cast<const char*>(mine); }, sizes_, all, sizes_);
  }

  void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
             std::span<const std::uint64_t> received) override {
    for (std::size_t r = 1; r < sent.size(); ++r) leaving_at_[r] = leaving_at_[r - 1] + sent[r - 1];
    pairwise([&](int r) { return static_cast<const char*>(from) + leaving_at_[static_cast<std::size_t>(r)]; }, sent, to,
             received);
  }

  std::vector<std::shared_ptr<moment>> carry_between_devices(device& on, std::span<const moved_memory> what,
                                                             std::span<const share> sent,
                                                             std::span<const share> received) override {
    if (!asked_for_link_) {
      link_ = link_between(on);
      asked_for_link_ = true;
    }
    return link_ ? link_->all_to_all(what, sent, received)
                 : message_route::carry_between_devices(on, what, sent, received);
  }
  void settle() override {
    if (link_) link_->settle();
  }

  // Null where one of the ranks has no GPU of its own, or no NCCL.
  std::unique_ptr<gpu_link> link_between(device& on) {
    const linkable mine = described_for_link(on, rank() == 0);
    const std::vector<linkable>& all = links_;
    carry_to_all(&mine, links_.data(), sizeof mine);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (!all[r].by_nccl) return nullptr;
      for (std::size_t other = 0; other < r; ++other)
        if (all[other].gpu == all[r].gpu) return nullptr;
    }
    // Null where linking fails on any rank: then all of them go through the host.
    std::unique_ptr<gpu_link> link =
        linked(on, all[0], rank(), size(), [this, looked = std::chrono::steady_clock::time_point{}]() mutable {
          look_after(std::chrono::steady_clock::now(), looked);
        });
    const char joined = link != nullptr;
    carry_to_all(&joined, joined_.data(), 1);
    if (std::ranges::count(joined_, 0) != 0) link = nullptr;
    return link;
  }

  // MPI's own wait occupies a processor the whole time, which another rank may need to make progress.
  void wait(std::span<MPI_Request> pending) {
    using clock = std::chrono::steady_clock;
    clock::time_point began, looked;
    for (int asked = 0, done = 0;; ++asked) {
      must(MPI_Testall(static_cast<int>(pending.size()), pending.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
      if (asked < 200) continue;
      const clock::time_point now = clock::now();
      if (asked == 200) began = looked = now;
      look_after(now, looked);
      if (now - began < std::chrono::milliseconds(5))
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  // Checks, twice a second at most, whether the other processes of this host still run. A process that leaves normally
  // reports that in a small message before it ends, so that no rank waits for it.
  void look_after(std::chrono::steady_clock::time_point now, std::chrono::steady_clock::time_point& looked) {
    if (now - looked < std::chrono::milliseconds(500)) return;
    looked = now;
    for (int r = 0; r < size(); ++r) {
      const running_process& one = processes_[static_cast<std::size_t>(r)];
      if (r == rank() || is_there(one)) continue;
      give_up_on(r);
      throw_ended(fault::device_failure, "communicator::mpi",
                  "rank " + std::to_string(r) + " of " + std::to_string(size()) + ", process " +
                      std::to_string(one.number) + ", is gone",
                  "find the reason, and start all processes again");
    }
  }

  // In rounds: sends to the rank `shift` after this one, receives from the one `shift` before, in pieces whose size
  // fits an int.
  template <class Place>
  void pairwise(const Place& place, std::span<const std::uint64_t> sent, void* to,
                std::span<const std::uint64_t> received) {
    const std::span<std::uint64_t> first(coming_at_);
    for (std::size_t r = 1; r < first.size(); ++r) first[r] = first[r - 1] + received[r - 1];
    const auto me = static_cast<std::size_t>(rank());
    if (sent[me]) std::memcpy(static_cast<char*>(to) + first[me], place(rank()), sent[me]);
    std::vector<MPI_Request>& pending = pending_;
    for (int shift = 1; shift < size(); ++shift) {
      const int next = (rank() + shift) % size(), before = (rank() + size() - shift) % size();
      const auto n = static_cast<std::size_t>(next), b = static_cast<std::size_t>(before);
      pending.clear();
      for (std::uint64_t at = 0; at < received[b]; at += piece)
        must(MPI_Irecv(static_cast<char*>(to) + first[b] + at, static_cast<int>((std::min)(piece, received[b] - at)),
                       MPI_BYTE, before, 0, comm_, &pending.emplace_back()),
             "MPI_Irecv");
      for (std::uint64_t at = 0; at < sent[n]; at += piece)
        must(MPI_Isend(place(next) + at, static_cast<int>((std::min)(piece, sent[n] - at)), MPI_BYTE, next, 0, comm_,
                       &pending.emplace_back()),
             "MPI_Isend");
      wait(pending);
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  // Allocated beforehand, since the others wait for the transfer. The begin of each rank's bytes, in both buffers; [0]
  // is 0.
  std::vector<std::uint64_t> leaving_at_, coming_at_, sizes_;
  std::vector<MPI_Request> pending_;  // capacity for 32 GiB to a rank
  std::vector<linkable> links_;
  std::vector<char> joined_;
  std::vector<running_process> processes_;
  bool asked_for_link_ = false;
  std::unique_ptr<gpu_link> link_;
};

// Whether MPI_Finalize might wait for a process that has died; call MPI_Abort instead then.
inline bool processes_are_gone() { return mpi_route::any_gone(); }

template <class Communicator>
communicator communicator::mpi(Communicator comm, context where) {
  return through(std::make_unique<mpi_route>(comm), std::move(where));
}

}  // namespace upsweep
