// The view of the bodies: requests, upgrades and messages as they come through a connection, and the orders in them.
#include "cli/nbody/live.hpp"
#include "tests/fuzz/harness.hpp"

#if UPSWEEP_WITH_VIEW
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "cli/nbody/page_server.hpp"
#endif

namespace {

// A page's wish for many bodies is granted, and would take long here.
bool is_small(const std::string& order) {
  const auto o = nlohmann::json::parse(order, nullptr, false);
  if (!o.is_object() || o.find("do") == o.end() || o["do"] != "scene") return true;
  const auto bodies = o.find("bodies");
  return bodies != o.end() && bodies->is_number() && *bodies >= 1 && *bodies <= 64;
}

// A view of a few bodies: after whatever order, it can be shown.
class few_bodies {
 public:
  few_bodies() : live_(options()) {}

  void take(const std::string& order) {
    if (!is_small(order)) return;
    const std::uint32_t before = live_.generation();
    const std::string said = live_.heed(order);
    fuzz::require(said.empty() || nlohmann::json::accept(said), "what is said is not JSON");
    fuzz::require(said.empty() || live_.generation() == before, "what was refused was begun");
    fuzz::require(nlohmann::json::accept(live_.scene()), "a scene that is not JSON");
    fuzz::require(nlohmann::json::accept(live_.facts()), "facts that are not JSON");
    const std::string looks = live_.looks(), picture = live_.picture();
    fuzz::require(picture.size() == 32 + 12 * (looks.size() - 16), "a picture of other bodies");
  }

 private:
  static nbody_options options() {
    nbody_options o;
    o.scene = "plummer", o.bodies = 16, o.where.device = "cpu:1";
    return o;
  }
  nbody_live live_;
};

}  // namespace

// An order a line.
UPSWEEP_HARNESS(view_orders) {
  few_bodies seen;
  for (int k = 0; k < 16 && !bytes.empty(); ++k) seen.take(std::string(fuzz::take_until(bytes, "\n")));
}

#if UPSWEEP_WITH_VIEW

namespace {

// The far end of a connection to the view.
class stranger {
 public:
  explicit stranger(view::page_server& h) {
    int ends[2];
    fuzz::require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no sockets");
    mine_ = ends[0];
    boost::asio::ip::tcp::socket theirs(network_);
    theirs.assign(boost::asio::ip::tcp::v4(), ends[1]);
    view::serve(std::move(theirs), h);
  }
  ~stranger() { leave(); }
  stranger(const stranger&) = delete;
  stranger& operator=(const stranger&) = delete;

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(mine_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (listen() == 0 && sent <= 0) return;  // the receiver is gone
    }
  }
  // All that can happen now. How much did.
  std::size_t listen() {
    std::size_t happened = 0;
    for (bool more = true; more;) {
      network_.restart();
      std::size_t now = network_.poll();
      char answer[1 << 14];
      ssize_t got = 0;
      while ((got = recv(mine_, answer, sizeof answer, MSG_DONTWAIT)) > 0) {
        if (!answered_)
          fuzz::require(std::string_view(answer, static_cast<std::size_t>(got)).starts_with("HTTP/1."), "no answer");
        answered_ = true, ++now;
      }
      happened += now;
      more = now > 0;
    }
    return happened;
  }
  void end() {
    shutdown(mine_, SHUT_WR);
    listen();
    leave();
    network_.restart();
    while (network_.poll() > 0) network_.restart();
  }

 private:
  void leave() {
    if (mine_ >= 0) close(mine_);
    mine_ = -1;
  }
  boost::asio::io_context network_;
  int mine_ = -1;
  bool answered_ = false;
};

}  // namespace

// In pieces of as many bytes as the first one says (0: of all), and anew behind each empty line, as a page waits for
// the answer. The messages' masks may be 0.
UPSWEEP_HARNESS(view) {
  view::page_server h;
  h.token = "0123456789abcdef", h.host = "127.0.0.1:8080", h.port = 8080;
  h.scene = h.looks = h.facts = h.picture = std::make_shared<const std::string>(700, '{');
  const std::size_t piece = fuzz::take_byte(bytes);
  stranger s(h);
  std::unique_ptr<few_bodies> seen;
  while (!bytes.empty()) {
    const std::size_t line = bytes.find("\r\n\r\n");
    std::size_t size = line == std::string_view::npos ? bytes.size() : line + 4;
    if (piece > 0) size = std::min(size, piece);
    s.send(bytes.substr(0, size));
    s.listen();
    bytes.remove_prefix(size);
    for (const std::string& order : h.asked.take()) {
      fuzz::require(order.size() <= 4096, "an order that is too long");
      if (!seen) seen = std::make_unique<few_bodies>();
      seen->take(order);
    }
    h.tell(view::picture, h.picture);
    s.listen();
  }
  s.end();
  fuzz::require(h.clients.empty() && h.sockets == 0 && h.connections.empty(), "a connection that outlives its end");
}

#else

UPSWEEP_HARNESS(view) { (void)bytes; }  // it is off in this build

#endif
