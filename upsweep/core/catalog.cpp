#include "upsweep/core/catalog.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace upsweep {

namespace {

struct added_variants {
  std::mutex lock;
  std::vector<variant> all;
  bool read = false;  // the catalog is complete; later additions would be missing
};

added_variants& added() {
  static added_variants all;
  return all;
}

std::vector<variant> all_variants() {
  std::vector<variant> more, all;
  {
    const std::scoped_lock held(added().lock);
    added().read = true;
    more = added().all;
  }
  // Textbook variants come first, backend by backend.
  for (const algorithm& r : algorithms()) {
    const auto take = [&](const std::vector<variant>& from) {
      for (const variant& v : from)
        if (std::ranges::count(r.primitives, v.what) != 0) all.push_back(v);
    };
    take(more);
    take(r.variants);
  }
  return all;
}

const algorithm& algorithm_of(primitive what) {
  for (const algorithm& r : algorithms())
    if (std::ranges::count(r.primitives, what) != 0) return r;
  throw error(fault::bad_argument, "catalog", "no algorithm has " + std::string(name_of(what)), "see `upsweep list`");
}

}  // namespace

std::vector<primitive> all_primitives() {
  std::vector<primitive> all;
  for (const algorithm& r : algorithms()) all.insert(all.end(), r.primitives.begin(), r.primitives.end());
  return all;
}

std::span<const variant> catalog() {
  static const std::vector<variant> all = all_variants();
  return all;
}

void add_to_catalog(std::vector<variant> more) {
  const std::scoped_lock held(added().lock);
  if (added().read)
    throw error(fault::bad_argument, "add_to_catalog", "the catalog was read before",
                "call textbook::open() before the first use of the catalog");
  added().all.insert(added().all.end(), more.begin(), more.end());
}

const variant* find_variant(std::string_view name, backend where) {
  for (const variant& v : catalog())
    if (v.name == name && v.where == where) return &v;
  return nullptr;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// A variant that another program may have: one that links the textbook, or a build with another backend.
struct known_variant {
  std::string_view name;
  backend where;
  bool textbook;
};
constexpr known_variant known_variants[]{
#include "known_variants.inc"
};

// The change to this program that makes the variant available: "link …", "build with …".
std::string how_to_get(const known_variant& k) {
  const auto has = [](const auto& what) { return std::ranges::any_of(catalog(), what); };
  std::string need;
  // Compares within the primitive, because the library itself has one textbook variant, that of vector-add.
  const std::string_view primitive = k.name.substr(0, k.name.find('/') + 1);
  if (k.textbook &&
      !has([&](const variant& v) { return v.kind != variant_kind::tuned && v.name.starts_with(primitive); }))
    need = "link upsweep::textbook and call upsweep::textbook::open() first";
  if (!has([&](const variant& v) { return v.where == k.where && v.kind == variant_kind::tuned; }))
    need += (need.empty() ? "" : ", and ") + std::string("build Upsweep with ") +
            (k.where == backend::cuda ? "CUDA (-DUPSWEEP_CUDA=ON)" : "OpenCL (-DUPSWEEP_OPENCL=ON)");
  return need;
}

// Only names of the primitive before the "/", if there is one: a request for sort/quick means a sort.
std::string nearest_names(std::string_view name) {
  const std::string_view primitive = name.substr(0, name.find('/') + 1);  // empty without a "/"
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const variant& v : catalog())
    if (std::none_of(ranked.begin(), ranked.end(), [&](const auto& r) { return r.second == v.name; })) {
      // A part of a name ("blelloch") ranks before every misspelling.
      const bool piece = name.size() > 2 && v.name.find(name) != std::string_view::npos;
      const std::size_t of_others = v.name.starts_with(primitive) ? 0 : 1000;
      ranked.emplace_back(piece ? 0 : 1 + edit_distance(name, v.name) + of_others, v.name);
    }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, ranked.size()); ++i)
    text += (i ? ", " : "") + std::string(ranked[i].second);
  return text;
}

}  // namespace

const variant& require_variant(std::string_view name, backend where) {
  if (const variant* v = find_variant(name, where)) return *v;
  std::string elsewhere;
  for (const variant& v : catalog())
    if (v.name == name) elsewhere += (elsewhere.empty() ? "" : " and ") + std::string(name_of(v.where));
  const std::string place = "variant '" + std::string(name) + "'";
  // If several variants have the name, the one for this backend, or else the first.
  const known_variant* known = nullptr;
  for (const known_variant& k : known_variants)
    if (k.name == name && (known == nullptr || (known->where != where && k.where == where))) known = &k;
  if (known && (elsewhere.empty() || known->where == where))
    if (const std::string need = how_to_get(*known); !need.empty())
      throw error(fault::unsupported, place,
                  "it is a " + std::string(known->textbook ? "textbook " : "") + "variant for " +
                      std::string(name_of(known->where)) + ", which this program does not contain",
                  need + (known->where == where ? "" : ", and use a context of that backend"));
  if (!elsewhere.empty())
    throw error(fault::unsupported, place, "it runs on " + elsewhere + ", not on " + std::string(name_of(where)),
                "choose another device or another variant");
  throw error(fault::bad_argument, place, "no variant has that name", "similar names are " + nearest_names(name));
}

std::string why_not(const variant& v, const device& d, const problem& p) { return v.refuses(v.own, d, p); }

const variant& choose(const target& to, const problem& p) {
  const algorithm& r = algorithm_of(p.what());
  // Textbook variants may support problems that the library's own variants do not.
  const bool asked = to.asked_for(name_of(p.what())) != nullptr;
  if (!asked && std::ranges::none_of(r.variants, [&](const variant& v) { return why_not(v, to.on(), p).empty(); }))
    for (const variant& v : catalog())
      if (why_not(v, to.on(), p).empty()) return v;
  const void* chosen = r.chosen(to, p);
  for (const variant& v : catalog())
    if (v.own == chosen) return v;
  throw error(fault::bad_argument, "catalog", "the chosen variant is not in the catalog",
              "add it to its algorithm's catalog");
}

void run(const target& to, const problem& p) {
  const variant& v = choose(to, p);
  v.run(to.on(), p);
  to.on().last = &v.name;
}

bool has_host_form(primitive what) { return algorithm_of(what).on_host != nullptr; }

void run_on_host(const target& to, const problem& p) {
  const algorithm& r = algorithm_of(p.what());
  if (r.on_host) return r.on_host(to, p);
  if (to.on().kind() == backend::cpu) return run(to, p);
  throw error(fault::unsupported, std::string(name_of(p.what())), "it has no form for host memory",
              "put the operands into buffers");
}

context context::with(const call_options& options) const {
  std::shared_ptr<const chosen_variants> chosen = chosen_;
  if (!options.variant.empty()) {
    const variant& v = require_variant(options.variant, kind());
    auto variants = chosen_ ? *chosen_ : chosen_variants{};
    variants[std::string(name_of(v.what))] = v.own;
    chosen = std::make_shared<const chosen_variants>(std::move(variants));
  }
  context mine = controlled(options);
  mine.chosen_ = std::move(chosen);
  return mine;
}

}  // namespace upsweep
