// From the public calls to the algorithm's descriptors: copies texts and outputs to and from the context's device.
#include <algorithm>

#include "upsweep/buffer.hpp"
#include "upsweep/lex.hpp"
#include "upsweep/lex/lex_problem.hpp"

namespace upsweep {

namespace {

using namespace detail::lex_impl;

void require_no_opencl(const context& where) {
  if (where.kind() == backend::opencl)
    throw error(fault::unsupported, "lex", "OpenCL devices do not tokenize text", "use a CPU or a CUDA context");
}

std::vector<std::uint64_t> found_by(const context& where, problem p, device_span<const char> text) {
  require_no_opencl(where);
  p.n = text.size(), p.in = text.where();
  std::vector<std::uint64_t> found(counts_of(p));
  p.count = where.device().scratch("lex/counts", found.size() * sizeof found[0]);
  run(where, p);
  where.device().download(found.data(), p.count, found.size() * sizeof found[0]);
  return found;
}

// Host text, copied to a CUDA device where that is the place.
class text_there {
 public:
  text_there(const context& where, std::string_view text) : span_(text.data(), text.size()) {
    require_no_opencl(where);
    if (where.kind() != backend::cpu) span_ = copy_.emplace(where, std::span(text)).span();
  }
  device_span<const char> span() const { return span_; }

 private:
  device_span<const char> span_;
  std::optional<buffer<char>> copy_;
};

// An output for host memory; on a CUDA device a buffer that bring_back() copies to the host.
template <class T>
class output_there {
 public:
  output_there(const context& where, std::span<T> out, std::uint64_t most) : out_(out), span_(out.data(), out.size()) {
    if (where.kind() != backend::cpu) span_ = copy_.emplace(where, std::min<std::uint64_t>(out.size(), most)).span();
  }
  device_span<T> span() const { return span_; }
  void bring_back(const context& where, std::uint64_t count) const {
    if (copy_ && count > 0) where.device().download(out_.data(), span_.where(), count * sizeof(T));
  }

 private:
  std::span<T> out_;
  device_span<T> span_;
  std::optional<buffer<T>> copy_;
};

std::optional<std::uint64_t> place(std::uint64_t stopped) {
  return stopped == nowhere ? std::nullopt : std::optional(stopped);
}

problem tokens_of(const lexer& l) {
  problem p;
  p.what = primitive::tokens, p.rules = &l, p.counted = true;
  return p;
}
problem fields_between(char separator) {
  if (separator == '"' || separator == '\n' || separator == '\r')
    throw error(fault::bad_argument, "csv", "quotes and line ends cannot separate fields", "give another separator");
  problem p;
  p.what = primitive::fields, p.separator = separator, p.counted = true;
  return p;
}
template <class T>
problem into(device_span<T> out, problem p) {
  p.counted = false, p.out = out.where(), p.capacity = out.size();
  return p;
}

token_counts token_counts_of(const std::vector<std::uint64_t>& found) {
  return {{found.begin() + 2, found.end()}, found[0], place(found[1])};
}
field_counts field_counts_of(const std::vector<std::uint64_t>& found) { return {found[0], found[2], place(found[1])}; }

}  // namespace

token_counts count_tokens(const context& where, const lexer& l, std::string_view text) {
  return count_tokens(where, l, text_there(where, text).span());
}

token_counts count_tokens(const context& where, const lexer& l, device_span<const char> text) {
  return token_counts_of(found_by(where, tokens_of(l), text));
}

token_counts tokenize(const context& where, const lexer& l, std::string_view text, std::span<token> out) {
  const text_there from(where, text);
  const output_there<token> to(where, out, text.size());
  const token_counts all = tokenize(where, l, from.span(), to.span());
  to.bring_back(where, all.tokens);
  return all;
}

token_counts tokenize(const context& where, const lexer& l, device_span<const char> text, device_span<token> out) {
  return token_counts_of(found_by(where, into(out, tokens_of(l)), text));
}

field_counts count_fields(const context& where, std::string_view text, char separator) {
  return count_fields(where, text_there(where, text).span(), separator);
}

field_counts count_fields(const context& where, device_span<const char> text, char separator) {
  return field_counts_of(found_by(where, fields_between(separator), text));
}

field_counts find_fields(const context& where, std::string_view text, std::span<std::uint64_t> ends, char separator) {
  const text_there from(where, text);
  const output_there<std::uint64_t> to(where, ends, text.size() + 1);
  const field_counts all = find_fields(where, from.span(), to.span(), separator);
  to.bring_back(where, all.fields);
  return all;
}

field_counts find_fields(const context& where, device_span<const char> text, device_span<std::uint64_t> ends,
                         char separator) {
  return field_counts_of(found_by(where, into(ends, fields_between(separator)), text));
}

}  // namespace upsweep
