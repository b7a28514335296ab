// What members of a group say to each other: every algorithm on a group is written once against this, and whoever
// carries bytes between members (threads.cpp: threads of one process; mpi.hpp: processes) gives two operations, and a
// third where elements of devices need not go through the host.
//
// Each step begins with a note of fixed size from every member to all: which call and which step of it this is, and
// whether the member has failed. So a failure ends the call everywhere, with the same sentence, at the step that comes
// next; and members that are in different calls find that out before they wait for each other. Up to
// note_room bytes travel in the note itself. A process that leaves its group, by an exception between two calls or at
// its end, says that in a note, too: others that are in a call, or come to one, are not left waiting.
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

// Elements of `bytes` bytes that go out of `from` and come into `to`, both of one device's memory.
struct moved_memory {
  memory from, to;
  std::uint64_t bytes = 1;
};
// Elements of either.
struct share {
  std::uint64_t first = 0, count = 0;
};

class exchange {
 public:
  exchange(int rank, int size);
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  virtual ~exchange();

  int rank() const { return rank_; }
  int size() const { return size_; }

  static constexpr std::uint64_t note_room = 72;

  // all[r·bytes, …) = member r's `mine`; `bytes` is the same on every member.
  void all_gather(const void* mine, void* all, std::uint64_t bytes);
  // `from` holds sent[r] bytes for each member r, one behind the other; `to` gets received[r] bytes of each.
  void all_to_all(const void* from, std::span<const std::uint64_t> sent, void* to,
                  std::span<const std::uint64_t> received);
  // The same of a device's memory, in stages of which the first may be worked on while the last is under way:
  // sent[stage * size() + r] of each `what` goes to member r, received[stage * size() + r] comes from it. What is
  // enqueued on `on` beforehand comes before it. Returns for each stage the moment when it has come, null where it has;
  // what `from` has stays as it is until the next step, or the end of the call.
  std::vector<std::shared_ptr<moment>> all_to_all(device& on, std::span<const moved_memory> what,
                                                  std::span<const share> sent, std::span<const share> received);
  // As many bytes for each member as for any other.
  void transpose(const void* from, void* to, std::uint64_t bytes);
  // Of member `root`.
  void broadcast(void* data, std::uint64_t bytes, int root);
  void barrier();

  // A call begins, by its name; it ends everywhere where it ended well. What a call throws goes to the others by
  // failed(), in its handler, from which it comes back as the error that all of them throw.
  void begin(std::string_view call);
  void end();
  [[noreturn]] void failed(const std::exception&);

  // All that this member has sent to the others, but for the notes.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

  // The member that is gone without a word, size() where it is not known which; -1: none.
  int gone() const { return without_word_ ? lost_ : -1; }

  // What ended the call for all members; nobody is told of it again.
  class ended : public error {
   public:
    using error::error;
  };

 protected:
  // all[r·bytes, …) = member r's `mine`, at once or in pieces. Throws `ended` where a member is gone.
  virtual void carry_to_all(const void* mine, void* all, std::uint64_t bytes) = 0;
  // all_to_all, whose sizes agree.
  virtual void carry(const void* from, std::span<const std::uint64_t> sent, void* to,
                     std::span<const std::uint64_t> received) = 0;
  // all_to_all of a device's memory; by way of the host where there is no other.
  virtual std::vector<std::shared_ptr<moment>> carry_between_devices(device& on, std::span<const moved_memory> what,
                                                                     std::span<const share> sent,
                                                                     std::span<const share> received);
  // The other members are through with what carry_between_devices sent them, or what the device does from now on comes
  // after it.
  virtual void settle() {}

  // This member takes part in nothing more: a process whose group is no more says so, whatever the others are in. It
  // waits for their next step, which ends there, or for their leaving.
  void leave() noexcept;
  // A member is gone without a word: nothing is carried any more, and nobody is told anything.
  void lose(int member) { lost_ = member, without_word_ = true; }
  // Whether one has left, or is gone.
  bool over() const { return lost_ >= 0; }

 private:
  struct note;
  struct fixed_text;
  note& begin_note();
  void count_sent(std::span<const std::uint64_t>);
  std::span<const note> carry_notes();
  std::span<const note> agree();
  [[noreturn]] void tell(const char* sentence);
  void require_all() const;

  const int rank_, size_;
  std::string call_;
  std::uint64_t call_number_ = 0, step_ = 0, bytes_sent_ = 0;
  bool told_ = false;  // the call has ended for all members
  int lost_ = -1;      // the member that is no more; size_ where it is not known which
  bool without_word_ = false;
  // Made beforehand: a member that is out of memory can still say so. The own note first, then all members'.
  std::vector<note> notes_;
  std::vector<fixed_text> texts_;
};

}  // namespace upsweep
