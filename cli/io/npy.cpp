#include "cli/io/npy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "upsweep/error.hpp"

using upsweep::dtype;
using upsweep::error;
using upsweep::fault;

namespace {

constexpr bool little = std::endian::native == std::endian::little;

// NumPy writes a few hundred bytes; a header of a megabyte is a broken length field.
constexpr std::uint64_t longest_header = 1 << 20;
constexpr std::size_t most_axes = 64;

struct named_type {
  std::string_view name;
  stored_type type;
};
constexpr std::array<named_type, 23> named_types{{
    {"bool", {'b', 1, false}},    {"i8", {'i', 1, false}},  {"int8", {'i', 1, false}},    {"u8", {'u', 1, false}},
    {"uint8", {'u', 1, false}},   {"i16", {'i', 2, false}}, {"int16", {'i', 2, false}},   {"u16", {'u', 2, false}},
    {"uint16", {'u', 2, false}},  {"i32", {'i', 4, false}}, {"int32", {'i', 4, false}},   {"u32", {'u', 4, false}},
    {"uint32", {'u', 4, false}},  {"i64", {'i', 8, false}}, {"int64", {'i', 8, false}},   {"u64", {'u', 8, false}},
    {"uint64", {'u', 8, false}},  {"f32", {'f', 4, false}}, {"float32", {'f', 4, false}}, {"f64", {'f', 8, false}},
    {"float64", {'f', 8, false}}, {"f16", {'f', 2, false}}, {"float16", {'f', 2, false}},
}};

// "<f8": byte order, kind, size in bytes.
std::optional<stored_type> from_descr(std::string_view text) {
  if (text.size() != 3) return std::nullopt;
  const char order = text[0], kind = text[1];
  const int size = text[2] - '0';
  if (order != '<' && order != '>' && order != '|' && order != '=') return std::nullopt;
  const bool integer = (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
  if (!integer && !(kind == 'f' && (size == 2 || size == 4 || size == 8)) && !(kind == 'b' && size == 1))
    return std::nullopt;
  if (order == '|' && size != 1) return std::nullopt;
  return stored_type{kind, size, size > 1 && order == (little ? '>' : '<')};
}

// The header's text is a Python dictionary with three known keys.
class dictionary {
 public:
  dictionary(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  npy_header read() {
    npy_header h;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!next_is('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !std::exchange(have_descr, true)) {
        h.type = type();
      } else if (key == "fortran_order" && !std::exchange(have_order, true)) {
        h.fortran_order = truth();
      } else if (key == "shape" && !std::exchange(have_shape, true)) {
        h.shape = shape();
      } else {
        malformed(fmt::format("the key '{}' is unknown or repeated", printable(key)));
      }
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ < text_.size()) malformed("something follows the closing brace");
    if (!have_descr || !have_order || !have_shape) malformed("it lacks descr, fortran_order or shape");
    h.count = product(h.shape, h.type.size);
    return h;
  }

 private:
  [[noreturn]] void malformed(const std::string& how) const {
    throw error(fault::bad_argument, file_, "its .npy header is malformed: " + how, "save it again with numpy.save");
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw error(fault::unsupported, file_, "its elements are " + what,
                "convert them with numpy.astype to an integer type or to float16, float32 or float64");
  }

  static std::string printable(std::string_view text) {
    std::string safe;
    for (char c : text.substr(0, 40)) safe += c >= ' ' && c < 127 ? c : '?';
    return safe;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool next_is(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!next_is(c))
      malformed(at_ < text_.size() ? fmt::format("'{}' is missing at byte {}", c, at_) : "it ends too early");
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view quoted() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : 0;
    if (quote != '\'' && quote != '"') malformed("a quoted word is missing");
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) malformed("a quoted word does not end");
    const auto word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }

  stored_type type() {
    skip_spaces();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '{'))
      throw error(fault::unsupported, file_, "its elements are records (a structured dtype)",
                  "save one field of it: numpy.save(file, a['field'])");
    const std::string_view descr = quoted();
    if (const auto known = from_descr(descr)) return *known;
    const std::string shown = printable(descr);
    const char kind = descr.size() < 2 ? 0 : descr[1];
    if (kind == 'O' || descr == "O") unsupported("Python objects (dtype object)");
    if (kind == 'c') unsupported("complex numbers ('" + shown + "')");
    if (kind == 'S' || kind == 'U' || kind == 'a') unsupported("text ('" + shown + "')");
    if (kind == 'M' || kind == 'm') unsupported("dates or durations ('" + shown + "')");
    unsupported("of dtype '" + shown + "', which is not supported");
  }

  bool truth() {
    skip_spaces();
    if (take("True")) return true;
    if (take("False")) return false;
    malformed("fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> axes;
    expect('(');
    while (!next_is(')')) {
      skip_spaces();
      std::uint64_t extent = 0;
      const auto [stop, bad] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (bad == std::errc::result_out_of_range) malformed("an extent of the shape is too large");
      if (bad != std::errc{}) malformed("the shape contains a value that is not a count");
      at_ = static_cast<std::size_t>(stop - text_.data());
      take("L");  // Python 2 wrote long integers so
      axes.push_back(extent);
      if (axes.size() > most_axes) malformed("the shape has too many axes");
      if (!next_is(',')) {
        expect(')');
        break;
      }
    }
    return axes;
  }

  std::uint64_t product(const std::vector<std::uint64_t>& axes, int element_bytes) const {
    std::uint64_t count = 1, most = ~std::uint64_t{0} / 2 / static_cast<std::uint64_t>(element_bytes);
    for (std::uint64_t extent : axes)
      if (extent == 0) return 0;
    for (std::uint64_t extent : axes) {
      if (extent > most / count) malformed("the shape has more elements than any file can hold");
      count *= extent;
    }
    return count;
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

dtype stored_type::builtin() const {
  if (kind == 'f') return size == 2 ? dtype::f16 : size == 4 ? dtype::f32 : dtype::f64;
  if (kind == 'i') return size == 1 ? dtype::i8 : size == 2 ? dtype::i16 : size == 4 ? dtype::i32 : dtype::i64;
  return size == 1 ? dtype::u8 : size == 2 ? dtype::u16 : size == 4 ? dtype::u32 : dtype::u64;
}

std::optional<stored_type> stored_type_named(std::string_view name) {
  for (const named_type& t : named_types)
    if (t.name == name) return t.type;
  return from_descr(name);
}

std::string name_of(const stored_type& t) {
  if (t.kind == 'b') return "bool";
  return t.kind + std::to_string(8 * t.size) + (t.swapped ? (little ? " (big-endian)" : " (little-endian)") : "");
}

std::string npy_descr(dtype t) {
  const char order = upsweep::size_of(t) == 1 ? '|' : little ? '<' : '>';
  const char kind = upsweep::is_floating(t) ? 'f' : upsweep::is_signed(t) ? 'i' : 'u';
  return fmt::format("{}{}{}", order, kind, upsweep::size_of(t));
}

npy_header read_npy_header(const std::string& name, const std::function<std::uint64_t(void*, std::uint64_t)>& read) {
  unsigned char start[12];
  const std::uint64_t got = read(start, 8);
  const std::string_view magic(reinterpret_cast<const char*>(start), std::min<std::size_t>(got, 6));
  if (got == 0)
    throw error(fault::bad_argument, name, "it is empty",
                "a .npy file begins with a header even when it holds no elements");
  if (magic != npy_magic.substr(0, magic.size()))
    throw error(fault::bad_argument, name, "it is no .npy file: its first bytes are not \\x93NUMPY",
                "give its --format, or save it with numpy.save");
  if (got < 8) throw error(fault::bad_argument, name, "it is cut off inside its .npy header");
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0)
    throw error(fault::unsupported, name, fmt::format("its .npy format version is {}.{}", version, start[7]),
                "versions 1.0, 2.0 and 3.0 can be read");
  const std::uint64_t length_bytes = version == 1 ? 2 : 4;
  if (read(start + 8, length_bytes) < length_bytes)
    throw error(fault::bad_argument, name, "it is cut off inside its .npy header");
  std::uint64_t length = 0;
  for (std::uint64_t i = 0; i < length_bytes; ++i) length |= static_cast<std::uint64_t>(start[8 + i]) << (8 * i);
  if (length > longest_header)
    throw error(fault::bad_argument, name,
                fmt::format("its .npy header has a length of {} bytes, more than any header", length),
                "save it again with numpy.save");
  std::string text(length, '\0');
  if (const std::uint64_t there = read(text.data(), length); there < length)
    throw error(fault::bad_argument, name,
                fmt::format("its .npy header has a length of {} bytes and the file ends after {}", length, there),
                "it is cut off or damaged; save it again");
  npy_header h = dictionary(name, text).read();
  h.bytes = 8 + length_bytes + length;
  return h;
}

namespace {

std::string header_of_dictionary(std::string dictionary) {
  constexpr std::size_t unit = 64, before = 10;
  const std::size_t whole = (dictionary.size() + 1 + before + unit - 1) / unit * unit;
  dictionary.resize(std::max(whole, 2 * unit) - before - 1, ' ');
  dictionary += '\n';
  std::string header(npy_magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 255);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

std::string npy_header_text(dtype type, std::uint64_t count, bool truth) {
  return header_of_dictionary(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}",
                                          truth ? "|b1" : npy_descr(type), count));
}

std::string npy_header_text(dtype type, const std::vector<std::uint64_t>& shape) {
  std::string axes;
  for (const std::uint64_t n : shape) axes += fmt::format("{}, ", n);
  return header_of_dictionary(
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_descr(type), axes));
}
