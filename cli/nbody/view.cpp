// upsweep nbody --view: a page and its socket on 127.0.0.1. One thread answers the network and knows only the latest
// picture; the thread that called runs the simulation and never waits for the other.
#include "cli/nbody/nbody.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

#if UPSWEEP_WITH_VIEW

#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>

#include "cli/nbody/live.hpp"
#include "cli/nbody/page_server.hpp"

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

void accept_connections(tcp::acceptor& door, asio::steady_timer& pause, view::page_server& h) {
  door.async_accept([&](boost::system::error_code bad, tcp::socket socket) {
    if (bad == asio::error::operation_aborted) return;
    if (!bad) {
      view::serve(std::move(socket), h);
      return accept_connections(door, pause, h);
    }
    // Without a file descriptor to spare the next try fails at once, too.
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([&](boost::system::error_code) { accept_connections(door, pause, h); });
  });
}

std::string token_of(const nbody_options& o) {
  std::string token = o.token;
  if (token.empty()) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
      throw error(fault::device_failure, "the page's address", "no random numbers are available");
    for (const unsigned char b : bytes) token += fmt::format("{:02x}", b);
  }
  if (token.size() < 16 || token.size() > 256 ||
      !std::ranges::all_of(token, [](unsigned char c) { return c < 128 && std::isalnum(c); }))
    throw error(fault::bad_argument, "--token",
                "it is too short, or contains other characters than letters and "
                "digits",
                "give 16 letters and digits or more, or leave it out");
  return token;
}

tcp::acceptor open_door(asio::io_context& network, std::uint16_t port) {
  tcp::acceptor door(network);
  boost::system::error_code bad;
  door.open(tcp::v4());
  door.set_option(asio::socket_base::reuse_address(true));
  door.bind({asio::ip::address_v4::loopback(), port}, bad);
  if (!bad) door.listen(asio::socket_base::max_listen_connections, bad);
  if (bad)
    throw error(fault::bad_argument, fmt::format("--port {}", port),
                bad == asio::error::address_in_use ? "another program uses it" : bad.message(),
                "give another, or leave it out for a free one");
  return door;
}

// The network's thread, stopped with its scope.
class network_thread {
 public:
  explicit network_thread(asio::io_context& n) : network_(n), thread_([&n] { n.run(); }) {}
  ~network_thread() {
    network_.stop();
    thread_.join();
  }

 private:
  asio::io_context& network_;
  std::thread thread_;
};

view::text shared(std::string s) { return std::make_shared<const std::string>(std::move(s)); }

}  // namespace

const bool have_view = true;

void view_bodies(const nbody_options& o) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds picture_gap(16000);  // sixty a second, a little less than a screen's
  constexpr std::chrono::milliseconds facts_gap(200);

  view::page_server h;
  h.token = token_of(o);
  asio::io_context network(1);
  tcp::acceptor door = open_door(network, o.port);
  nbody_live live(o);
  h.port = door.local_endpoint().port();
  h.host = fmt::format("127.0.0.1:{}", h.port);
  asio::steady_timer pause(network);
  accept_connections(door, pause, h);

  std::uint32_t known = 0;
  const auto announce = [&] {
    known = live.generation();
    asio::post(network, [&h, scene = shared(live.scene()), looks = shared(live.looks()), facts = shared(live.facts()),
                         picture = shared(live.picture())] {
      h.scene = scene, h.looks = looks, h.facts = facts, h.picture = picture;
      h.news();
      h.feed();
    });
  };
  announce();
  const network_thread answering(network);
  fmt::print("The bodies are at http://{}/{}/\nCtrl-C ends.\n", h.host, h.token);
  std::fflush(stdout);

  // Waits for the first page, so that it sees the beginning.
  while (h.pages == 0) h.asked.wait(std::chrono::milliseconds(20));

  clock::time_point last_picture{}, last_facts{};
  std::uint64_t shown = ~std::uint64_t{0};
  for (std::uint64_t turns = 0;;) {
    bool ordered = false;
    for (const std::string& order : h.asked.take()) {
      ordered = true;
      if (std::string said = live.heed(order); !said.empty()) {
        asio::post(network, [&h, said = shared(std::move(said))] { h.tell(view::said, said); });
      } else if (live.generation() == known) {
        asio::post(network, [&h, scene = shared(live.scene())] {
          h.scene = scene;
          h.tell(view::scene, scene);
        });
      }
    }
    if (live.generation() != known) announce();
    const bool moved = live.turn();
    turns += moved || ordered;
    const auto now = clock::now();
    // Pictures do not heap up before a network thread that is late: the next is made when it has passed this one on.
    if (shown != turns && now - last_picture >= picture_gap && h.hungry.exchange(false)) {
      last_picture = now, shown = turns;
      asio::post(network, [&h, picture = shared(live.picture())] {
        h.picture = picture;
        h.tell(view::picture, picture);
        h.feed();
      });
    }
    if (now - last_facts >= facts_gap) {
      last_facts = now;
      asio::post(network, [&h, facts = shared(live.facts())] {
        h.facts = facts;
        h.tell(view::facts, facts);
      });
    }
    if (!moved) h.asked.wait(std::chrono::milliseconds(4));
  }
}

#else

const bool have_view = false;

void view_bodies(const nbody_options&) {
  throw error(fault::unsupported, "--view", "it is off in this build", "install libboost-dev and build again");
}

#endif
