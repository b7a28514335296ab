// The catalog: every variant of every algorithm, by name, with type-erased problems. The command, tests, benchmarks,
// reports and the lens iterate over it. Calls of primitives do not link it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <typeinfo>
#include <vector>

#include "upsweep/core/dispatch.hpp"

namespace upsweep {

// A primitive of any algorithm, identified by its name, "segmented-sort".
struct primitive {
  std::string_view name;

  constexpr primitive() = default;
  explicit constexpr primitive(std::string_view n) : name(n) {}
  template <class E>
    requires std::is_enum_v<E> && requires(E e) { name_of(e); }
  constexpr primitive(E e) : name(name_of(e)) {}
  friend constexpr bool operator==(const primitive&, const primitive&) = default;
};
// A template, so that overload resolution does not convert an enum to a primitive.
template <std::same_as<primitive> P>
constexpr std::string_view name_of(const P& p) {
  return p.name;
}

// A problem of any algorithm, type-erased. It has value semantics and does not allocate.
class problem {
 public:
  problem() = default;  // empty
  template <std::derived_from<problem_head> P>
  problem(const P& p) : kind_(&kind_of<P>) {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= sizeof bytes_ && alignof(P) <= 16);
    new (bytes_) P(p);
  }

  // An empty problem has an empty primitive, no operator and no head.
  primitive what() const { return kind_ ? kind_->what(bytes_) : primitive(); }
  problem_head* operator->() { return kind_->head(bytes_); }
  const problem_head* operator->() const { return kind_->head(const_cast<std::byte*>(bytes_)); }
  // Null if the problem has no operator.
  folding* fold() { return kind_ ? kind_->fold(bytes_) : nullptr; }
  const folding* fold() const { return const_cast<problem*>(this)->fold(); }
  // Whether the problem is an inclusive scan.
  bool inclusive() const { return kind_ && kind_->inclusive(bytes_); }

  // Null if the problem belongs to another algorithm.
  template <class P>
  P* get_if() {
    return kind_ && *kind_->type == typeid(P) ? reinterpret_cast<P*>(bytes_) : nullptr;
  }
  template <class P>
  const P* get_if() const {
    return const_cast<problem*>(this)->get_if<P>();
  }
  template <class P>
  P& as() {
    if (P* p = get_if<P>()) return *p;
    core::throw_error(error(fault::bad_argument, "problem", "it belongs to another algorithm", "check what() first"));
  }
  template <class P>
  const P& as() const {
    return const_cast<problem*>(this)->as<P>();
  }

 private:
  struct kind {
    const std::type_info* type;
    problem_head* (*head)(void*);
    folding* (*fold)(void*);
    primitive (*what)(const void*);
    bool (*inclusive)(const void*);
  };
  template <class P>
  static constexpr kind kind_of{&typeid(P), [](void* p) -> problem_head* { return static_cast<P*>(p); },
                                [](void* p) -> folding* {
                                  if constexpr (std::derived_from<P, folding>) return static_cast<P*>(p);
                                  return nullptr;
                                },
                                [](const void* p) -> primitive { return static_cast<const P*>(p)->what; },
                                [](const void* p) {
                                  if constexpr (requires(const P& q) { q.inclusive; })
                                    return static_cast<const P*>(p)->inclusive;
                                  return false;
                                }};

  const kind* kind_ = nullptr;
  alignas(16) std::byte bytes_[320]{};
};

// An operand of a type-erased problem: designates the member that holds its memory.
class slot {
 public:
  slot() = default;
  template <class P>
  slot(memory P::* member) {
    static const P p;
    offset_ = reinterpret_cast<const std::byte*>(&(p.*member)) - reinterpret_cast<const std::byte*>(&p);
    find_ = [](problem& q) { return reinterpret_cast<std::byte*>(&q.as<P>()); };
    name_ = "in";
    const auto is = [&](auto other, const char* name) {
      if (other == member) name_ = name;
    };
    is(&P::out, "out");
    if constexpr (requires { &P::in2; }) is(&P::in2, "in2");
    if constexpr (requires { &P::in3; }) is(&P::in3, "in3");
    if constexpr (requires { &P::out2; }) is(&P::out2, "out2");
    if constexpr (requires { &P::count; }) is(&P::count, "count");
  }
  memory& operator()(problem& p) const { return *reinterpret_cast<memory*>(find_(p) + offset_); }
  memory operator()(const problem& p) const { return (*this)(const_cast<problem&>(p)); }
  std::string_view name() const { return name_; }  // "in2"
  friend bool operator==(const slot& a, const slot& b) { return a.find_ == b.find_ && a.offset_ == b.offset_; }

 private:
  std::ptrdiff_t offset_ = 0;
  std::byte* (*find_)(problem&) = nullptr;
  const char* name_ = "";
};

// A variant of any algorithm, type-erased. variant_of documents the members that both have.
struct variant {
  std::string_view name;
  backend where = backend::cpu;
  primitive what;
  variant_kind kind = variant_kind::textbook;
  int year = 0;
  std::string_view source, teaches;
  formula work, span, launches, traffic;
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true, transforms = true, needs_commutative = false;
  bool folds = false;  // the primitive applies an operator
  bool (*takes)(op_kind, dtype) = accepts;
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  const void* own = nullptr;  // the variant_of from which this was made
  // Empty if the variant supports `p` on `d`; else a sentence with the reason.
  std::string (*refuses)(const void* own, const device& d, const problem& p) = nullptr;
  void (*starts)(const void* own, device&, const problem&) = nullptr;

  // Enqueues the work. Requires that the variant supports `p` on `d`.
  void run(device& d, const problem& p) const { starts(own, d, p); }
};

template <class P>
variant erased(const variant_of<P>& v) {
  variant e{.name = v.name,
            .where = v.where,
            .what = v.what,
            .kind = v.kind,
            .year = v.year,
            .source = v.source,
            .teaches = v.teaches,
            .work = v.work,
            .span = v.span,
            .launches = v.launches,
            .traffic = v.traffic,
            .max_n = v.max_n,
            .inclusive = v.inclusive,
            .exclusive = v.exclusive,
            .transforms = v.transforms,
            .needs_commutative = v.needs_commutative,
            .folds = std::derived_from<P, folding>,
            .takes = v.takes,
            .device_lacks = v.device_lacks,
            .limits = v.limits};
  e.own = &v;
  e.refuses = [](const void* own, const device& d, const problem& p) {
    const auto& mine = *static_cast<const variant_of<P>*>(own);
    const P* q = p.get_if<P>();
    if (!q) return std::string(mine.name) + " is not a variant of " + std::string(name_of(p.what()));
    return sentence(refused(mine, d, *q), about(&mine, *q), d);
  };
  if (v.run)
    e.starts = [](const void* own, device& d, const problem& p) {
      static_cast<const variant_of<P>*>(own)->run(d, p.as<P>());
    };
  return e;
}

template <class P>
void add(std::vector<variant>& to, std::span<const variant_of<P>> list) {
  for (const variant_of<P>& v : list) to.push_back(erased(v));
}

// The entry of one algorithm in the catalog.
struct algorithm {
  std::string_view name;
  std::vector<primitive> primitives;  // in the order of `upsweep list`
  std::vector<variant> variants;      // the library's own
  // The variant that a call would run. Throws if no variant supports the problem.
  const void* (*chosen)(const target&, const problem&) = nullptr;
  // Runs a problem whose operands are in host memory, and returns when it is done. Null if the algorithm has no such
  // form.
  void (*on_host)(const target&, const problem&) = nullptr;
};

// The entry of the algorithm with problems of type P, its lists of variants, its choose and, if it has one, its form
// for host memory.
template <class P, auto choose, auto on_host = nullptr>
algorithm listed(std::string_view name, std::vector<primitive> primitives, std::initializer_list<lists_of<P>> own) {
  algorithm r{name, std::move(primitives), {}};
  for (const lists_of<P> lists : own)
    for (const auto& list : lists) add(r.variants, list);
  r.chosen = [](const target& to, const problem& p) -> const void* { return &choose(to, p.as<P>()); };
  if constexpr (!std::is_null_pointer_v<decltype(on_host)>)
    r.on_host = [](const target& to, const problem& p) { on_host(to, p.as<P>()); };
  return r;
}

// All algorithms in the order of `upsweep list`; core/algorithm_list.hpp lists them.
const std::vector<algorithm>& algorithms();
std::vector<primitive> all_primitives();

// All linked variants, in teaching order within an algorithm, the fastest last: those of the library and those that
// add_to_catalog added. A program that calls it links all algorithms.
std::span<const variant> catalog();
// Adds the variants of the textbook (textbook.hpp). Throws if the catalog has been read before.
void add_to_catalog(std::vector<variant>);

// The variant with that name on that backend, or null.
const variant* find_variant(std::string_view name, backend where);

// Like find_variant, but throws fault::bad_argument with the nearest names, or with the backends that have the variant.
const variant& require_variant(std::string_view name, backend where);

// The feature that `v` needs and `d` lacks ("64-bit atomics"); null if there is none.
inline const char* lacking(const variant& v, const device& d) { return v.device_lacks ? v.device_lacks(d) : nullptr; }

// A sentence that says why `v` does not support `p` on `d`; empty if it does.
std::string why_not(const variant& v, const device& d, const problem& p);

// The variant that a call would run for `p`: the requested one, or the fastest. If the library has no variant that
// supports `p`, a textbook variant that does.
const variant& choose(const target&, const problem& p);
// Chooses a variant and runs it; sets the device's `last`.
void run(const target&, const problem& p);

// run() for operands in host memory; done on return. Throws if the algorithm has no form for host memory.
bool has_host_form(primitive);
void run_on_host(const target&, const problem& p);

}  // namespace upsweep
