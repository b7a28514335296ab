// Who comes to the view of the bodies: requests for the page's files, and the pages' sockets. Knows neither a door nor
// a simulation. Whatever comes in has a bound: bytes of a request, bytes of an order, orders in one turn, connections,
// and what is kept for each of them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/string.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace view {

using text = std::shared_ptr<const std::string>;

// Orders of the page, for the simulation to take when it comes to it.
class orders {
 public:
  void give(std::string order) {
    {
      const std::lock_guard hold(lock_);
      if (waiting_.size() < 64) waiting_.push_back(std::move(order));  // more in one turn is no hand on a mouse
    }
    changed_.notify_one();
  }
  std::deque<std::string> take() {
    const std::lock_guard hold(lock_);
    return std::exchange(waiting_, {});
  }
  void wait(std::chrono::milliseconds most) {
    std::unique_lock hold(lock_);
    changed_.wait_for(hold, most, [&] { return !waiting_.empty(); });
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
};

class client;
class visitor;

enum kind : std::uint8_t { scene, looks, said, facts, picture, kinds };  // in the order that they are sent in

// What is to be known by every page. Touched by the network's thread alone, but for the atomics.
struct house {
  std::string token, host;  // "127.0.0.1:8080"
  unsigned short port = 0;
  orders asked;
  std::set<client*> clients;
  std::list<visitor*> visitors;  // the oldest first
  int sockets = 0;               // clients, and those who are about to be
  text scene, looks, facts, picture;
  std::atomic<bool> hungry{false};  // a page could take a picture now
  std::atomic<int> pages{0};        // that have come since the start

  house() = default;
  house(const house&) = delete;
  house& operator=(const house&) = delete;

  bool own_host(boost::beast::string_view name) const {
    return name == host || name == "localhost:" + std::to_string(port);
  }
  bool own_origin(boost::beast::string_view origin) const {
    return origin.starts_with("http://") && own_host(origin.substr(7));
  }
  // What comes behind the word in the address; nothing where the word is another. The time taken does not tell how much
  // of it was right.
  std::optional<boost::beast::string_view> behind_token(boost::beast::string_view target) const {
    const std::size_t n = token.size();
    if (target.size() < n + 2 || target[0] != '/' || target[n + 1] != '/') return std::nullopt;
    unsigned wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong |= static_cast<unsigned char>(target[i + 1] ^ token[i]);
    if (wrong) return std::nullopt;
    return target.substr(n + 2);
  }
  void feed();
  void tell(kind, const text&);  // every page
  void news();                   // all of it, to every page
};

// Answers what comes through this connection, on its executor, until it ends.
void let_in(boost::asio::ip::tcp::socket, house&);

}  // namespace view
