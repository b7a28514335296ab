// The notes that precede each step, and what follows from them.
#include "upsweep/group/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <vector>

namespace upsweep {

namespace {

enum class kind : std::uint32_t {
  gather = 1,
  swap,
  swap_on_devices,
  swap_by_host,
  transpose,
  broadcast,
  barrier,
  end,
  failure,
  left
};

constexpr std::size_t text_bytes = 1024;

std::uint64_t number_of(std::string_view name) {  // FNV-1a
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

// Text of fixed size, cut where it is longer.
struct exchange::fixed_text {
  std::uint32_t why = 0, cut = 0;
  char text[text_bytes] = {};

  void set(std::string_view s) {
    const std::size_t n = std::min(s.size(), text_bytes - 1);
    std::copy_n(s.data(), n, text);
    text[n] = 0;
  }
};

struct exchange::note {
  std::uint64_t call = 0, step = 0, bytes = 0;
  kind what{};
  std::uint32_t root = 0;
  unsigned char inside[note_room] = {};
};

exchange::exchange(int rank, int size)
    : rank_(rank), size_(size), notes_(static_cast<std::size_t>(size) + 1), texts_(static_cast<std::size_t>(size) + 1) {
  call_.reserve(100);
}
exchange::~exchange() = default;

exchange::note& exchange::begin_note() { return notes_[0] = {}; }

void exchange::count_sent(std::span<const std::uint64_t> bytes) {
  for (std::size_t r = 0; r < bytes.size(); ++r) bytes_sent_ += static_cast<int>(r) == rank_ ? 0 : bytes[r];
}

void exchange::require_all() const {
  if (!over()) return;
  const std::string who =
      lost_ < size_ ? "member " + std::to_string(lost_) + " of " + std::to_string(size_) : "a member";
  throw ended(fault::device_failure, call_.empty() ? "group" : call_,
              who + (without_word_ ? " is gone" : " has left the group"),
              without_word_ ? "start all processes again" : "see why it did, and make a new group");
}

// The own note to all; returns theirs.
std::span<const exchange::note> exchange::carry_notes() {
  require_all();
  note& mine = notes_[0];
  mine.call = call_number_, mine.step = step_++;
  const std::span<note> all(notes_.data() + 1, static_cast<std::size_t>(size_));
  carry_to_all(&mine, all.data(), sizeof mine);
  const auto gone = std::ranges::find(all, kind::left, &note::what);
  if (gone != all.end()) lost_ = static_cast<int>(gone - all.begin());
  return all;
}

// The members' notes of this step. Returns where all of them are in the same one.
std::span<const exchange::note> exchange::agree() {
  settle();
  const note& mine = notes_[0];
  const auto all = carry_notes();
  require_all();
  const auto same = [&](const note& n) {
    return n.call == mine.call && n.step == mine.step && n.what == mine.what && n.bytes == mine.bytes &&
           n.root == mine.root;
  };
  if (!std::ranges::all_of(all, same)) tell("");
  return all;
}

// Every member comes here at the same step: the first that failed says why; where none did, members are in different
// calls, and each says in which.
void exchange::tell(const char* what) {
  const std::span<const note> all(notes_.data() + 1, static_cast<std::size_t>(size_));
  fixed_text& mine = texts_[0] = {};
  const bool i_failed = all[static_cast<std::size_t>(rank_)].what == kind::failure;
  if (i_failed) {
    std::memcpy(&mine.why, all[static_cast<std::size_t>(rank_)].inside, sizeof mine.why);
    mine.set(what);
  } else {
    mine.set(call_);
  }
  const std::span<fixed_text> said(texts_.data() + 1, static_cast<std::size_t>(size_));
  carry_to_all(&mine, said.data(), sizeof mine);
  told_ = true;  // also where there is no memory for the error itself

  const auto of = [&](std::size_t r) { return "member " + std::to_string(r) + " of " + std::to_string(size_); };
  for (std::size_t r = 0; r < said.size(); ++r)
    if (all[r].what == kind::failure)
      throw ended(static_cast<fault>(said[r].why), call_.empty() ? "group" : call_, of(r) + " failed: " + said[r].text);
  for (std::size_t r = 1; r < said.size(); ++r)
    if (all[r].call != all[0].call)
      throw ended(fault::bad_argument, "group",
                  of(0) + " is in " + said[0].text + " and member " + std::to_string(r) + " in " + said[r].text,
                  "make the same calls in the same order on every member");
  throw ended(fault::bad_argument, call_, "members are at different steps of it, or give different sizes",
              "make the same calls with the same arguments on every member");
}

void exchange::begin(std::string_view call) {
  try {
    call_ = call;
  } catch (const std::bad_alloc&) {  // the others are in the call, and are told so
    call_ = call.substr(0, call_.capacity());
  }
  call_number_ = number_of(call);
  step_ = 0, told_ = false;
  require_all();
}

void exchange::end() {
  begin_note().what = kind::end;
  agree();
}

void exchange::failed(const std::exception& e) {
  if (told_) throw;
  const auto* const ours = dynamic_cast<const error*>(&e);
  const fault why = ours                                                 ? ours->why()
                    : dynamic_cast<const std::bad_alloc*>(&e) != nullptr ? fault::out_of_memory
                                                                         : fault::device_failure;
  try {
    settle();
  } catch (const std::exception&) {
    // The device is past waiting for; what failed before is what is told.
  }
  note& mine = begin_note();
  mine.what = kind::failure;
  std::memcpy(mine.inside, &why, sizeof(std::uint32_t));
  static_assert(sizeof(fault) == sizeof(std::uint32_t));
  carry_notes();
  if (over())  // nobody else is there to be told
    throw ended(why, call_,
                "member " + std::to_string(rank_) + " of " + std::to_string(size_) + " failed: " + e.what());
  tell(e.what());
}

void exchange::leave() noexcept {
  if (over()) return;
  try {
    settle();
    begin_note().what = kind::left;
    carry_notes();
  } catch (...) {
    // Who else is gone need not be told.
  }
  lost_ = rank_;
}

// Of a step that the members agreed on all take part: from then on a member may not throw before it is through, and
// what memory the step wants is there beforehand.
void exchange::all_gather(const void* mine, void* to, std::uint64_t bytes) {
  note& n = begin_note();
  n.what = kind::gather, n.bytes = bytes;
  const bool inside = bytes <= note_room;
  if (inside && bytes) std::memcpy(n.inside, mine, bytes);
  const auto all = agree();
  bytes_sent_ += bytes * static_cast<std::uint64_t>(size_ - 1);
  if (!inside) return carry_to_all(mine, to, bytes);
  for (std::size_t r = 0; bytes && r < all.size(); ++r)
    std::memcpy(static_cast<char*>(to) + r * bytes, all[r].inside, bytes);
}

void exchange::all_to_all(const void* from, std::span<const std::uint64_t> sent, void* to,
                          std::span<const std::uint64_t> received) {
  begin_note().what = kind::swap;
  agree();
  count_sent(sent);
  carry(from, sent, to, received);
}

std::vector<std::shared_ptr<moment>> exchange::all_to_all(device& on, std::span<const moved_memory> what,
                                                          std::span<const share> sent,
                                                          std::span<const share> received) {
  note& n = begin_note();
  n.what = kind::swap_on_devices, n.bytes = sent.size();
  agree();
  for (const moved_memory& w : what)
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (static_cast<int>(i % static_cast<std::size_t>(size_)) != rank_) bytes_sent_ += sent[i].count * w.bytes;
  return carry_between_devices(on, what, sent, received);
}

namespace {

// Pieces of memory and where each lies when all are put one behind the other, member by member; what lies together in
// both is one piece.
struct placed_piece {
  share piece;
  std::uint64_t at = 0;
};
std::vector<placed_piece> pieces_by_member(std::span<const share> shares, std::size_t members) {
  std::vector<placed_piece> all;
  std::uint64_t at = 0;
  for (std::size_t r = 0; r < members; ++r)
    for (std::size_t i = r; i < shares.size(); i += members) {
      const share& next = shares[i];
      if (next.count == 0) continue;
      if (!all.empty() && all.back().piece.first + all.back().piece.count == next.first) {
        all.back().piece.count += next.count;
      } else {
        all.push_back({next, at});
      }
      at += next.count;
    }
  return all;
}

std::vector<std::uint64_t> bytes_by_member(std::span<const share> shares, std::size_t members, std::uint64_t each) {
  std::vector<std::uint64_t> bytes(members);
  for (std::size_t i = 0; i < shares.size(); ++i) bytes[i % members] += shares[i].count * each;
  return bytes;
}

}  // namespace

// By way of the host; where a CPU's memory lies together already it is carried as it is. A member that has not the
// memory for that, or whose device fails, says so before the others wait for what it sends.
std::vector<std::shared_ptr<moment>> exchange::carry_between_devices(device& on, std::span<const moved_memory> what,
                                                                     std::span<const share> sent,
                                                                     std::span<const share> received) {
  const auto members = static_cast<std::size_t>(size_);
  const auto leaving = pieces_by_member(sent, members), coming = pieces_by_member(received, members);
  struct by_host {
    std::vector<std::uint64_t> sent, received;  // bytes, by member
    std::vector<char> there, here;
    char *from, *to;
  };
  std::vector<by_host> ways;
  for (const moved_memory& w : what) {
    by_host way{bytes_by_member(sent, members, w.bytes), bytes_by_member(received, members, w.bytes), {}, {}, {}, {}};
    const auto as_it_lies = [&](memory m, const std::vector<placed_piece>& pieces) {
      return on.kind() == backend::cpu && pieces.size() == 1
                 ? m.plus_bytes(pieces[0].piece.first * w.bytes).template as<char>()
                 : nullptr;
    };
    const auto sum = [](const std::vector<std::uint64_t>& x) {
      return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
    };
    way.from = as_it_lies(w.from, leaving), way.to = as_it_lies(w.to, coming);
    if (!way.to) way.here.resize(sum(way.received)), way.to = way.here.data();
    if (!way.from) {
      way.there.resize(sum(way.sent)), way.from = way.there.data();
      for (const placed_piece& p : leaving)
        on.download(way.from + p.at * w.bytes, w.from.plus_bytes(p.piece.first * w.bytes), p.piece.count * w.bytes);
    }
    ways.push_back(std::move(way));
  }
  std::vector<std::shared_ptr<moment>> came(sent.size() / members);
  begin_note().what = kind::swap_by_host;
  agree();
  std::exception_ptr failure;  // told when all is carried, which the others wait for
  for (std::size_t k = 0; k < what.size(); ++k) {
    const by_host& way = ways[k];
    const moved_memory& w = what[k];
    carry(way.from, way.sent, way.to, way.received);
    if (failure || way.to != way.here.data()) continue;
    try {
      for (const placed_piece& p : coming)
        on.upload(w.to.plus_bytes(p.piece.first * w.bytes), way.to + p.at * w.bytes, p.piece.count * w.bytes);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return came;
}

void exchange::transpose(const void* from, void* to, std::uint64_t bytes) {
  const std::vector<std::uint64_t> each(static_cast<std::size_t>(size_), bytes);
  note& n = begin_note();
  n.what = kind::transpose, n.bytes = bytes;
  agree();
  count_sent(each);
  carry(from, each, to, each);
}

void exchange::broadcast(void* data, std::uint64_t bytes, int root) {
  const bool inside = bytes <= note_room;
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(size_), 0), received(sent);
  std::vector<char> copies;
  if (rank_ == root && !inside) {
    copies.resize(bytes * static_cast<std::size_t>(size_));
    std::ranges::fill(sent, bytes);
    for (std::size_t at = 0; at < copies.size(); at += bytes) std::memcpy(copies.data() + at, data, bytes);
  }
  sent[static_cast<std::size_t>(root)] = 0;
  received[static_cast<std::size_t>(root)] = rank_ == root ? 0 : bytes;
  note& n = begin_note();
  n.what = kind::broadcast, n.bytes = bytes, n.root = static_cast<std::uint32_t>(root);
  if (inside && rank_ == root && bytes) std::memcpy(n.inside, data, bytes);
  const auto all = agree();
  if (inside) {
    if (bytes) std::memcpy(data, all[static_cast<std::size_t>(root)].inside, bytes);
    return;
  }
  count_sent(sent);
  carry(copies.data(), sent, data, received);
}

void exchange::barrier() {
  begin_note().what = kind::barrier;
  agree();
}

}  // namespace upsweep
