#include "upsweep/conformance/reference_fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/conformance/sequential_folds.hpp"

namespace upsweep {

namespace {

// splitmix64 of a counter: any element can be made without those before it.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }  // [0, 1)

}  // namespace

random_input::random_input(dtype type, op_kind op, std::uint64_t n, std::uint64_t seed)
    : type_(type), op_(op), n_(std::max<std::uint64_t>(n, 1)), seed_(mix(seed ^ mix(n * 64 + static_cast<int>(op)))) {
  // In one input of five nothing decides, and the result is the other one.
  turn_ = static_cast<std::uint64_t>(unit(mix(seed_)) * 1.25 * static_cast<double>(n_));
}

template <class T>
T random_input::element(std::uint64_t i) const {
  const std::uint64_t bits = mix(seed_ + i);
  const double sign = bits & 1 ? -1 : 1;
  switch (op_) {
    case op_kind::plus:
    case op_kind::bit_xor:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
      } else {
        const double magnitude = static_cast<double>(std::uint64_t{1} << (bits >> 1 & 7)) * 0x1p-4;
        return static_cast<T>(sign * (0.5 + 0x1p-53 * static_cast<double>(bits >> 12)) * magnitude);
      }
    case op_kind::multiplies:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits) | T(1);
      } else {
        // Each factor undoes the last and brings its own, so any product of neighbours stays close to 1, however many
        // they are; each is itself close enough to 1 that 2^26 of them in any other grouping, strided ones among them,
        // stay in range too.
        const double own = 1 + 0x1p-7 * unit(bits), last = 1 + 0x1p-7 * unit(mix(seed_ + i - 1));
        return static_cast<T>(sign * (own / last));
      }
    case op_kind::minimum:
    case op_kind::maximum: {
      const double reach = (static_cast<double>(i) + 1) / static_cast<double>(n_);
      double x = -1 + unit(bits) * (1 + reach);  // -1 … reach
      if (op_ == op_kind::minimum) x = -x;
      if constexpr (std::is_unsigned_v<T>) x = (x + 1) / 2;
      const double range = std::is_floating_point_v<T>
                               ? 0x1p60
                               : std::ldexp(1.0, static_cast<int>(8 * sizeof(T)) - (std::is_signed_v<T> ? 2 : 1));
      T value = static_cast<T>(x * range);
      // A double does not reach the last bits of 64.
      if constexpr (std::is_integral_v<T> && sizeof(T) == 8) value ^= static_cast<T>(mix(bits) & 0x7ff);
      return value;
    }
    case op_kind::bit_and:
    case op_kind::bit_or:
      if constexpr (std::is_integral_v<T>) {
        constexpr int width = 8 * sizeof(T);
        const bool strikes = unit(bits) * static_cast<double>(n_) < width;
        const T one = strikes ? static_cast<T>(std::make_unsigned_t<T>(1) << (bits % width)) : T(0);
        return op_ == op_kind::bit_or ? one : static_cast<T>(~one);
      } else {
        return T(0);
      }
    case op_kind::logical_and:
    case op_kind::logical_or: {
      const bool decides = i == turn_ || (i > turn_ && (bits >> 8 & 3) == 0);
      const bool truth = decides == (op_ == op_kind::logical_or);
      if (!truth) return T(0);
      constexpr int values[]{1, 2, 3, 7, 100, 256, 4096, 32768};
      const double x = values[bits >> 4 & 7] * (std::is_signed_v<T> ? sign : 1);
      return static_cast<T>(std::is_floating_point_v<T> ? x / 8 : x);
    }
    case op_kind::compose_affine: break;
  }
  const std::uint64_t map = bits ^ mix(~bits) << 32;
  // An even factor loses a bit of all that came before it.
  const bool even = unit(bits) * static_cast<double>(n_) < 8;
  return static_cast<T>(even ? map : map | 1);
}

void random_input::fill(void* to, std::uint64_t first, std::uint64_t count) const {
  with_type(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = static_cast<T*>(to);
    for (std::uint64_t i = 0; i < count; ++i) out[i] = element<T>(first + i);
  });
}

scalar random_input::start_value() const {
  return with_type(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T x = element<T>(n_ + mix(seed_) % 1024);
    const bool logical = op_ == op_kind::logical_and || op_ == op_kind::logical_or;
    return scalar::of<T>(logical ? T(x != T(0)) : x);
  });
}

struct fold_reference::implementation {
  virtual ~implementation() = default;
  virtual void reduce_input(const void* in, std::uint64_t count) = 0;
  virtual void reduce_result(const void* out, std::string& wrong) = 0;
  virtual void scan(const void* in, const void* out, std::uint64_t count, std::string& wrong) = 0;
  virtual void vector_add(const void* a, const void* b, const void* out, std::uint64_t count, std::string& wrong) = 0;
  virtual void write_scan(const void* in, void* out, std::uint64_t count) = 0;
  virtual void write_reduce(void* out) = 0;
};

namespace {

template <class T, class Op>
struct typed_reference final : fold_reference::implementation {
  using fold = typename fold_of<T, Op>::type;
  fold state;
  fold_question p;
  std::uint64_t seen = 0;

  typed_reference(const fold_question& what, double span) : state(what.init.as<T>(), span), p(what) {}

  std::string complaint(T got) const {
    std::string text = number(got) + " is not " + number(state.result());
    if (state.tolerance() > 0)
      text += " (off by " + number(state.off(got)) + ", tolerance " + number(state.tolerance()) + ")";
    return text;
  }
  std::string at(std::uint64_t i) const { return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": "; }

  void reduce_input(const void* in, std::uint64_t count) override {
    const any_transform f{p.transform};
    const T* x = static_cast<const T*>(in);
    for (std::uint64_t i = 0; i < count; ++i) state.take(x[i], f);
  }
  void reduce_result(const void* out, std::string& wrong) override {
    T got;
    std::memcpy(&got, out, sizeof got);
    if (!state.agrees(got) && wrong.empty())
      wrong = "the result of " + std::to_string(p.n) + " elements: " + complaint(got);
  }
  void scan(const void* in, const void* out, std::uint64_t count, std::string& wrong) override {
    const any_transform f{p.transform};
    const T *x = static_cast<const T*>(in), *got = static_cast<const T*>(out);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (p.inclusive) state.take(x[i], f);
      if (!state.agrees(got[i])) [[unlikely]]
        if (wrong.empty()) wrong = at(seen + i) + complaint(got[i]);
      if (!p.inclusive) state.take(x[i], f);
    }
    seen += count;
  }
  void vector_add(const void* a, const void* b, const void* out, std::uint64_t count, std::string& wrong) override {
    const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b), *got = static_cast<const T*>(out);
    for (std::uint64_t i = 0; i < count; ++i) {
      const T want = plus{}(x[i], y[i]);  // one rounding, the same everywhere
      if (!(got[i] == want) && wrong.empty()) wrong = at(seen + i) + number(got[i]) + " is not " + number(want);
    }
    seen += count;
  }
  void write_scan(const void* in, void* out, std::uint64_t count) override {
    const any_transform f{p.transform};
    const T* x = static_cast<const T*>(in);
    T* y = static_cast<T*>(out);
    for (std::uint64_t i = 0; i < count; ++i) {
      const T element = x[i];
      if (p.inclusive) state.take(element, f);
      y[i] = state.result();
      if (!p.inclusive) state.take(element, f);
    }
  }
  void write_reduce(void* out) override {
    const T value = state.result();
    std::memcpy(out, &value, sizeof value);
  }
};

std::unique_ptr<fold_reference::implementation> reference_for(const fold_question& p, double span) {
  if (!accepts(p.op, p.type))
    throw error(fault::unsupported, "fold_reference",
                std::string(name_of(p.op)) + " does not take " + std::string(name_of(p.type)),
                "choose another type or operator");
  return with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(p.op, [&](auto op) -> std::unique_ptr<fold_reference::implementation> {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>)) {
        return std::make_unique<typed_reference<T, decltype(op)>>(p, span);
      } else {
        return nullptr;
      }
    });
  });
}

}  // namespace

fold_reference::fold_reference(const fold_question& p, double span) : implementation_(reference_for(p, span)) {}
fold_reference::~fold_reference() = default;

void fold_reference::reduce_input(const void* in, std::uint64_t count) { implementation_->reduce_input(in, count); }
void fold_reference::reduce_result(const void* out) { implementation_->reduce_result(out, wrong_); }
void fold_reference::scan(const void* in, const void* out, std::uint64_t count) {
  implementation_->scan(in, out, count, wrong_);
}
void fold_reference::vector_add(const void* a, const void* b, const void* out, std::uint64_t count) {
  implementation_->vector_add(a, b, out, count, wrong_);
}

std::string what_is_wrong(const detail::reduce_impl::problem& p, const void* out, double span) {
  fold_reference o(p, span);
  o.reduce_input(p.in.address(), p.n);
  o.reduce_result(out);
  return o.wrong();
}

std::string what_is_wrong(const detail::scan_impl::problem& p, const void* out, double span) {
  fold_reference o(p, span);
  o.scan(p.in.address(), out, p.n);
  return o.wrong();
}

std::string what_is_wrong(const detail::vector_add_impl::problem& p, const void* out, double span) {
  fold_reference o(p, span);
  o.vector_add(p.in.address(), p.in2.address(), out, p.n);
  return o.wrong();
}

std::string what_is_wrong(const problem& p, const void* out, double span) {
  if (const auto* q = p.get_if<detail::reduce_impl::problem>()) return what_is_wrong(*q, out, span);
  if (const auto* q = p.get_if<detail::scan_impl::problem>()) return what_is_wrong(*q, out, span);
  if (const auto* q = p.get_if<detail::vector_add_impl::problem>()) return what_is_wrong(*q, out, span);
  return "no answer is known to a " + std::string(name_of(p.what()));
}

bool has_reference(const problem& p) {
  return p.get_if<detail::reduce_impl::problem>() || p.get_if<detail::scan_impl::problem>() ||
         p.get_if<detail::vector_add_impl::problem>();
}

void reference(const detail::reduce_impl::problem& p) {
  const auto implementation = reference_for(p, 0);
  implementation->reduce_input(p.in.address(), p.n);
  implementation->write_reduce(p.out.address());
}

void reference(const detail::scan_impl::problem& p) {
  reference_for(p, 0)->write_scan(p.in.address(), p.out.address(), p.n);
}

void reference(const detail::vector_add_impl::problem& p) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::uint64_t i = 0; i < p.n; ++i) p.out.as<T>()[i] = plus{}(p.in.as<T>()[i], p.in2.as<T>()[i]);
  });
}

void reference(const problem& p) {
  if (const auto* q = p.get_if<detail::reduce_impl::problem>()) return reference(*q);
  if (const auto* q = p.get_if<detail::scan_impl::problem>()) return reference(*q);
  if (const auto* q = p.get_if<detail::vector_add_impl::problem>()) return reference(*q);
  throw error(fault::unsupported, "reference", "no answer is known to a " + std::string(name_of(p.what())),
              "see its conformance test");
}

}  // namespace upsweep
