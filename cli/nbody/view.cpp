// upsweep nbody --view: a page and its socket on 127.0.0.1. One thread answers the network and knows only the latest
// picture; the thread that called runs the simulation and never waits for the other. Whatever comes in has a bound:
// bytes of a request, bytes of an order, orders in one turn, connections, and what is kept for each of them.
#include "cli/nbody/nbody.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

#if UPSWEEP_WITH_VIEW

#include <fmt/core.h>
#include <sys/random.h>

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "cli/nbody/live.hpp"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using text = std::shared_ptr<const std::string>;

constexpr std::uint32_t most_of_request = 8192;  // bytes, with its headers; none of these requests has a body
constexpr std::size_t most_of_order = 4096;      // bytes
constexpr std::size_t most_visitors = 64;        // connections that have not become a page's socket
constexpr int most_pages = 128;
constexpr std::chrono::seconds request_time(10), page_silence(60);

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

  bool own_host(beast::string_view name) const { return name == host || name == fmt::format("localhost:{}", port); }
  bool own_origin(beast::string_view origin) const {
    return origin.starts_with("http://") && own_host(origin.substr(7));
  }
  // What comes behind the word in the address; nothing where the word is another. The time taken does not tell how much
  // of it was right.
  std::optional<beast::string_view> behind_token(beast::string_view target) const {
    const std::size_t n = token.size();
    if (target.size() < n + 2 || target[0] != '/' || target[n + 1] != '/') return std::nullopt;
    unsigned wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong |= static_cast<unsigned char>(target[i + 1] ^ token[i]);
    if (wrong) return std::nullopt;
    return target.substr(n + 2);
  }
  void feed();
};

// A page's socket. What is newer replaces what has not been sent, of every kind, so that a page that takes nothing
// costs one message under way; a picture is sent when the page has drawn the one before the last, so a slow page sees
// fewer of them and none late.
class client : public std::enable_shared_from_this<client> {
 public:
  client(tcp::socket socket, house& h) : socket_(std::move(socket)), house_(h) { ++house_.sockets; }
  ~client() {
    leave();
    --house_.sockets;
  }

  void greet(const http::request<http::string_body>& request) {
    // Beast asks a silent page, at half of that time, whether it is there.
    socket_.set_option(websocket::stream_base::timeout{request_time, page_silence, true});
    socket_.read_message_max(most_of_order);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code bad) {
      if (bad) return;
      self->socket_.next_layer().socket().set_option(tcp::no_delay(true), bad);  // only slower without
      self->house_.clients.insert(self.get());
      self->house_.pages.fetch_add(1);
      self->read();
      self->news();
    });
  }
  void news() {
    waiting_ = {house_.scene, house_.looks, waiting_[said], house_.facts, house_.picture};
    write();
  }
  enum kind : std::uint8_t { scene, looks, said, facts, picture, kinds };  // in the order that they are sent in
  void tell(kind k, const text& what) {
    waiting_[k] = what;
    write();
  }
  bool hungry() const { return undrawn_ < 2 && !waiting_[picture]; }

 private:
  void leave() {
    if (house_.clients.erase(this)) house_.feed();
  }
  void read() {
    socket_.async_read(in_, [self = shared_from_this()](beast::error_code bad, std::size_t) {
      if (bad) return self->leave();
      std::string order = beast::buffers_to_string(self->in_.data());
      self->in_.consume(self->in_.size());
      if (order == "drawn") {
        if (self->undrawn_ > 0) --self->undrawn_;
        self->write();
        self->house_.feed();
      } else {
        self->house_.asked.give(std::move(order));
      }
      self->read();
    });
  }
  void write() {
    if (writing_) return;
    std::size_t next = 0;
    while (next < kinds && (!waiting_[next] || (next == picture && undrawn_ >= 2))) ++next;
    if (next == kinds) return;
    writing_ = std::exchange(waiting_[next], nullptr);
    if (next == picture) ++undrawn_;
    socket_.binary(writing_->front() != '{');
    socket_.async_write(asio::buffer(*writing_), [self = shared_from_this()](beast::error_code bad, std::size_t) {
      self->writing_ = nullptr;
      if (bad) return self->leave();
      self->write();
      self->house_.feed();
    });
  }

  websocket::stream<beast::tcp_stream> socket_;
  house& house_;
  beast::flat_buffer in_;
  std::array<text, kinds> waiting_;
  text writing_;
  int undrawn_ = 0;
};

void house::feed() {
  hungry = std::any_of(clients.begin(), clients.end(), [](const client* c) { return c->hungry(); });
}

// One connection: requests for the page's files, until one of them turns it into a socket. Where there are too many,
// the oldest is closed: who holds connections and asks for nothing keeps nobody out.
class visitor : public std::enable_shared_from_this<visitor> {
 public:
  visitor(tcp::socket socket, house& h) : stream_(std::move(socket)), house_(h) {
    if (house_.visitors.size() >= most_visitors) {
      house_.visitors.front()->stream_.close();
      house_.visitors.pop_front();
    }
    place_ = house_.visitors.insert(house_.visitors.end(), this);
  }
  ~visitor() {
    if (std::ranges::find(house_.visitors, this) != house_.visitors.end()) house_.visitors.erase(place_);
  }
  void read() {
    parser_.emplace();
    parser_->header_limit(most_of_request);
    parser_->body_limit(0);
    stream_.expires_after(request_time);
    http::async_read(stream_, in_, *parser_, [self = shared_from_this()](beast::error_code bad, std::size_t) {
      if (!bad) return self->answer();
      self->last_ = true;  // what follows on this connection may be anything
      if (bad == http::error::header_limit || bad == http::error::buffer_overflow)
        self->reply(http::status::request_header_fields_too_large, "text/plain", "A request here is short.\n");
      else if (bad == http::error::body_limit || bad == http::error::unexpected_body)
        self->reply(http::status::payload_too_large, "text/plain", "A request here has no body.\n");
      else if (bad.category() == make_error_code(http::error::bad_method).category() &&
               bad != http::error::end_of_stream && bad != http::error::partial_message)
        self->reply(http::status::bad_request, "text/plain", "This is no request.\n");
    });
  }

 private:
  const http::request<http::string_body>& request() const { return parser_->get(); }
  void answer() {
    // Another name for this address is another site's way in (DNS rebinding).
    if (!house_.own_host(request()[http::field::host]))
      return reply(http::status::forbidden, "text/plain", "Not by this name.\n");
    const auto behind = house_.behind_token(request().target());
    if (!behind)
      return reply(http::status::not_found, "text/plain",
                   "The address that upsweep printed has a word that this one lacks.\n");
    const beast::string_view name = *behind;
    if (name == "live") {
      if (!websocket::is_upgrade(request()))
        return reply(http::status::bad_request, "text/plain", "This is the page's socket.\n");
      if (!house_.own_origin(request()[http::field::origin]))
        return reply(http::status::forbidden, "text/plain", "Only upsweep's own page may connect.\n");
      if (house_.sockets >= most_pages)
        return reply(http::status::service_unavailable, "text/plain", "As many pages look on as can be served.\n");
      stream_.expires_never();  // the socket has time limits of its own
      return std::make_shared<client>(stream_.release_socket(), house_)->greet(request());
    }
    if (request().method() != http::verb::get)
      return reply(http::status::method_not_allowed, "text/plain", "GET alone.\n");
    const beast::string_view file = name.empty() ? "index.html" : name;
    for (const nbody_page_part* p = nbody_page_parts; p->name; ++p)
      if (file == p->name) {
        const auto is = [&](beast::string_view end) { return file.ends_with(end); };
        return reply(http::status::ok,
                     is(".js")    ? "text/javascript"
                     : is(".css") ? "text/css"
                                  : "text/html; charset=utf-8",
                     p->text);
      }
    reply(http::status::not_found, "text/plain", "There is no such file.\n");
  }
  void reply(http::status status, const char* type, const char* body) {
    const beast::string_view asked = request()[http::field::host];
    response_ = {status, request().version()};
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Content-Security-Policy",
                  fmt::format("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                              "connect-src 'self' ws://{}; frame-ancestors 'none'; base-uri 'none'",
                              house_.own_host(asked) ? std::string(asked) : house_.host));
    response_.body() = body;
    response_.keep_alive(!last_ && request().keep_alive());
    response_.prepare_payload();
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code bad, std::size_t) {
      if (!bad && self->response_.keep_alive()) return self->read();
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  house& house_;
  std::list<visitor*>::iterator place_;
  beast::flat_buffer in_{2 * most_of_request};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  bool last_ = false;
};

void welcome(tcp::acceptor& door, asio::steady_timer& pause, house& h) {
  door.async_accept([&](beast::error_code bad, tcp::socket socket) {
    if (bad == asio::error::operation_aborted) return;
    if (!bad) {
      std::make_shared<visitor>(std::move(socket), h)->read();
      return welcome(door, pause, h);
    }
    // Without a file descriptor to spare the next try fails at once, too.
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([&](beast::error_code) { welcome(door, pause, h); });
  });
}

std::string token_of(const nbody_options& o) {
  std::string token = o.token;
  if (token.empty()) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
      throw error(fault::device_failure, "the page's address", "there are no random numbers for it");
    for (const unsigned char b : bytes) token += fmt::format("{:02x}", b);
  }
  if (token.size() < 16 || token.size() > 256 ||
      !std::ranges::all_of(token, [](unsigned char c) { return c < 128 && std::isalnum(c); }))
    throw error(fault::bad_argument, "--token", "it is too short to be a secret, or not only letters and digits",
                "give 16 letters and digits or more, or leave it out");
  return token;
}

tcp::acceptor open_door(asio::io_context& network, std::uint16_t port) {
  tcp::acceptor door(network);
  beast::error_code bad;
  door.open(tcp::v4());
  door.set_option(asio::socket_base::reuse_address(true));
  door.bind({asio::ip::address_v4::loopback(), port}, bad);
  if (!bad) door.listen(asio::socket_base::max_listen_connections, bad);
  if (bad)
    throw error(fault::bad_argument, fmt::format("--port {}", port),
                bad == asio::error::address_in_use ? "another program has it" : bad.message(),
                "give another, or leave it out for one that is free");
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

text shared(std::string s) { return std::make_shared<const std::string>(std::move(s)); }

}  // namespace

const bool have_view = true;

void view_bodies(const nbody_options& o) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds picture_gap(16000);  // sixty a second, a little less than a screen's
  constexpr std::chrono::milliseconds facts_gap(200);

  house h;
  h.token = token_of(o);
  asio::io_context network(1);
  tcp::acceptor door = open_door(network, o.port);
  nbody_live live(o);
  h.port = door.local_endpoint().port();
  h.host = fmt::format("127.0.0.1:{}", h.port);
  asio::steady_timer pause(network);
  welcome(door, pause, h);

  std::uint32_t known = 0;
  const auto announce = [&] {
    known = live.generation();
    asio::post(network, [&h, scene = shared(live.scene()), looks = shared(live.looks()), facts = shared(live.facts()),
                         picture = shared(live.picture())] {
      h.scene = scene, h.looks = looks, h.facts = facts, h.picture = picture;
      for (client* c : h.clients) c->news();
      h.feed();
    });
  };
  announce();
  const network_thread answering(network);
  fmt::print("The bodies are at http://{}/{}/\nCtrl-C ends.\n", h.host, h.token);
  std::fflush(stdout);

  // Nobody is to miss the beginning.
  while (h.pages == 0) h.asked.wait(std::chrono::milliseconds(20));

  clock::time_point last_picture{}, last_facts{};
  std::uint64_t shown = ~std::uint64_t{0};
  for (std::uint64_t turns = 0;;) {
    bool ordered = false;
    for (const std::string& order : h.asked.take()) {
      ordered = true;
      try {
        live.obey(nlohmann::json::parse(order));
        if (live.generation() == known)
          asio::post(network, [&h, scene = shared(live.scene())] {
            h.scene = scene;
            for (client* c : h.clients) c->tell(client::scene, scene);
          });
      } catch (const std::exception& e) {
        asio::post(network, [&h, said = shared(nlohmann::json{{"kind", "said"}, {"text", e.what()}}.dump(
                                     -1, ' ', false, nlohmann::json::error_handler_t::replace))] {
          for (client* c : h.clients) c->tell(client::said, said);
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
        for (client* c : h.clients) c->tell(client::picture, picture);
        h.feed();
      });
    }
    if (now - last_facts >= facts_gap) {
      last_facts = now;
      asio::post(network, [&h, facts = shared(live.facts())] {
        h.facts = facts;
        for (client* c : h.clients) c->tell(client::facts, facts);
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
