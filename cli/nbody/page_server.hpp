// Serves the page of `upsweep nbody --view`: its files, and the sockets of open pages. Independent of listening and of
// the simulation. All input is bounded: bytes of a request, bytes of an order, orders in one period, connections, and
// the state of each of them.
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

// Orders of the page, which the simulation takes between steps.
class orders {
 public:
  void give(std::string order) {
    {
      const std::lock_guard hold(lock_);
      if (waiting_.size() < 64) waiting_.push_back(std::move(order));  // more in one period is not human input
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
class connection;

enum kind : std::uint8_t { scene, looks, said, facts, picture, kinds };  // in the order of sending

// State shared by all pages. Only the network's thread accesses it, except for the atomics.
struct page_server {
  std::string token, host;  // "127.0.0.1:8080"
  unsigned short port = 0;
  orders asked;
  std::set<client*> clients;
  std::list<connection*> connections;  // the oldest first
  int sockets = 0;                     // clients, including those in their handshake
  text scene, looks, facts, picture;
  std::atomic<bool> hungry{false};  // a page could take a picture now
  std::atomic<int> pages{0};        // connected since the start

  page_server() = default;
  page_server(const page_server&) = delete;
  page_server& operator=(const page_server&) = delete;

  bool own_host(boost::beast::string_view name) const {
    return name == host || name == "localhost:" + std::to_string(port);
  }
  bool own_origin(boost::beast::string_view origin) const {
    return origin.starts_with("http://") && own_host(origin.substr(7));
  }
  // The text after the secret in the address; std::nullopt if the secret is wrong. The time does not depend on how much
  // of it is right.
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

// Serves a connection on its executor until it ends.
void serve(boost::asio::ip::tcp::socket, page_server&);

}  // namespace view
