// The exchange between ranks of a communicator. Every algorithm on a communicator is written once against this
// interface. A transport (communicator_threads.cpp: threads of one process; mpi.hpp: processes) implements two
// operations, and a third where elements of devices need not go through the host.
//
// Each step begins with a small message of fixed size from every rank to all: the number of the call and of the step,
// and whether the rank has failed. So a failure ends the call on every rank, with the same message, at the next step;
// and ranks that are in different calls detect that before they wait for each other. Up to small_message_bytes bytes
// travel in the small message itself. A process that leaves its communicator, by an exception between two calls or at
// its end, also reports that in a small message, so that others in this or a later call do not wait for it.
//
// Threads  an exchange belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/core/device.hpp"

namespace upsweep {

// Elements of `bytes` bytes, sent from `from` and received in `to`, both in one device's memory.
struct moved_memory {
  memory from, to;
  std::uint64_t bytes = 1;
};
// A range of elements of either.
struct share {
  std::uint64_t first = 0, count = 0;
};

class message_route {
 public:
  message_route(int rank, int size);
  message_route(const message_route&) = delete;
  message_route& operator=(const message_route&) = delete;
  virtual ~message_route();

  int rank() const { return rank_; }
  int size() const { return size_; }

  static constexpr std::uint64_t small_message_bytes = 72;

  // all[r·bytes, …) = rank r's `mine`; `bytes` is the same on every rank.
  void all_gather(const void* mine, void* all, std::uint64_t bytes);
  // `from` holds sent[r] bytes for each rank r, contiguous in rank order; `to` receives received[r] bytes from each.
  void all_to_all(const void* from, std::span<const std::uint64_t> sent, void* to,
                  std::span<const std::uint64_t> received);
  // As above in a device's memory, in stages: the first can be processed while later ones are in transfer. sent[stage *
  // size() + r] of each `what` goes to rank r, received[stage * size() + r] comes from it. Work enqueued on `on` before
  // the call comes first. Returns for each stage an event recorded when it has been received, null where it already has
  // been. `from` must not change before the next step, or the end of the call.
  std::vector<std::shared_ptr<moment>> all_to_all(device& on, std::span<const moved_memory> what,
                                                  std::span<const share> sent, std::span<const share> received);
  // all_to_all with the same number of bytes for every rank.
  void transpose(const void* from, void* to, std::uint64_t bytes);
  // Copies the data of rank `root` to all.
  void broadcast(void* data, std::uint64_t bytes, int root);
  void barrier();

  // begin() starts a call of this name; end() ends it on all ranks if it succeeded. An exception of a call is passed to
  // failed() in its handler, which sends it to the other ranks and throws the error that all ranks throw.
  void begin(std::string_view call);
  void end();
  [[noreturn]] void failed(const std::exception&);

  // Bytes that this rank has sent to the others, except for small messages.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

  // The rank that is gone without a message, size() where it is not known which; -1: none.
  int gone() const { return without_word_ ? lost_ : -1; }

  // An error that has ended the call on all ranks; it is not sent again.
  class ended : public error {
   public:
    using error::error;
  };
  [[noreturn]] static void throw_ended(fault why, std::string where, std::string what, std::string remedy);

 protected:
  // all[r·bytes, …) = rank r's `mine`, at once or in pieces. Throws `ended` where a rank is gone.
  virtual void carry_to_all(const void* mine, void* all, std::uint64_t bytes) = 0;
  // all_to_all, after the ranks have agreed on the sizes.
  virtual void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
                     std::span<const std::uint64_t> received) = 0;
  // all_to_all of a device's memory; through the host unless overridden.
  virtual std::vector<std::shared_ptr<moment>> carry_between_devices(device& on, std::span<const moved_memory> what,
                                                                     std::span<const share> sent,
                                                                     std::span<const share> received);
  // Afterwards the other ranks have finished reading the memory that carry_between_devices sent, or later work of the
  // device is ordered after that.
  virtual void settle() {}

  // Ends this rank's part in all exchanges, whatever step the others are in; called when a process destroys its
  // communicator. Waits for the others' next step, which fails there, or for their leave().
  void leave() noexcept;
  // A rank is gone without a message: nothing is transferred and no message is sent any more.
  void lose(int rank) { lost_ = rank, without_word_ = true; }
  // Whether a rank has left, or is gone.
  bool over() const { return lost_ >= 0; }

 private:
  struct small_message;
  struct fixed_text;
  small_message& begin_small_message();
  void count_sent(std::span<const std::uint64_t>);
  std::span<const small_message> carry_small_messages();
  std::span<const small_message> agree();
  [[noreturn]] void tell(const char* sentence);
  void require_all() const;

  const int rank_, size_;
  std::string call_;
  std::uint64_t call_number_ = 0, step_ = 0, bytes_sent_ = 0;
  bool told_ = false;  // the call has ended for all ranks
  int lost_ = -1;      // the rank that is gone; size_ where it is not known which
  bool without_word_ = false;
  // Allocated beforehand, so that a rank that is out of memory can still report it. This rank's small message first,
  // then those of all ranks.
  std::vector<small_message> small_messages_;
  std::vector<fixed_text> texts_;
};

}  // namespace upsweep
