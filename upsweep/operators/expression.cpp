// C's expressions: read by recursive descent into nodes, and compiled for one type of its arguments into
// steps of one kind and type each. Nothing that an expression does can be seen but its result, so that both sides of
// && || and ?: are calculated.
#include "upsweep/expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "upsweep/core/expression_literals.hpp"
#include "upsweep/core/problem_base.hpp"

namespace upsweep::core {

namespace {

// The types that are calculated in, from the narrowest to the widest as C ranks them.
enum class number : std::uint8_t { i32, u32, i64, u64, f32, f64 };
constexpr const char* number_names[]{"int", "uint", "long", "ulong", "float", "double"};
constexpr bool is_float(number t) { return t >= number::f32; }

// The types of a cast: OpenCL C's names, in the order of C's ranks.
struct cast_type {
  std::string_view name;
  number in;
  int bytes;  // fewer than four: of an int, and whether signed is in its name
};
constexpr cast_type cast_types[]{{"char", number::i32, 1},   {"uchar", number::i32, 1}, {"short", number::i32, 2},
                                 {"ushort", number::i32, 2}, {"int", number::i32, 4},   {"uint", number::u32, 4},
                                 {"long", number::i64, 8},   {"ulong", number::u64, 8}, {"float", number::f32, 4},
                                 {"double", number::f64, 8}};

enum class kind : std::uint8_t {
  literal,
  argument,
  negate,
  opposite,
  complement,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  both,
  either,
  choose,
  cast,
  root,
  absolute,
  lower,
  upper,
  truncated,
  rounded,
  least,
  greatest,
  least_float,
  greatest_float,
  is_nan,
  is_inf,
  is_finite
};

struct function {
  std::string_view name;
  kind what;
  int arguments;
};
constexpr function functions[]{
    {"sqrt", kind::root, 1},           {"fabs", kind::absolute, 1},   {"floor", kind::lower, 1},
    {"ceil", kind::upper, 1},          {"trunc", kind::truncated, 1}, {"rint", kind::rounded, 1},
    {"min", kind::least, 2},           {"max", kind::greatest, 2},    {"fmin", kind::least_float, 2},
    {"fmax", kind::greatest_float, 2}, {"isnan", kind::is_nan, 1},    {"isinf", kind::is_inf, 1},
    {"isfinite", kind::is_finite, 1}};

// Bytes of UTF-8 after the first of a character.
bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

[[noreturn]] void fail(const std::string& source, std::size_t at, const std::string& what, const std::string& remedy) {
  const auto before = at ? source.rfind('\n', at - 1) : std::string::npos;
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const auto first = source.begin() + static_cast<std::ptrdiff_t>(begin),
             here = source.begin() + static_cast<std::ptrdiff_t>(at);
  std::string place = "character " + std::to_string(std::count_if(first, here, [](char c) { return !goes_on(c); }) + 1);
  if (begin)
    place = "line " +
            std::to_string(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1) +
            ", " + place;
  throw error(fault::bad_argument, "expression, " + place, what, remedy);
}

}  // namespace

struct compiled_expression::node {
  kind what = kind::literal;
  std::size_t at = 0;
  int a = -1, b = -1, c = -1;  // operands
  number type = number::i32;   // of a literal
  calculated value{};
  char name = 0;  // of an argument
  const cast_type* to = nullptr;
  std::size_t end = 0;  // of a literal in the source; 0 of true and false, and of literals that stay in the source
  enum : std::uint8_t { no, by_bits, by_name } is_value = no;  // a literal as as_float(bits), or as a name
};

struct compiled_expression::steps {
  struct step {
    void (*run)(calculated* places, const step&);
    std::uint16_t to, a, b, c;
  };
  std::vector<step> all;
  std::vector<calculated> places;  // arguments, literals, and the results of the steps
  std::uint16_t result = 0;
};

namespace {

using node = compiled_expression::node;

// Each function is a rule of the grammar, from the loosest to the tightest.
class reader {
 public:
  explicit reader(const std::string& source, std::span<const named_value> values = {})
      : source_(source), values_(values), is_used_(values.size()) {
    for (std::size_t k = 0; k < values.size(); ++k) check_name(k);
  }

  std::vector<node> whole() {
    choice();
    if (!at_end()) fail_here("'" + next_word() + "' is not expected here", peek() == '=' ? "== compares" : "");
    for (std::size_t k = 0; k < values_.size(); ++k)
      if (!is_used_[k])
        throw error(fault::bad_argument, "expression",
                    "a value named '" + values_[k].name + "' is given, and '" + source_ + "' does not use it",
                    "leave it out, or use its name");
    return std::move(nodes_);
  }

 private:
  static constexpr std::size_t most_nodes = 1000;
  static constexpr int deepest = 200;

  [[noreturn]] void fail_at(std::size_t at, const std::string& what, const std::string& remedy = {}) const {
    fail(source_, at, what, remedy);
  }
  [[noreturn]] void fail_here(const std::string& what, const std::string& remedy = {}) const {
    fail_at(at_, what, remedy);
  }
  void check_name(std::size_t k) const {
    const std::string& name = values_[k].name;
    const auto wrong = [&](const char* why) {
      throw error(fault::bad_argument, "expression", "'" + name + "' cannot name a value: " + why, "give another name");
    };
    if (name.empty() || is_digit(name[0]) || !std::all_of(name.begin(), name.end(), in_name))
      wrong("a name has letters, digits and _, and does not begin with a digit");
    if (name == "true" || name == "false" || type_named(name) || type_of_bits(name))
      wrong("it has a meaning of its own");
    for (const function& f : functions)
      if (f.name == name) wrong("it is a function");
    for (std::size_t j = 0; j < k; ++j)
      if (values_[j].name == name) wrong("two values have this name");
  }
  // The type that as_float(bits) and its kin have.
  static std::optional<number> type_of_bits(std::string_view word) {
    if (!word.starts_with("as_")) return std::nullopt;
    for (std::size_t k = 0; k < std::size(number_names); ++k)
      if (word.substr(3) == number_names[k]) return static_cast<number>(k);
    return std::nullopt;
  }

  int add(node n) {
    if (nodes_.size() >= most_nodes) fail_at(n.at, "it is too long", "split it");
    nodes_.push_back(n);
    return static_cast<int>(nodes_.size()) - 1;
  }
  int add(kind what, std::size_t at, int a, int b = -1, int c = -1) {
    node n;
    n.what = what, n.at = at, n.a = a, n.b = b, n.c = c;
    return add(n);
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c); }
  char peek(std::size_t further = 0) const { return at_ + further < source_.size() ? source_[at_ + further] : '\0'; }
  void skip_spaces() {
    while (is_space(peek())) ++at_;
  }
  bool at_end() {
    skip_spaces();
    return at_ == source_.size();
  }
  // A sign that is not the beginning of a longer one.
  bool take(std::string_view sign) {
    skip_spaces();
    if (std::string_view(source_).substr(at_, sign.size()) != sign) return false;
    const char last = sign.back(), next = peek(sign.size());
    const bool longer =
        (next == '=' && std::string_view("<>=!+-*/%&|^").find(last) != std::string_view::npos) ||
        (sign.size() == 1 && next == last && std::string_view("<>&|=+-").find(last) != std::string_view::npos);
    if (longer) return false;
    at_ += sign.size();
    return true;
  }
  std::string next_word() {
    skip_spaces();
    std::size_t end = at_;
    while (end < source_.size() && in_name(source_[end])) ++end;
    if (end > at_) return source_.substr(at_, end - at_);
    // A whole character of UTF-8, so that a message of it can be read.
    end = std::min(at_ + 1, source_.size());
    while (end < source_.size() && goes_on(source_[end])) ++end;
    return source_.substr(at_, end - at_);
  }

  int choice() {
    if (++depth_ > deepest) fail_here("it nests too deep", "split it");
    const int asked = binary(0);
    int all = asked;
    if (const std::size_t at = place(); take("?")) {
      const int yes = choice();
      if (!take(":")) fail_here("the : of a ?: is expected here");
      all = add(kind::choose, at, asked, yes, choice());
    }
    --depth_;
    return all;
  }
  std::size_t place() {
    skip_spaces();
    return at_;
  }

  struct binary_sign {
    std::string_view sign;
    kind what;
  };
  int binary(std::size_t level) {
    static const std::vector<std::vector<binary_sign>> levels{
        {{"||", kind::either}},
        {{"&&", kind::both}},
        {{"|", kind::bit_or}},
        {{"^", kind::bit_xor}},
        {{"&", kind::bit_and}},
        {{"==", kind::equal}, {"!=", kind::not_equal}},
        {{"<=", kind::less_equal}, {">=", kind::greater_equal}, {"<", kind::less}, {">", kind::greater}},
        {{"<<", kind::shift_left}, {">>", kind::shift_right}},
        {{"+", kind::add}, {"-", kind::subtract}},
        {{"*", kind::multiply}, {"/", kind::divide}, {"%", kind::remainder}}};
    if (level == levels.size()) return unary();
    int left = binary(level + 1);
    for (bool more = true; more;) {
      more = false;
      const std::size_t at = place();
      for (const auto& [sign, what] : levels[level])
        if (take(sign)) {
          left = add(what, at, left, binary(level + 1));
          more = true;
          break;
        }
    }
    return left;
  }

  int unary() {
    if (++depth_ > deepest) fail_here("it nests too deep", "split it");
    const std::size_t at = place();
    int made = -1;
    if (peek() == '+' && peek(1) == '+') fail_here("++ is not supported");
    if (peek() == '-' && peek(1) == '-') fail_here("-- is not supported", "write - -x");
    if (take("-")) {
      made = add(kind::negate, at, unary());
    } else if (take("+")) {
      made = unary();
    } else if (take("!")) {
      made = add(kind::opposite, at, unary());
    } else if (take("~")) {
      made = add(kind::complement, at, unary());
    } else {
      made = atom();
    }
    --depth_;
    return made;
  }

  const cast_type* type_named(std::string_view name) const {
    for (const cast_type& t : cast_types)
      if (t.name == name) return &t;
    return nullptr;
  }

  int atom() {
    const std::size_t at = place();
    if (at == source_.size())
      fail_here(source_.find_first_not_of(" \t\r\n") == std::string::npos
                    ? "it is empty"
                    : "it ends where a number or a name is expected",
                "write an expression such as x * x + 1");
    if (take("(")) {
      if (const cast_type* to = type_named(next_word())) {
        at_ += to->name.size();
        if (!take(")")) fail_here("the ) of a cast is expected here");
        node n;
        n.what = kind::cast, n.at = at, n.a = unary(), n.to = to;
        return add(n);
      }
      const int inner = choice();
      if (!take(")")) {
        if (at_end()) fail_at(at, "this parenthesis is never closed", "close it with )");
        fail_here("'" + next_word() + "' is not expected here", peek() == '=' ? "== compares" : "a ) may be missing");
      }
      return inner;
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return literal();
    const std::string word = next_word();
    if (!in_name(word[0])) fail_here("a number or a name is expected, not '" + word + "'");
    at_ += word.size();
    if (word == "true" || word == "false") {
      node n;
      n.at = at, n.value.i32 = word == "true";
      return add(n);
    }
    const std::size_t end = at_;
    if (skip_spaces(); peek() == '(') return call(word, at);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (values_[k].name != word) continue;
      is_used_[k] = true;
      node n;
      n.at = at, n.end = end, n.is_value = node::by_name;
      n.type = static_cast<number>(values_[k].type), n.value = values_[k].value;
      return add(n);
    }
    if (word.size() != 1 || (word != "x" && word != "i" && (word[0] < 'a' || word[0] > 'h')))
      fail_at(at, "there is no name '" + word + "'", "x is an element, a and b are two, i is an index");
    if (named_ && (named_ == 'x' || named_ == 'i' || word == "x" || word == "i") && named_ != word[0])
      fail_at(at, std::string("'") + named_ + "' and '" + word + "' cannot be used in the same function",
              "x is a single element, a and b are two, i is a single index");
    named_ = word[0];
    node n;
    n.what = kind::argument, n.at = at, n.name = word[0];
    return add(n);
  }

  int call(const std::string& word, std::size_t at) {
    if (const auto type = type_of_bits(word)) return value_of_bits(*type, word, at);
    for (const function& f : functions) {
      if (f.name != word) continue;
      take("(");
      const int a = choice();
      int b = -1;
      if (f.arguments == 2) {
        if (!take(",")) fail_here(word + " takes two arguments");
        b = choice();
      }
      if (!take(")")) fail_here("the ) of " + word + " is expected here");
      return add(f.what, at, a, b);
    }
    fail_at(at, "there is no function '" + word + "'",
            "there are sqrt fabs floor ceil trunc rint min max fmin fmax isnan isinf isfinite");
  }

  // as_float(0x3f800000u): a value by its bits.
  int value_of_bits(number type, const std::string& word, std::size_t at) {
    take("(");
    skip_spaces();
    const bool wide = size_of(static_cast<literal_type>(type)) == 8;
    if (!is_digit(peek())) fail_here(word + " takes a literal");
    const int k = literal();
    const node bits = nodes_[static_cast<std::size_t>(k)];
    if (bits.type != (wide ? number::u64 : number::u32))
      fail_at(bits.at, word + " takes a literal of type " + (wide ? "ulong" : "uint"),
              wide ? "add ul to it" : "add u to it");
    if (!take(")")) fail_here("the ) of " + word + " is expected here");
    node& n = nodes_[static_cast<std::size_t>(k)];
    n.at = at, n.end = at_, n.type = type, n.is_value = node::by_bits;  // the members of a value share their bytes
    return k;
  }

  int literal() {
    const std::size_t at = at_;
    std::size_t end = at_;
    const bool hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (end < source_.size() && (in_name(source_[end]) || source_[end] == '.' ||
                                    ((source_[end] == '+' || source_[end] == '-') && !hex &&
                                     (source_[end - 1] == 'e' || source_[end - 1] == 'E'))))
      ++end;
    std::string_view digits = std::string_view(source_).substr(at, end - at);
    at_ = end;
    node n;
    n.at = at;
    const auto wrong = [&] { fail_at(at, "'" + source_.substr(at, end - at) + "' is not a number"); };
    if (!hex && digits.find_first_of(".eE") != std::string_view::npos) {
      const bool is_single = digits.back() == 'f' || digits.back() == 'F';
      if (is_single) digits.remove_suffix(1);
      const char* const last = digits.data() + digits.size();
      n.type = is_single ? number::f32 : number::f64;
      const auto read = is_single ? std::from_chars(digits.data(), last, n.value.f32)
                                  : std::from_chars(digits.data(), last, n.value.f64);
      if (read.ec != std::errc() || read.ptr != last) wrong();
      n.end = end;
      return add(n);
    }
    bool is_unsigned = false, is_long = false;
    for (; !digits.empty() &&
           (digits.back() == 'u' || digits.back() == 'U' || digits.back() == 'l' || digits.back() == 'L');
         digits.remove_suffix(1))
      (digits.back() == 'u' || digits.back() == 'U' ? is_unsigned : is_long) = true;
    const std::string_view suffix = std::string_view(source_).substr(at + digits.size(), end - at - digits.size());
    n.end = std::count(suffix.begin(), suffix.end(), 'l') + std::count(suffix.begin(), suffix.end(), 'L') > 1 ? 0 : end;
    const bool octal = !hex && digits.size() > 1 && digits[0] == '0';
    if (hex) digits.remove_prefix(2);
    std::uint64_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : octal ? 8 : 10);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) wrong();
    // The first type that holds it, as C chooses; a decimal one without u is signed.
    const bool bare = !hex && !octal && !is_unsigned;
    if (!is_long && !is_unsigned && value <= INT32_MAX) {
      n.type = number::i32, n.value.i32 = static_cast<std::int32_t>(value);
    } else if (!is_long && !bare && value <= UINT32_MAX) {
      n.type = number::u32, n.value.u32 = static_cast<std::uint32_t>(value);
    } else if (!is_unsigned && value <= INT64_MAX) {
      n.type = number::i64, n.value.i64 = static_cast<std::int64_t>(value);
    } else {
      if (bare) fail_at(at, "no signed integer type holds this", "add u to it");
      n.type = number::u64, n.value.u64 = value;
    }
    return add(n);
  }

  const std::string& source_;
  std::span<const named_value> values_;
  std::vector<bool> is_used_;
  std::size_t at_ = 0;
  int depth_ = 0;
  char named_ = 0;
  std::vector<node> nodes_;
};

// ---- Steps. W is the type that the operands are of.

using step = compiled_expression::steps::step;

template <class W>
W& of(calculated& c) {
  if constexpr (std::is_same_v<W, std::int32_t>)
    return c.i32;
  else if constexpr (std::is_same_v<W, std::uint32_t>)
    return c.u32;
  else if constexpr (std::is_same_v<W, std::int64_t>)
    return c.i64;
  else if constexpr (std::is_same_v<W, std::uint64_t>)
    return c.u64;
  else if constexpr (std::is_same_v<W, float>)
    return c.f32;
  else
    return c.f64;
}

template <class To, class From>
To brought(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // C leaves the conversion undefined if To cannot hold the value. Here the result is the nearest value, and 0 for a
    // NaN.
    if (!(x == x)) return 0;
    if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}

template <kind K, class W>
W calculate(W a, [[maybe_unused]] W b) {
  if constexpr (std::is_floating_point_v<W>) {
    if constexpr (K == kind::add)
      return a + b;
    else if constexpr (K == kind::subtract)
      return a - b;
    else if constexpr (K == kind::multiply)
      return a * b;
    else if constexpr (K == kind::divide)
      return a / b;
    else if constexpr (K == kind::negate)
      return -a;
    else if constexpr (K == kind::root)
      return std::sqrt(a);
    else if constexpr (K == kind::absolute)
      return std::fabs(a);
    else if constexpr (K == kind::lower)
      return std::floor(a);
    else if constexpr (K == kind::upper)
      return std::ceil(a);
    else if constexpr (K == kind::truncated)
      return std::trunc(a);
    else if constexpr (K == kind::rounded)
      return std::nearbyint(a);
    else if constexpr (K == kind::least_float)
      return std::fmin(a, b);
    else if constexpr (K == kind::greatest_float)
      return std::fmax(a, b);
    else
      return W{};
  } else {
    using U = std::make_unsigned_t<W>;  // which wraps
    constexpr U bits = 8 * sizeof(W) - 1;
    if constexpr (K == kind::add)
      return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
    else if constexpr (K == kind::subtract)
      return static_cast<W>(static_cast<U>(a) - static_cast<U>(b));
    else if constexpr (K == kind::multiply)
      return static_cast<W>(static_cast<U>(a) * static_cast<U>(b));
    else if constexpr (K == kind::negate)
      return static_cast<W>(U{0} - static_cast<U>(a));
    else if constexpr (K == kind::complement)
      return static_cast<W>(~a);
    else if constexpr (K == kind::divide || K == kind::remainder) {
      if (b == 0) return 0;
      if constexpr (std::is_signed_v<W>)
        if (b == -1) return K == kind::divide ? static_cast<W>(U{0} - static_cast<U>(a)) : W{0};
      return K == kind::divide ? a / b : a % b;
    } else if constexpr (K == kind::shift_left)
      return static_cast<W>(static_cast<U>(a) << (static_cast<U>(b) & bits));
    else if constexpr (K == kind::shift_right)
      return static_cast<W>(a >> (static_cast<U>(b) & bits));
    else if constexpr (K == kind::bit_and)
      return a & b;
    else if constexpr (K == kind::bit_xor)
      return a ^ b;
    else if constexpr (K == kind::bit_or)
      return a | b;
    else if constexpr (K == kind::least)
      return b < a ? b : a;
    else if constexpr (K == kind::greatest)
      return a < b ? b : a;
    else
      return W{};
  }
}

template <kind K, class W>
bool asks(W a, [[maybe_unused]] W b) {
  if constexpr (K == kind::less)
    return a < b;
  else if constexpr (K == kind::less_equal)
    return a <= b;
  else if constexpr (K == kind::greater)
    return a > b;
  else if constexpr (K == kind::greater_equal)
    return a >= b;
  else if constexpr (K == kind::equal)
    return a == b;
  else if constexpr (K == kind::not_equal)
    return a != b;
  else if constexpr (K == kind::opposite)
    return a == W{};
  else if constexpr (K == kind::both)
    return a != W{} && b != W{};
  else if constexpr (K == kind::either)
    return a != W{} || b != W{};
  else if constexpr (K == kind::is_nan)
    return std::isnan(static_cast<double>(a));
  else if constexpr (K == kind::is_inf)
    return std::isinf(static_cast<double>(a));
  else
    return std::isfinite(static_cast<double>(a));
}

template <kind K, class W>
void run_step(calculated* p, const step& s) {
  if constexpr (K >= kind::less && K <= kind::not_equal) {
    p[s.to].i32 = asks<K>(of<W>(p[s.a]), of<W>(p[s.b]));
  } else if constexpr (K == kind::both || K == kind::either) {
    p[s.to].i32 = asks<K>(p[s.a].i32, p[s.b].i32);
  } else if constexpr (K == kind::opposite || K >= kind::is_nan) {
    p[s.to].i32 = asks<K>(of<W>(p[s.a]), W{});
  } else if constexpr (K == kind::choose) {
    of<W>(p[s.to]) = p[s.a].i32 ? of<W>(p[s.b]) : of<W>(p[s.c]);
  } else {
    of<W>(p[s.to]) = calculate<K>(of<W>(p[s.a]), of<W>(p[s.b]));
  }
}

template <class From, class To>
void run_conversion(calculated* p, const step& s) {
  of<To>(p[s.to]) = brought<To>(of<From>(p[s.a]));
}
template <class Narrow>
void run_narrowing(calculated* p, const step& s) {
  p[s.to].i32 = static_cast<Narrow>(p[s.a].i32);
}
template <class W>
void run_truth(calculated* p, const step& s) {
  p[s.to].i32 = of<W>(p[s.a]) != W{};
}

using run_type = void (*)(calculated*, const step&);

// f(W{}) for the type.
template <class F>
run_type by_type(number t, F f) {
  switch (t) {
    case number::i32: return f(std::int32_t{});
    case number::u32: return f(std::uint32_t{});
    case number::i64: return f(std::int64_t{});
    case number::u64: return f(std::uint64_t{});
    case number::f32: return f(float{});
    default: return f(double{});
  }
}

template <std::size_t... K>
run_type step_of(kind what, number type, std::index_sequence<K...>) {
  run_type found = nullptr;
  ((static_cast<kind>(K) == what
        ? (void)(found = by_type(type, []<class W>(W) -> run_type { return run_step<static_cast<kind>(K), W>; }))
        : void()),
   ...);
  return found;
}
run_type step_of(kind what, number type) {
  return step_of(what, type, std::make_index_sequence<static_cast<std::size_t>(kind::is_finite) + 1>());
}

class compiler {
 public:
  compiler(const std::string& source, const node* nodes, number type) : source_(source), nodes_(nodes), type_(type) {
    made_.places.resize(most_arguments);
  }

  compiled_expression::steps compiled(int root) {
    made_.result = to_type(visit(root), type_).place;
    return std::move(made_);
  }

 private:
  static constexpr std::size_t most_arguments = 8;  // a to h

  struct value {
    std::uint16_t place;
    number type;
  };

  std::uint16_t allocate_place() {
    made_.places.emplace_back();
    return static_cast<std::uint16_t>(made_.places.size() - 1);
  }
  std::uint16_t add(run_type run, std::uint16_t a, std::uint16_t b = 0, std::uint16_t c = 0) {
    const std::uint16_t to = allocate_place();
    made_.all.push_back({run, to, a, b, c});
    return to;
  }
  value to_type(value v, number t) {
    if (v.type == t) return v;
    const run_type run = by_type(v.type, [&]<class From>(From) -> run_type {
      return by_type(t, []<class To>(To) -> run_type { return run_conversion<From, To>; });
    });
    return {add(run, v.place), t};
  }
  value truth(value v) {
    return {add(by_type(v.type, []<class W>(W) -> run_type { return run_truth<W>; }), v.place), number::i32};
  }
  [[noreturn]] void refuse(const node& n, const std::string& what, const std::string& remedy) const {
    fail(source_, n.at, what, remedy);
  }

  value argument(const node& n) const {
    const bool alone = n.name == 'x' || n.name == 'i';
    return {static_cast<std::uint16_t>(alone ? 0 : n.name - 'a'), type_};
  }

  value visit(int at) {
    const node& n = nodes_[at];
    switch (n.what) {
      case kind::literal: {
        const std::uint16_t to = allocate_place();
        made_.places[to] = n.value;
        return {to, n.type};
      }
      case kind::argument: return argument(n);
      case kind::cast: return narrowed(to_type(visit(n.a), n.to->in), *n.to);
      case kind::choose: {
        const value asked = truth(visit(n.a));
        value yes = visit(n.b), no = visit(n.c);
        const number t = std::max(yes.type, no.type);
        yes = to_type(yes, t), no = to_type(no, t);
        return {add(step_of(n.what, t), asked.place, yes.place, no.place), t};
      }
      case kind::both:
      case kind::either: {
        const value a = truth(visit(n.a)), b = truth(visit(n.b));
        return {add(step_of(n.what, number::i32), a.place, b.place), number::i32};
      }
      default: break;
    }
    value a = visit(n.a), b = n.b < 0 ? a : visit(n.b);
    const bool shifts = n.what == kind::shift_left || n.what == kind::shift_right;
    const bool integers = shifts || n.what == kind::remainder || n.what == kind::complement ||
                          n.what == kind::bit_and || n.what == kind::bit_xor || n.what == kind::bit_or ||
                          n.what == kind::least || n.what == kind::greatest;
    const bool floats = n.what >= kind::root && n.what <= kind::rounded;
    const bool floats_too = n.what == kind::least_float || n.what == kind::greatest_float || n.what >= kind::is_nan;
    if (integers && (is_float(a.type) || is_float(b.type)))
      refuse(n,
             "integers are expected here, not " + std::string(number_names[static_cast<int>(std::max(a.type, b.type))]),
             "cast them, as in (int)x");
    if ((floats || floats_too) && (!is_float(a.type) || a.type != b.type))
      refuse(n,
             "floats of one type are expected here, not " + std::string(number_names[static_cast<int>(a.type)]) +
                 (n.b < 0 ? "" : " and " + std::string(number_names[static_cast<int>(b.type)])),
             "cast them, as in (float)x, or write 1.0f");
    if ((n.what == kind::least || n.what == kind::greatest) && a.type != b.type)
      refuse(n,
             "integers of one type are expected here, not " + std::string(number_names[static_cast<int>(a.type)]) +
                 " and " + number_names[static_cast<int>(b.type)],
             "cast them, or write 1u");
    number t = std::max(a.type, b.type);
    if (shifts) t = a.type;
    a = to_type(a, t), b = n.b < 0 ? a : to_type(b, t);
    const bool asks =
        (n.what >= kind::less && n.what <= kind::not_equal) || n.what == kind::opposite || n.what >= kind::is_nan;
    return {add(step_of(n.what, t), a.place, b.place), asks ? number::i32 : t};
  }

  value narrowed(value v, const cast_type& to) {
    if (to.bytes == 4 || to.bytes == 8) return v;
    const run_type run = to.name == "char"    ? run_narrowing<std::int8_t>
                         : to.name == "uchar" ? run_narrowing<std::uint8_t>
                         : to.name == "short" ? run_narrowing<std::int16_t>
                                              : run_narrowing<std::uint16_t>;
    return {add(run, v.place), number::i32};
  }

  const std::string& source_;
  const node* nodes_;
  number type_;
  compiled_expression::steps made_;
};

}  // namespace

namespace {

void negate(literal& l) {
  const auto as = [&]<class T>(T x) {
    std::memcpy(&x, l.bytes, sizeof x);
    x = calculate<kind::negate>(x, x);
    std::memcpy(l.bytes, &x, sizeof x);
  };
  switch (l.type) {
    case literal_type::i32: return as(std::int32_t{});
    case literal_type::u32: return as(std::uint32_t{});
    case literal_type::i64: return as(std::int64_t{});
    case literal_type::u64: return as(std::uint64_t{});
    case literal_type::f32: return as(float{});
    case literal_type::f64: return as(double{});
  }
}

}  // namespace

std::vector<placed_literal> literals_of(const std::string& source) {
  if (source.find_first_of("0123456789") == std::string::npos) return {};
  std::vector<node> all;
  try {
    all = reader(source).whole();
  } catch (const error&) {
    return {};
  }
  // Operands come before the nodes that use them.
  const auto operands_of = [](const node& n) { return std::array{n.a, n.b, n.c}; };
  std::vector<bool> constant(all.size()), stays(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    constant[i] = all[i].what != kind::argument;
    for (const int k : operands_of(all[i]))
      if (k >= 0 && !constant[static_cast<std::size_t>(k)]) constant[i] = false;
  }
  std::vector<placed_literal> found;
  for (std::size_t i = all.size(); i-- > 0;) {
    const node& n = all[i];
    if (n.what == kind::literal) {
      if (n.end == 0 || (stays[i] && n.is_value == node::no)) continue;
      placed_literal l{n.at, n.end, {static_cast<literal_type>(n.type), {}}};
      std::memcpy(l.value.bytes, &n.value, size_of(l.value.type));
      found.push_back(l);
      continue;
    }
    const bool of_one = n.what == kind::negate || n.what == kind::complement || n.what == kind::cast;
    const bool by_value = n.what == kind::divide || n.what == kind::remainder || n.what == kind::shift_left ||
                          n.what == kind::shift_right;
    for (const int k : operands_of(n))
      if (const auto operand = static_cast<std::size_t>(k); k >= 0)
        stays[operand] = stays[i] || (constant[i] && !of_one) || (by_value && constant[operand]);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  // With the sign in front of it, so that -3 and 3 are values of one literal.
  for (const node& n : all) {
    if (n.what != kind::negate) continue;
    const std::size_t number = source.find_first_not_of(" \t\r\n", n.at + 1);
    for (placed_literal& l : found)
      if (l.at == number) l.at = n.at, negate(l.value);
  }
  return found;
}

namespace {

// as_float(0x3f800000u)
std::string by_bits(const node& n) {
  const bool wide = size_of(static_cast<literal_type>(n.type)) == 8;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &n.value, wide ? 8 : 4);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, bits, 16).ptr;
  return std::string("as_") + number_names[static_cast<int>(n.type)] + "(0x" + std::string(digits, end) +
         (wide ? "ul)" : "u)");
}

}  // namespace

compiled_expression::compiled_expression(std::string source, std::span<const named_value> values)
    : source_(std::move(source)) {
  const std::vector<node> all = reader(source_, values).whole();
  std::vector<const node*> named;
  for (const node& n : all)
    if (n.is_value == node::by_name) named.push_back(&n);
  const auto is_argument = [](const node& n) { return n.what == kind::argument; };
  for (const named_value& v : values)
    if (v.name.size() == 1 && (v.name == "x" || v.name == "i" || (v.name[0] >= 'a' && v.name[0] <= 'h')) &&
        std::none_of(all.begin(), all.end(), is_argument))
      throw error(fault::bad_argument, "expression",
                  "'" + v.name + "' names a value, and '" + source_ + "' has no argument then", "give another name");
  std::sort(named.begin(), named.end(), [](const node* a, const node* b) { return a->at < b->at; });
  std::size_t done = 0;
  for (const node* n : named) {
    device_source_.append(source_, done, n->at - done) += by_bits(*n);
    done = n->end;
  }
  device_source_.append(source_, done);
  for (const node& n : all)
    if (n.what == kind::argument) {
      const bool alone = n.name == 'x' || n.name == 'i';
      least_arguments_ = alone ? 1 : std::max(least_arguments_, std::max(n.name - 'a' + 1, 2));
      most_arguments_ = alone ? 1 : 8;
    }
  auto kept = std::make_unique<node[]>(all.size());
  std::copy(all.begin(), all.end(), kept.get());
  nodes_ = std::move(kept), size_ = static_cast<int>(all.size());
}

compiled_expression::~compiled_expression() {
  for (auto& made : made_) delete made.load();
}

void compiled_expression::wrong_count(int count) const {
  throw error(
      fault::bad_argument, "expression",
      "'" + source_ + "' is called with " + std::to_string(count) + (count == 1 ? " argument" : " arguments"),
      count == 1 ? "a single argument is named x, or i if it is an index" : "arguments are named a, b and so on");
}

const compiled_expression::steps& compiled_expression::steps_for(dtype type) const {
  auto& made = made_[static_cast<int>(type)];
  if (const steps* there = made.load(std::memory_order_acquire)) return *there;
  auto fresh =
      std::make_unique<const steps>(compiler(source_, nodes_.get(), static_cast<number>(type)).compiled(size_ - 1));
  const steps* none = nullptr;
  if (made.compare_exchange_strong(none, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *none;  // another thread was first
}

calculated compiled_expression::at(dtype type, const calculated* arguments, int count) const {
  if (count < least_arguments_ || count > most_arguments_) wrong_count(count);
  const steps& s = steps_for(type);
  constexpr std::size_t few = 64;
  calculated here[few];
  std::vector<calculated> more(s.places.size() > few ? s.places.size() : 0);
  calculated* const places = more.empty() ? here : more.data();
  std::copy(s.places.begin(), s.places.end(), places);
  std::copy_n(arguments, count, places);
  for (const steps::step& each : s.all) each.run(places, each);
  return places[s.result];
}

}  // namespace upsweep::core
