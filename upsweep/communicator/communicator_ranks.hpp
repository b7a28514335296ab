// Ranks of a communicator: contexts that work together, in one process or in many.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "upsweep/communicator/communicator_route.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep {

// One rank within a step of a call: its context, and its exchange with the others.
class communicator_rank {
 public:
  communicator_rank(message_route& route, const context& where, int local_rank)
      : route_(route), where_(where), local_rank_(local_rank) {}

  int rank() const { return route_.rank(); }
  int size() const { return route_.size(); }
  int local_rank() const { return local_rank_; }  // its number among this process's ranks
  const context& where() const { return where_; }
  message_route& route() const { return route_; }

  // Each rank's value, in the order of the ranks.
  template <class T>
  std::vector<T> all(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(static_cast<std::size_t>(size()));
    route_.all_gather(&mine, values.data(), sizeof mine);
    return values;
  }

  // Elements in the device's memory: sent[r] of them for rank r, contiguous in rank order. Between GPUs they are copied
  // directly where possible, and enqueued; `from` must not change before the rank's next exchange, or the end of the
  // step.
  template <class T>
  void all_to_all(device_span<const T> from, std::span<const std::uint64_t> sent, device_span<T> to,
                  std::span<const std::uint64_t> received) const {
    const moved_memory what{from.where(), to.where(), sizeof(T)};
    for (const auto& came :
         route_.all_to_all(where_.device(), {&what, 1}, one_behind_the_other(sent), one_behind_the_other(received)))
      if (came) where_.device().wait_for(*came);
  }

  // Reads one element of the device's memory.
  template <class T>
  std::remove_const_t<T> read(device_span<T> from, std::uint64_t i) const {
    if (where_.kind() == backend::cpu) return from.data()[i];
    std::remove_const_t<T> value;
    where_.device().download(&value, from.where().plus_bytes(i * sizeof(T)), sizeof value);
    return value;
  }

  // Scratch by name, kept between calls.
  template <class T>
  device_span<T> scratch(std::string_view name, std::uint64_t n) const {
    return {where_.device().scratch(name, std::max<std::uint64_t>(n, 1) * sizeof(T)), n};
  }

 private:
  static std::vector<share> one_behind_the_other(std::span<const std::uint64_t> counts) {
    std::vector<share> shares;
    std::uint64_t first = 0;
    for (const std::uint64_t n : counts) shares.push_back({first, n}), first += n;
    return shares;
  }

  message_route& route_;
  const context& where_;
  int local_rank_;
};

class communicator {
 public:
  // In one process, a thread for each context.
  static communicator of(std::vector<context> ranks);
  static communicator gpus(const std::vector<int>& devices);  // CUDA's numbers
  // "cpu:2,cpu:2", "cuda:0,cuda:1", "cuda:all".
  static communicator named(std::string_view devices);
  // One rank, joined to the others by `route`.
  static communicator through(std::unique_ptr<message_route> route, context where);
  // One rank a process; upsweep/communicator/mpi.hpp.
  template <class Communicator>
  static communicator mpi(Communicator comm, context where);

  int size() const;        // ranks
  int local_size() const;  // ranks of this process
  int first() const;       // the first of these among all
  const context& where(int local_rank = 0) const;

  // A user-defined step: runs body for every rank of this process, each on a thread of its own, and returns when it has
  // ended on all ranks of the communicator. Ranks exchange values by communicator_rank::all and its other members. An
  // exception of body ends the call on every rank, as the same upsweep::error, which names the rank.
  template <class Body>
    requires std::invocable<Body&, communicator_rank&>
  void for_each_rank(std::string_view call, Body&& body) const {
    if constexpr (std::is_function_v<std::remove_reference_t<Body>>) {
      auto* const pointer = &body;
      return for_each_rank(call, pointer);
    } else {
      using one = std::remove_reference_t<Body>;
      run_each(
          call,
          [](const void* b, communicator_rank& m) { std::invoke(*const_cast<one*>(static_cast<const one*>(b)), m); },
          std::addressof(body));
    }
  }

  friend bool operator==(const communicator&, const communicator&) = default;

 private:
  class crew;
  // Allocates nothing before the step: a rank of another process may already be in the call, and a failure here would
  // not reach it.
  void run_each(std::string_view call, void (*run)(const void*, communicator_rank&), const void* body) const;
  explicit communicator(std::shared_ptr<crew> c) : crew_(std::move(c)) {}
  std::shared_ptr<crew> crew_;
};

}  // namespace upsweep
