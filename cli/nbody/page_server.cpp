#if UPSWEEP_WITH_VIEW

#include "cli/nbody/page_server.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <utility>

#include "cli/nbody/live.hpp"

namespace view {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;

namespace {

constexpr std::uint32_t most_of_request = 8192;  // bytes, with its headers; none of these requests has a body
constexpr std::size_t most_of_order = 4096;      // bytes
constexpr std::size_t most_connections = 64;     // connections that have not become a page's socket
constexpr int most_pages = 128;
constexpr std::chrono::seconds request_time(10), page_silence(60);

}  // namespace

// The socket of a page. A newer message replaces an unsent one of the same kind, so a page that does not read costs one
// pending message. A picture is sent when the page has drawn the one before the last, so a slow page sees fewer
// pictures and none late.
class client : public std::enable_shared_from_this<client> {
 public:
  client(tcp::socket socket, page_server& h) : socket_(std::move(socket)), server_(h) { ++server_.sockets; }
  ~client() {
    leave();
    --server_.sockets;
  }

  void greet(const http::request<http::string_body>& request) {
    // Beast asks a silent page, at half of that time, whether it is there.
    socket_.set_option(websocket::stream_base::timeout{request_time, page_silence, true});
    socket_.read_message_max(most_of_order);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code bad) {
      if (bad) return;
      self->socket_.next_layer().socket().set_option(tcp::no_delay(true), bad);  // only slower without
      self->server_.clients.insert(self.get());
      self->server_.pages.fetch_add(1);
      self->read();
      self->news();
    });
  }
  void news() {
    waiting_ = {server_.scene, server_.looks, waiting_[said], server_.facts, server_.picture};
    write();
  }
  void tell(kind k, const text& what) {
    waiting_[k] = what;
    write();
  }
  bool hungry() const { return undrawn_ < 2 && !waiting_[picture]; }

 private:
  void leave() {
    if (server_.clients.erase(this)) server_.feed();
  }
  void read() {
    socket_.async_read(in_, [self = shared_from_this()](beast::error_code bad, std::size_t) {
      if (bad) return self->leave();
      std::string order = beast::buffers_to_string(self->in_.data());
      self->in_.consume(self->in_.size());
      if (order == "drawn") {
        if (self->undrawn_ > 0) --self->undrawn_;
        self->write();
        self->server_.feed();
      } else {
        self->server_.asked.give(std::move(order));
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
      self->server_.feed();
    });
  }

  websocket::stream<beast::tcp_stream> socket_;
  page_server& server_;
  beast::flat_buffer in_;
  std::array<text, kinds> waiting_;
  text writing_;
  int undrawn_ = 0;
};

void page_server::feed() {
  hungry = std::any_of(clients.begin(), clients.end(), [](const client* c) { return c->hungry(); });
}

void page_server::tell(kind k, const text& what) {
  for (client* c : clients) c->tell(k, what);
}

void page_server::news() {
  for (client* c : clients) c->news();
}

// One connection: requests for the page's files, until one of them opens the socket. With too many connections the
// oldest is closed, so that idle connections cannot keep others out.
class connection : public std::enable_shared_from_this<connection> {
 public:
  connection(tcp::socket socket, page_server& h) : stream_(std::move(socket)), server_(h) {
    if (server_.connections.size() >= most_connections) {
      server_.connections.front()->stream_.close();
      server_.connections.pop_front();
    }
    place_ = server_.connections.insert(server_.connections.end(), this);
  }
  ~connection() {
    if (std::ranges::find(server_.connections, this) != server_.connections.end()) server_.connections.erase(place_);
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
        self->reply(http::status::request_header_fields_too_large, "text/plain", "The request header is too long.\n");
      else if (bad == http::error::body_limit || bad == http::error::unexpected_body)
        self->reply(http::status::payload_too_large, "text/plain", "The request must not have a body.\n");
      else if (bad.category() == make_error_code(http::error::bad_method).category() &&
               bad != http::error::end_of_stream && bad != http::error::partial_message)
        self->reply(http::status::bad_request, "text/plain", "This is not a valid request.\n");
    });
  }

 private:
  const http::request<http::string_body>& request() const { return parser_->get(); }
  void answer() {
    // Another name for this address is another site's way in (DNS rebinding).
    if (!server_.own_host(request()[http::field::host]))
      return reply(http::status::forbidden, "text/plain", "Unknown host name.\n");
    const auto behind = server_.behind_token(request().target());
    if (!behind)
      return reply(http::status::not_found, "text/plain",
                   "The address lacks the secret of the address that upsweep printed.\n");
    const beast::string_view name = *behind;
    if (name == "live") {
      if (!websocket::is_upgrade(request()))
        return reply(http::status::bad_request, "text/plain", "This address is a WebSocket.\n");
      if (!server_.own_origin(request()[http::field::origin]))
        return reply(http::status::forbidden, "text/plain", "Only the page of upsweep may connect.\n");
      if (server_.sockets >= most_pages)
        return reply(http::status::service_unavailable, "text/plain", "Too many pages are connected.\n");
      stream_.expires_never();  // the socket has time limits of its own
      return std::make_shared<client>(stream_.release_socket(), server_)->greet(request());
    }
    if (request().method() != http::verb::get)
      return reply(http::status::method_not_allowed, "text/plain", "Only GET is supported.\n");
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
                              server_.own_host(asked) ? std::string(asked) : server_.host));
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
  page_server& server_;
  std::list<connection*>::iterator place_;
  beast::flat_buffer in_{2 * most_of_request};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  bool last_ = false;
};

void serve(tcp::socket socket, page_server& h) { std::make_shared<connection>(std::move(socket), h)->read(); }

}  // namespace view

#endif
