// The small messages that precede each step, and the handling of failures that they report.
#include "upsweep/communicator/communicator_route.hpp"

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

// A string of fixed size; longer ones are truncated.
struct message_route::fixed_text {
  std::uint32_t why = 0, cut = 0;
  char text[text_bytes] = {};

  void set(std::string_view s) {
    const std::size_t n = std::min(s.size(), text_bytes - 1);
    std::copy_n(s.data(), n, text);
    text[n] = 0;
  }
};

struct message_route::small_message {
  std::uint64_t call = 0, step = 0, bytes = 0;
  kind what{};
  std::uint32_t root = 0;
  unsigned char inside[small_message_bytes] = {};
};

message_route::message_route(int rank, int size)
    : rank_(rank),
      size_(size),
      small_messages_(static_cast<std::size_t>(size) + 1),
      texts_(static_cast<std::size_t>(size) + 1) {
  call_.reserve(100);
}
message_route::~message_route() = default;

void message_route::throw_ended(fault why, std::string where, std::string what, std::string remedy) {
  throw ended(why, std::move(where), std::move(what), std::move(remedy));
}

message_route::small_message& message_route::begin_small_message() { return small_messages_[0] = {}; }

void message_route::count_sent(std::span<const std::uint64_t> bytes) {
  for (std::size_t r = 0; r < bytes.size(); ++r) bytes_sent_ += static_cast<int>(r) == rank_ ? 0 : bytes[r];
}

void message_route::require_all() const {
  if (!over()) return;
  const std::string who = lost_ < size_ ? "rank " + std::to_string(lost_) + " of " + std::to_string(size_) : "a rank";
  throw ended(fault::device_failure, call_.empty() ? "communicator" : call_,
              who + (without_word_ ? " is gone" : " has left the communicator"),
              without_word_ ? "start all processes again" : "find the reason, and create a new communicator");
}

// Sends this rank's small message to all ranks and returns theirs.
std::span<const message_route::small_message> message_route::carry_small_messages() {
  require_all();
  small_message& mine = small_messages_[0];
  mine.call = call_number_, mine.step = step_++;
  const std::span<small_message> all(small_messages_.data() + 1, static_cast<std::size_t>(size_));
  carry_to_all(&mine, all.data(), sizeof mine);
  const auto gone = std::ranges::find(all, kind::left, &small_message::what);
  if (gone != all.end()) lost_ = static_cast<int>(gone - all.begin());
  return all;
}

// Returns the ranks' small messages of this step if all ranks are in the same step; otherwise throws.
std::span<const message_route::small_message> message_route::agree() {
  settle();
  const small_message& mine = small_messages_[0];
  const auto all = carry_small_messages();
  require_all();
  const auto same = [&](const small_message& n) {
    return n.call == mine.call && n.step == mine.step && n.what == mine.what && n.bytes == mine.bytes &&
           n.root == mine.root;
  };
  if (!std::ranges::all_of(all, same)) tell("");
  return all;
}

// Every rank calls this at the same step. The first rank that failed sends the reason; if none failed, ranks are in
// different calls, and each sends the name of its own.
void message_route::tell(const char* what) {
  const std::span<const small_message> all(small_messages_.data() + 1, static_cast<std::size_t>(size_));
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
  told_ = true;  // set even if creating the error runs out of memory

  const auto of = [&](std::size_t r) { return "rank " + std::to_string(r) + " of " + std::to_string(size_); };
  for (std::size_t r = 0; r < said.size(); ++r)
    if (all[r].what == kind::failure)
      throw ended(static_cast<fault>(said[r].why), call_.empty() ? "communicator" : call_,
                  of(r) + " failed: " + said[r].text);
  for (std::size_t r = 1; r < said.size(); ++r)
    if (all[r].call != all[0].call)
      throw ended(fault::bad_argument, "communicator",
                  of(0) + " is in " + said[0].text + " and rank " + std::to_string(r) + " in " + said[r].text,
                  "make the same calls in the same order on every rank");
  throw ended(fault::bad_argument, call_, "ranks are at different steps, or pass different sizes",
              "make the same calls with the same arguments on every rank");
}

void message_route::begin(std::string_view call) {
  try {
    call_ = call;
  } catch (const std::bad_alloc&) {  // other ranks are in the call, and need its name
    call_ = call.substr(0, call_.capacity());
  }
  call_number_ = number_of(call);
  step_ = 0, told_ = false;
  require_all();
}

void message_route::end() {
  begin_small_message().what = kind::end;
  agree();
}

void message_route::failed(const std::exception& e) {
  if (told_) throw;
  const auto* const ours = dynamic_cast<const error*>(&e);
  const fault why = ours                                                 ? ours->why()
                    : dynamic_cast<const std::bad_alloc*>(&e) != nullptr ? fault::out_of_memory
                                                                         : fault::device_failure;
  try {
    settle();
  } catch (const std::exception&) {
    // The device cannot be waited for any more; the first failure is the one to report.
  }
  small_message& mine = begin_small_message();
  mine.what = kind::failure;
  std::memcpy(mine.inside, &why, sizeof(std::uint32_t));
  static_assert(sizeof(fault) == sizeof(std::uint32_t));
  carry_small_messages();
  if (over())  // no rank is left to send the failure to
    throw ended(why, call_, "rank " + std::to_string(rank_) + " of " + std::to_string(size_) + " failed: " + e.what());
  tell(e.what());
}

void message_route::leave() noexcept {
  if (over()) return;
  try {
    settle();
    begin_small_message().what = kind::left;
    carry_small_messages();
  } catch (...) {
    // If other ranks are gone as well, they need no message.
  }
  lost_ = rank_;
}

// Once the ranks have agreed on a step, all of them take part in it: a rank may not throw before it has finished, and
// must have allocated the step's memory beforehand.
void message_route::all_gather(const void* mine, void* to, std::uint64_t bytes) {
  small_message& n = begin_small_message();
  n.what = kind::gather, n.bytes = bytes;
  const bool inside = bytes <= small_message_bytes;
  if (inside && bytes) std::memcpy(n.inside, mine, bytes);
  const auto all = agree();
  bytes_sent_ += bytes * static_cast<std::uint64_t>(size_ - 1);
  if (!inside) return carry_to_all(mine, to, bytes);
  for (std::size_t r = 0; bytes && r < all.size(); ++r)
    std::memcpy(static_cast<char*>(to) + r * bytes, all[r].inside, bytes);
}

void message_route::all_to_all(const void* from, std::span<const std::uint64_t> sent, void* to,
                               std::span<const std::uint64_t> received) {
  begin_small_message().what = kind::swap;
  agree();
  count_sent(sent);
  carry(from, sent, to, received);
}

std::vector<std::shared_ptr<moment>> message_route::all_to_all(device& on, std::span<const moved_memory> what,
                                                               std::span<const share> sent,
                                                               std::span<const share> received) {
  small_message& n = begin_small_message();
  n.what = kind::swap_on_devices, n.bytes = sent.size();
  agree();
  for (const moved_memory& w : what)
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (static_cast<int>(i % static_cast<std::size_t>(size_)) != rank_) bytes_sent_ += sent[i].count * w.bytes;
  return carry_between_devices(on, what, sent, received);
}

namespace {

// Ranges of memory, and their positions in a contiguous buffer in rank order. Ranges that are adjacent in both are
// joined.
struct placed_piece {
  share piece;
  std::uint64_t at = 0;
};
std::vector<placed_piece> pieces_by_member(std::span<const share> shares, std::size_t ranks) {
  std::vector<placed_piece> all;
  std::uint64_t at = 0;
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t i = r; i < shares.size(); i += ranks) {
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

std::vector<std::uint64_t> bytes_by_rank(std::span<const share> shares, std::size_t ranks, std::uint64_t each) {
  std::vector<std::uint64_t> bytes(ranks);
  for (std::size_t i = 0; i < shares.size(); ++i) bytes[i % ranks] += shares[i].count * each;
  return bytes;
}

}  // namespace

// Through the host; a contiguous range of a CPU's memory needs no copy. A rank without enough memory, or whose device
// fails, reports it before the others wait for its data.
std::vector<std::shared_ptr<moment>> message_route::carry_between_devices(device& on,
                                                                          std::span<const moved_memory> what,
                                                                          std::span<const share> sent,
                                                                          std::span<const share> received) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto leaving = pieces_by_member(sent, ranks), coming = pieces_by_member(received, ranks);
  struct by_host {
    std::vector<std::uint64_t> sent, received;  // bytes, by rank
    std::vector<char> there, here;
    char *from, *to;
  };
  std::vector<by_host> routes;
  for (const moved_memory& w : what) {
    by_host route{bytes_by_rank(sent, ranks, w.bytes), bytes_by_rank(received, ranks, w.bytes), {}, {}, {}, {}};
    const auto as_it_lies = [&](memory m, const std::vector<placed_piece>& pieces) {
      return on.kind() == backend::cpu && pieces.size() == 1
                 ? m.plus_bytes(pieces[0].piece.first * w.bytes).template as<char>()
                 : nullptr;
    };
    const auto sum = [](const std::vector<std::uint64_t>& x) {
      return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
    };
    route.from = as_it_lies(w.from, leaving), route.to = as_it_lies(w.to, coming);
    if (!route.to) route.here.resize(sum(route.received)), route.to = route.here.data();
    if (!route.from) {
      route.there.resize(sum(route.sent)), route.from = route.there.data();
      for (const placed_piece& p : leaving)
        on.download(route.from + p.at * w.bytes, w.from.plus_bytes(p.piece.first * w.bytes), p.piece.count * w.bytes);
    }
    routes.push_back(std::move(route));
  }
  std::vector<std::shared_ptr<moment>> came(sent.size() / ranks);
  begin_small_message().what = kind::swap_by_host;
  agree();
  std::exception_ptr failure;  // rethrown after all transfers, which the others wait for
  for (std::size_t k = 0; k < what.size(); ++k) {
    const by_host& route = routes[k];
    const moved_memory& w = what[k];
    carry(route.from, route.sent, route.to, route.received);
    if (failure || route.to != route.here.data()) continue;
    try {
      for (const placed_piece& p : coming)
        on.upload(w.to.plus_bytes(p.piece.first * w.bytes), route.to + p.at * w.bytes, p.piece.count * w.bytes);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return came;
}

void message_route::transpose(const void* from, void* to, std::uint64_t bytes) {
  const std::vector<std::uint64_t> each(static_cast<std::size_t>(size_), bytes);
  small_message& n = begin_small_message();
  n.what = kind::transpose, n.bytes = bytes;
  agree();
  count_sent(each);
  carry(from, each, to, each);
}

void message_route::broadcast(void* data, std::uint64_t bytes, int root) {
  const bool inside = bytes <= small_message_bytes;
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(size_), 0), received(sent);
  std::vector<char> copies;
  if (rank_ == root && !inside) {
    copies.resize(bytes * static_cast<std::size_t>(size_));
    std::ranges::fill(sent, bytes);
    for (std::size_t at = 0; at < copies.size(); at += bytes) std::memcpy(copies.data() + at, data, bytes);
  }
  sent[static_cast<std::size_t>(root)] = 0;
  received[static_cast<std::size_t>(root)] = rank_ == root ? 0 : bytes;
  small_message& n = begin_small_message();
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

void message_route::barrier() {
  begin_small_message().what = kind::barrier;
  agree();
}

}  // namespace upsweep
