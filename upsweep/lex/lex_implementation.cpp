#include "upsweep/lex/lex_implementation.hpp"

#include <algorithm>
#include <string>

namespace upsweep::detail::lex_impl {

std::uint64_t counts_of(const problem& p) { return p.what == primitive::fields ? 3 : 2 + p.rules->rules().size(); }

void too_small(const char* call) {
  throw error(fault::bad_argument, call, "the output is too small", "give as many elements as the counts");
}
void too_long(std::uint64_t first) {
  throw error(fault::unsupported, "lex", "the token at byte " + std::to_string(first) + " has 4 GiB or more",
              "give shorter tokens");
}

void store(const cut_output& out, std::uint64_t first, std::uint64_t end, std::uint32_t kind, std::uint64_t at) {
  if (out.tokens) {
    if (at >= out.capacity) too_small("tokenize");
    if (end - first > 0xffffffff) too_long(first);
    out.tokens[at] = {first, static_cast<std::uint32_t>(end - first), kind};
  }
  if (out.ends) {
    if (at >= out.capacity) too_small("find_fields");
    out.ends[at] = end;
  }
}

namespace {

// Stores into the memory of a device.
void store_there(device& d, const cut_output& out, std::uint64_t first, std::uint64_t end, std::uint32_t kind,
                 std::uint64_t at) {
  token t{};
  std::uint64_t e = 0;
  store({out.tokens ? &t : nullptr, out.ends ? &e : nullptr, at < out.capacity}, first, end, kind, 0);
  if (out.tokens) d.upload({out.tokens + at, 0}, &t, sizeof t);
  if (out.ends) d.upload({out.ends + at, 0}, &e, sizeof e);
}

// An empty output may have a null address, but a null address means that no output is requested.
template <class T>
T* address_of(const problem& p) {
  static T nothing;
  return p.counted ? nullptr : p.out.address() ? p.out.as<T>() : &nothing;
}

std::string_view text_of(const problem& p) { return {p.in.as<const char>(), p.n}; }

enum : std::uint32_t { dead, begins, plain, quoted, closing, blank, csv_states };

automaton csv_automaton(char separator) {
  automaton a;
  a.accepts.assign(csv_states, 0);
  a.next.assign(csv_states * 256, 0);
  const auto set = [&](std::uint32_t from, unsigned byte, std::uint32_t to) { a.next[from * 256 + byte] = to * 256; };
  for (unsigned byte = 0; byte < 256; ++byte) {
    set(begins, byte, plain), set(plain, byte, plain), set(quoted, byte, quoted);
    for (const std::uint32_t from : {begins, plain, closing, blank}) {
      std::uint32_t& entry = a.next[from * 256 + byte];
      if (byte == static_cast<unsigned char>(separator)) entry = automaton::ended | begins * 256;
      if (byte == '\n') entry = automaton::ended | 1u << automaton::kind_shift | begins * 256;
    }
  }
  set(begins, '"', quoted), set(quoted, '"', closing), set(closing, '"', quoted);
  for (const char c : {' ', '\t', '\r'})
    if (c != separator)
      for (const std::uint32_t from : {closing, blank}) set(from, static_cast<unsigned char>(c), blank);
  return a;
}

}  // namespace

void run_tokens(device& d, const problem& p, const ways& w) {
  const automaton& a = p.rules->automaton();
  const std::size_t kinds = p.rules->rules().size();
  kinds_skipped skip{};
  for (std::size_t k = 0; k < kinds; ++k) skip[k] = p.rules->rules()[k].skip;
  const cut_output out{address_of<token>(p), nullptr, p.capacity};
  cut_end e = w.cut(d, a, skip, text_of(p), out);
  std::uint64_t stopped = e.died.value_or(nowhere);
  if (stopped == nowhere && p.n > 0) {
    if (const int last = a.accepts[e.state >> 8]; last < 0) {
      stopped = p.n;
    } else {
      const auto kind = static_cast<std::uint32_t>(last);
      ++e.counts[kind];
      if (!skip[kind]) store_there(d, out, e.boundary, p.n, kind, e.kept++);
    }
  }
  std::array<std::uint64_t, 2 + most_kinds> found{e.kept, stopped};
  std::copy_n(e.counts.begin(), kinds, found.begin() + 2);
  d.upload(p.count, found.data(), (2 + kinds) * sizeof found[0]);
}

void run_fields(device& d, const problem& p, const ways& w) {
  std::array<std::uint64_t, 3> found{0, nowhere, 0};
  auto& [fields, stopped, records] = found;
  if (p.n > 0) {
    const cut_output out{nullptr, address_of<std::uint64_t>(p), p.capacity};
    char last = 0;
    d.download(&last, p.in.plus_bytes(p.n - 1), 1);
    bool open;  // a field, at the text's end
    const auto by_parity =
        w.fields ? w.fields(d, text_of(p), p.separator, out.ends, p.capacity) : std::optional<table_carry>();
    if (by_parity) {
      fields = by_parity->fields, records = by_parity->lines;
      if (by_parity->inside) stopped = p.n;
      open = last != '\n' || by_parity->inside;
      if (out.ends && fields > p.capacity) too_small("find_fields");
    } else {
      const cut_end e = w.cut(d, csv_automaton(p.separator), {}, text_of(p), out);
      fields = e.kept, records = e.counts[1];
      stopped = e.died.value_or(e.state == quoted * 256 ? p.n : nowhere);
      open = last != '\n' || e.state != begins * 256;
    }
    if (stopped == nowhere && open) {
      if (out.ends) store_there(d, out, 0, p.n, 0, fields);
      ++fields, ++records;
    }
  }
  d.upload(p.count, found.data(), sizeof found);
}

}  // namespace upsweep::detail::lex_impl
