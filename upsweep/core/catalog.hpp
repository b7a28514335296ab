// The catalog: every variant of every room, by name, with the types of their problems erased. Command, tests, bench,
// report and lens walk it; no call of a primitive links it.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <typeinfo>
#include <vector>

#include "upsweep/core/dispatch.hpp"

namespace upsweep {

// A primitive by name, "segmented-sort": any room's.
struct primitive {
  std::string_view name;

  constexpr primitive() = default;
  explicit constexpr primitive(std::string_view n) : name(n) {}
  template <class E>
    requires std::is_enum_v<E> && requires(E e) { name_of(e); }
  constexpr primitive(E e) : name(name_of(e)) {}
  friend constexpr bool operator==(const primitive&, const primitive&) = default;
};
// A template, so that no enum is made a primitive to find its name.
template <std::same_as<primitive> P>
constexpr std::string_view name_of(const P& p) {
  return p.name;
}

// A problem of any room. It is a value, and allocates nothing.
class problem {
 public:
  problem() = default;  // of no room
  template <std::derived_from<problem_head> P>
  problem(const P& p) : kind_(&kind_of<P>) {
    static_assert(std::is_trivially_copyable_v<P> && sizeof(P) <= sizeof bytes_ && alignof(P) <= 16);
    new (bytes_) P(p);
  }

  // Of no room: it is no primitive, folds nothing, and has no head.
  primitive what() const { return kind_ ? kind_->what(bytes_) : primitive(); }
  problem_head* operator->() { return kind_->head(bytes_); }
  const problem_head* operator->() const { return kind_->head(const_cast<std::byte*>(bytes_)); }
  // Null where no operator is applied.
  folding* fold() { return kind_ ? kind_->fold(bytes_) : nullptr; }
  const folding* fold() const { return const_cast<problem*>(this)->fold(); }
  // Whether it is an inclusive scan.
  bool inclusive() const { return kind_ && kind_->inclusive(bytes_); }

  // Null where it is of another room.
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
    throw error(fault::bad_argument, "problem", "it is of another room", "ask for what() first");
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

// An operand of a problem of any room: where its memory is named.
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

// A variant of any room: see variant_of, whose the fields are.
struct variant {
  std::string_view name;
  backend where = backend::cpu;
  primitive what;
  rung kind = rung::textbook;
  int year = 0;
  std::string_view source, teaches;
  formula work, span, launches, traffic;
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true, transforms = true, needs_commutative = false;
  bool folds = false;  // an operator is applied
  bool (*takes)(op_kind, dtype) = accepts;
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  const void* own = nullptr;  // the variant_of its room's problem
  // Empty when it can do `p` on `d`; else why not, as a sentence.
  std::string (*refuses)(const void* own, const device& d, const problem& p) = nullptr;
  void (*starts)(const void* own, device&, const problem&) = nullptr;

  // Enqueues the work, which it must be able to do.
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
    if (!q) return std::string(mine.name) + " is no " + std::string(name_of(p.what()));
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

// What a room puts into the catalog.
struct room {
  std::string_view name;
  std::vector<primitive> primitives;  // in the order of `upsweep list`
  std::vector<variant> variants;      // the library's own
  // The variant that a call would run; throws where there is none.
  const void* (*chosen)(const target&, const problem&) = nullptr;
  // Runs a problem whose operands are host memory, and returns when it is done; null where the room has no such form.
  void (*on_host)(const target&, const problem&) = nullptr;
};

// P's room, whose variants stand in these lists; its choose, and its form for host memory where it has one.
template <class P, auto choose, auto on_host = nullptr>
room listed(std::string_view name, std::vector<primitive> primitives, std::initializer_list<lists_of<P>> own) {
  room r{name, std::move(primitives), {}};
  for (const lists_of<P> lists : own)
    for (const auto& list : lists) add(r.variants, list);
  r.chosen = [](const target& to, const problem& p) -> const void* { return &choose(to, p.as<P>()); };
  if constexpr (!std::is_null_pointer_v<decltype(on_host)>)
    r.on_host = [](const target& to, const problem& p) { on_host(to, p.as<P>()); };
  return r;
}

// The rooms in the order of `upsweep list`: core/rooms.hpp names them.
const std::vector<room>& rooms();
std::vector<primitive> all_primitives();

// All variants that are linked, in teaching order within a room, the fastest last: the library's own, and what was
// added.
// Using it links all rooms.
std::span<const variant> catalog();
// Adds more, the textbook's (textbook.hpp). Throws where the catalog was read before.
void add_to_catalog(std::vector<variant>);

// The variant of that name on that backend, or null.
const variant* find_variant(std::string_view name, backend where);

// As above, but throws fault::bad_argument with the nearest names, or with the backends that have it.
const variant& require_variant(std::string_view name, backend where);

// What `d` lacks for whatever `v` does ("64-bit atomics"); null where it lacks nothing.
inline const char* lacking(const variant& v, const device& d) { return v.device_lacks ? v.device_lacks(d) : nullptr; }

// Why `v` cannot do `p` on `d`, as a sentence; empty when it can.
std::string why_not(const variant& v, const device& d, const problem& p);

// What a call would run `p` with: the variant asked for, or the fastest of its room; where the room's own cannot do it,
// a rung that can.
const variant& choose(const target&, const problem& p);
// Chooses and runs; sets the device's last.
void run(const target&, const problem& p);

// The same for operands in host memory; done on return. Throws where the room has no form for it.
bool has_host_form(primitive);
void run_on_host(const target&, const problem& p);

}  // namespace upsweep
