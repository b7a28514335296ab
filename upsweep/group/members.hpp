// Members of a group: contexts that work together, in one process or in many.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "upsweep/core/operands.hpp"
#include "upsweep/group/exchange.hpp"

namespace upsweep {

// One member, as a step of a call sees it: its context, and the way to the others.
class member {
 public:
  member(exchange& way, const context& where, int here) : way_(way), where_(where), here_(here) {}

  int rank() const { return way_.rank(); }
  int size() const { return way_.size(); }
  int here() const { return here_; }  // counted among those of this process
  const context& where() const { return where_; }
  exchange& way() const { return way_; }

  // Each member's value, in the order of the members.
  template <class T>
  std::vector<T> all(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(static_cast<std::size_t>(size()));
    way_.all_gather(&mine, values.data(), sizeof mine);
    return values;
  }

  // Elements in the device's memory: sent[r] of them for member r, one behind the other. Between GPUs they go directly
  // where they can, and are enqueued; `from` is left alone until the member's next exchange, or the end of the step.
  template <class T>
  void all_to_all(device_span<const T> from, std::span<const std::uint64_t> sent, device_span<T> to,
                  std::span<const std::uint64_t> received) const {
    const moved_memory what{from.where(), to.where(), sizeof(T)};
    for (const auto& came :
         way_.all_to_all(where_.dev(), {&what, 1}, one_behind_the_other(sent), one_behind_the_other(received)))
      if (came) where_.dev().wait_for(*came);
  }

  // One element of the device's memory.
  template <class T>
  std::remove_const_t<T> read(device_span<T> from, std::uint64_t i) const {
    if (where_.kind() == backend::cpu) return from.data()[i];
    std::remove_const_t<T> value;
    where_.dev().download(&value, from.where().plus_bytes(i * sizeof(T)), sizeof value);
    return value;
  }

  // Memory that is kept from call to call, by name.
  template <class T>
  device_span<T> scratch(std::string_view name, std::uint64_t n) const {
    return {where_.dev().scratch(name, std::max<std::uint64_t>(n, 1) * sizeof(T)), n};
  }

 private:
  static std::vector<share> one_behind_the_other(std::span<const std::uint64_t> counts) {
    std::vector<share> shares;
    std::uint64_t first = 0;
    for (const std::uint64_t n : counts) shares.push_back({first, n}), first += n;
    return shares;
  }

  exchange& way_;
  const context& where_;
  int here_;
};

class group {
 public:
  // In one process, a thread for each context.
  static group of(std::vector<context> members);
  static group gpus(const std::vector<int>& devices);  // CUDA's numbers
  // "cpu:2,cpu:2", "cuda:0,cuda:1", "cuda:all".
  static group named(std::string_view devices);
  // One member of what `way` joins.
  static group through(std::unique_ptr<exchange> way, context where);
  // One member a process; upsweep/group/mpi.hpp.
  template <class Communicator>
  static group mpi(Communicator comm, context where);

  int size() const;   // members
  int here() const;   // those of this process
  int first() const;  // the first of these among all
  const context& where(int here = 0) const;

  // Runs body for every member of this process, a thread each, and returns when it has ended on all members of the
  // group: a step of a caller's own, in which members speak through member::all and its kin. What it throws ends the
  // call on every member, as the same upsweep::error, which says whose it was.
  template <class Body>
    requires std::invocable<Body&, member&>
  void each(std::string_view call, Body&& body) const {
    if constexpr (std::is_function_v<std::remove_reference_t<Body>>) {
      auto* const pointer = &body;
      return each(call, pointer);
    } else {
      using one = std::remove_reference_t<Body>;
      run_each(
          call, [](const void* b, member& m) { std::invoke(*const_cast<one*>(static_cast<const one*>(b)), m); },
          std::addressof(body));
    }
  }

  // Whether both are the same group.
  friend bool operator==(const group&, const group&) = default;

 private:
  class crew;
  // Where a member of another process is in the call already, nothing is asked for that this one might not have.
  void run_each(std::string_view call, void (*run)(const void*, member&), const void* body) const;
  explicit group(std::shared_ptr<crew> c) : crew_(std::move(c)) {}
  std::shared_ptr<crew> crew_;
};

}  // namespace upsweep
