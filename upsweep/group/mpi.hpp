// Groups of processes: one member each, over MPI.
//
//   MPI_Init(&argc, &argv);                                              // and upsweep/group.hpp for the calls
//   {
//     const auto g = upsweep::group::mpi(MPI_COMM_WORLD, upsweep::context::cpu());
//     const auto x = upsweep::distributed<float>::of_parts(g, mine);       // each process's own part
//     const float sum = upsweep::reduce(g, x);                             // on every process
//   }
//   MPI_Finalize();
//
// The communicator is duplicated, so that messages of the caller's own do not meet the group's; the group has to be
// gone before MPI_Finalize. Every process makes the same calls in the same order, each from one thread
// (MPI_THREAD_FUNNELED is enough). What MPI reports, a process that is gone among it, is thrown as
// fault::device_failure; what mpirun does where a process dies (most end all of them) stays as it is.
//
// Where every process has a GPU of its own, elements go between them by NCCL, if libnccl.so.2 is found on all; else by
// way of the host.
//
// This header alone includes mpi.h: compile what includes it with MPI (find_package(MPI), mpicxx).
#pragma once

// MPI's C++ bindings of old are not asked for.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "upsweep/group/gpus.hpp"
#include "upsweep/group/members.hpp"

namespace upsweep {

class mpi_exchange final : public exchange {
 public:
  explicit mpi_exchange(MPI_Comm comm) : exchange(rank_in(comm), size_of(comm)) {
    sure(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~mpi_exchange() override {
    int over = 0;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over) MPI_Comm_free(&comm_);
  }

 private:
  // MPI counts in int.
  static constexpr std::uint64_t piece = std::uint64_t{1} << 30;

  static int rank_in(MPI_Comm comm) {
    int there = 0, rank = 0;
    if (MPI_Initialized(&there) != MPI_SUCCESS || !there)
      throw error(fault::bad_argument, "group::mpi", "MPI is not initialised", "call MPI_Init first");
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
    throw ended(fault::device_failure, what, text, "see whether every process is still there");
  }

  void carry_to_all(const void* mine, void* all, std::uint64_t bytes) override {
    if (bytes <= piece / static_cast<std::uint64_t>(size())) {
      MPI_Request pending{};
      sure(MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, comm_,
                          &pending),
           "MPI_Iallgather");
      return wait({&pending, 1});
    }
    const std::vector<std::uint64_t> each(static_cast<std::size_t>(size()), bytes);
    pairwise([&](int) { return static_cast<const char*>(mine); }, each, all, each);
  }

  void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
             std::span<const std::uint64_t> received) override {
    std::vector<std::uint64_t> first(sent.size());
    for (std::size_t r = 1; r < sent.size(); ++r) first[r] = first[r - 1] + sent[r - 1];
    pairwise([&](int r) { return static_cast<const char*>(from) + first[static_cast<std::size_t>(r)]; }, sent, to,
             received);
  }

  std::vector<std::shared_ptr<moment>> carry_between_devices(device& on, std::span<const moved_memory> what,
                                                             std::span<const share> sent,
                                                             std::span<const share> received) override {
    if (!asked_for_link_) {
      link_ = link_between(on);
      asked_for_link_ = true;
    }
    return link_ ? link_->all_to_all(what, sent, received) : exchange::carry_between_devices(on, what, sent, received);
  }
  void settle() override {
    if (link_) link_->settle();
  }

  // Null where one of the members has no GPU of its own, or no NCCL.
  std::unique_ptr<gpu_link> link_between(device& on) {
    const linkable mine = described_for_link(on, rank() == 0);
    std::vector<linkable> all(static_cast<std::size_t>(size()));
    carry_to_all(&mine, all.data(), sizeof mine);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (!all[r].by_nccl) return nullptr;
      for (std::size_t other = 0; other < r; ++other)
        if (all[other].gpu == all[r].gpu) return nullptr;
    }
    std::unique_ptr<gpu_link> link;
    try {
      link = linked(on, all[0], rank(), size());
    } catch (const error&) {
      // Then all of them go by way of the host.
    }
    const char joined = link != nullptr;
    std::vector<char> who_joined(all.size());
    carry_to_all(&joined, who_joined.data(), 1);
    if (std::ranges::count(who_joined, 0) != 0) link = nullptr;
    return link;
  }

  // MPI's own waiting takes a processor for as long as it lasts, which another member may need to get on.
  static void wait(std::span<MPI_Request> pending) {
    for (int asked = 0, done = 0;; ++asked) {
      sure(MPI_Testall(static_cast<int>(pending.size()), pending.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) return;
      if (asked > 20'000) {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      } else if (asked > 200) {
        std::this_thread::yield();
      }
    }
  }

  // In rounds: to the member `shift` behind, from the one `shift` before, in pieces that MPI can count.
  template <class Place>
  void pairwise(const Place& place, std::span<const std::uint64_t> sent, void* to,
                std::span<const std::uint64_t> received) {
    std::vector<std::uint64_t> first(received.size());
    for (std::size_t r = 1; r < first.size(); ++r) first[r] = first[r - 1] + received[r - 1];
    const auto me = static_cast<std::size_t>(rank());
    if (sent[me]) std::memcpy(static_cast<char*>(to) + first[me], place(rank()), sent[me]);
    std::vector<MPI_Request> pending;
    for (int shift = 1; shift < size(); ++shift) {
      const int next = (rank() + shift) % size(), before = (rank() + size() - shift) % size();
      const auto n = static_cast<std::size_t>(next), b = static_cast<std::size_t>(before);
      pending.clear();
      for (std::uint64_t at = 0; at < received[b]; at += piece)
        sure(MPI_Irecv(static_cast<char*>(to) + first[b] + at, static_cast<int>(std::min(piece, received[b] - at)),
                       MPI_BYTE, before, 0, comm_, &pending.emplace_back()),
             "MPI_Irecv");
      for (std::uint64_t at = 0; at < sent[n]; at += piece)
        sure(MPI_Isend(place(next) + at, static_cast<int>(std::min(piece, sent[n] - at)), MPI_BYTE, next, 0, comm_,
                       &pending.emplace_back()),
             "MPI_Isend");
      wait(pending);
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool asked_for_link_ = false;
  std::unique_ptr<gpu_link> link_;
};

template <class Communicator>
group group::mpi(Communicator comm, context where) {
  return through(std::make_unique<mpi_exchange>(comm), std::move(where));
}

}  // namespace upsweep
