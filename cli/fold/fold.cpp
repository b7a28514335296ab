#include "cli/fold/fold.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cli/sort/row_keys.hpp"
#include "cli/stream/chunks.hpp"
#include "upsweep/reduce/reduce_reproducible.hpp"

using namespace upsweep;

namespace {

struct alias {
  std::string_view name, stands_for;
};
constexpr std::array<alias, 16> aliases{{{"sum", "plus"},
                                         {"add", "plus"},
                                         {"product", "multiplies"},
                                         {"prod", "multiplies"},
                                         {"multiply", "multiplies"},
                                         {"min", "minimum"},
                                         {"max", "maximum"},
                                         {"and", "bit_and"},
                                         {"or", "bit_or"},
                                         {"xor", "bit_xor"},
                                         {"all", "logical_and"},
                                         {"any", "logical_or"},
                                         {"neg", "negate"},
                                         {"abs", "absolute"},
                                         {"affine", "compose_affine"},
                                         {"none", "identity"}}};

template <class Kinds>
std::string names_of(const Kinds& kinds) {
  std::string names;
  for (auto kind : kinds) names += (names.empty() ? "" : ", ") + std::string(name_of(kind));
  return names;
}

std::string plain_name(std::string name) {
  for (char& c : name) c = c == '-' ? '_' : c;
  for (const alias& a : aliases)
    if (name == a.name) return std::string(a.stands_for);
  return name;
}

op_kind find_op(const std::string& name) {
  if (const auto op = op_named(plain_name(name))) return *op;
  throw CLI::ValidationError("--op", "there is no operator '" + name + "'; name one of " + names_of(all_ops));
}

transform_kind find_transform(const std::string& name) {
  if (const auto f = transform_named(plain_name(name))) return *f;
  throw CLI::ValidationError("--transform",
                             "there is no transform '" + name + "'; name one of " + names_of(all_transforms));
}

bool forbids_nan(op_kind op) { return op == op_kind::minimum || op == op_kind::maximum; }

// The index of the first NaN, or n.
template <class T>
std::uint64_t first_nan(const T* x, std::uint64_t n) {
  constexpr std::uint64_t block = 4096;
  for (std::uint64_t first = 0; first < n; first += block) {
    const std::uint64_t end = std::min(n, first + block);
    bool any = false;
    for (std::uint64_t i = first; i < end; ++i) any |= x[i] != x[i];
    if (any)
      for (std::uint64_t i = first; i < end; ++i)
        if (x[i] != x[i]) return i;
  }
  return n;
}

std::uint64_t first_nan(const void* data, std::uint64_t n, dtype type) {
  if (type == dtype::f32) return first_nan(static_cast<const float*>(data), n);
  if (type == dtype::f64) return first_nan(static_cast<const double*>(data), n);
  return n;
}

scalar element(const void* data, std::uint64_t i, dtype type) {
  scalar s;
  std::memcpy(s.bytes, static_cast<const char*>(data) + i * size_of(type), size_of(type));
  return s;
}

// Whether a reduction of floats gives the same result in whatever order elements are read. Sums and products round,
// unless the sum is the exact one.
bool order_is_free(op_kind op, bool exact) {
  return exact || (commutes(op) && op != op_kind::plus && op != op_kind::multiplies);
}

// Products and squares of a CSV column's integers soon pass 64 bits: they are made in f64 unless --dtype says more.
source_options numbers_asked_for(source_options o, const fold_form& form) {
  o.typed &= form.op != op_kind::multiplies && form.transform != transform_kind::square;
  return o;
}

bool fits(__int128 value, dtype type) {
  return type == dtype::u64
             ? value >= 0 && value >> 64 == 0
             : value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

// Integers without a given type do not wrap around: the bound of their sum is known in advance.
void refuse_overflow(const element_source& source, const fold_form& form, const scalar& init) {
  const column_type& found = *source.found;
  if (form.type == dtype::u64 && form.transform == transform_kind::negate)
    throw error(fault::unsupported, source.name,
                "its integers exceed i64; they are read as u64, which cannot be "
                "negated",
                "give --dtype f64 to round them");
  if (is_floating(form.type) || form.op != op_kind::plus) return;
  const __int128 start = form.type == dtype::u64 ? __int128{init.as<std::uint64_t>()} : init.as<std::int64_t>();
  const bool total_alone = form.what == fold_form::call::reduce && form.transform == transform_kind::identity;
  const auto most = static_cast<__int128>(found.magnitude);
  if (total_alone ? fits(found.sum + start, form.type) : fits(most + (start < 0 ? -start : start), form.type)) return;
  throw error(fault::unsupported, source.name,
              fmt::format("the sum of its integers {} {}", total_alone ? "exceeds" : "may exceed", name_of(form.type)),
              "give --dtype f64 to round sums, or --dtype i64 or u64 to wrap around");
}

}  // namespace

void add_fold_options(CLI::App& command, fold_options& o) {
  add_source_options(command, o.source);
  command
      .add_option("--op", o.op,
                  "Operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, logical_and,\n"
                  "logical_or, compose_affine; or sum, product, min, max, and, or, xor (of bits), all, any.\n"
                  "Default: plus")
      ->type_name("OP");
  command
      .add_option("--transform", o.transform,
                  "Function applied to each element as it is read: " + names_of(all_transforms))
      ->type_name("F");
  command.add_option("--init", o.init, "Initial value. Default: the operator's identity")->type_name("X");
  add_device_options(command, o.where);
  command.add_option("--chunk", o.chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
}

fold::fold(fold_form::call what, const fold_options& o)
    : chunk_(o.chunk), where_(nullptr), form_{what, find_op(o.op), find_transform(o.transform)} {
  const std::vector<std::string_view> primitives{form_.name()};
  where_ = open_context(o.where, primitives, o.source.path);
  exact_ = variant_asked_for(o.where, primitives) == exact_name;
  source_options from = numbers_asked_for(o.source, form_);
  from.any_order = what == fold_form::call::reduce && order_is_free(form_.op, exact_);
  from.any_order_of_integers = what == fold_form::call::reduce && commutes(form_.op);
  source_ = open_source(from);
  form_.type = source_->type;
  if (!accepts(form_.op, form_.type)) {
    const bool bitwise = is_floating(form_.type) && form_.op != op_kind::compose_affine;
    throw error(fault::unsupported, source_->name,
                fmt::format("{} does not take elements of type {}", name_of(form_.op), name_of(form_.type)),
                bitwise ? "bit operators take integers; logical_and and logical_or take floats" : "it takes u64");
  }
  init_ = o.init.empty() ? identity_scalar(form_.op, form_.type) : scalar_of_text("--init", o.init, form_.type);
  init_text_ = o.init;
  if (forbids_nan(form_.op) && first_nan(init_.bytes, 1, form_.type) == 0)
    throw error(fault::bad_argument, "--init", fmt::format("it is NaN, which {} forbids", name_of(form_.op)),
                "give a number");
  if (source_->found) refuse_overflow(*source_, form_, init_);
  // Errors that can be detected before reading are reported before reading.
  require_variant_for(where_, form_, source_->count.value_or(0));
}

void fold::refuse_nan(const void* data, std::uint64_t n) const {
  if (!forbids_nan(form_.op)) return;
  if (const std::uint64_t at = first_nan(data, n, form_.type); at < n)
    throw error(fault::bad_argument, source_->name,
                fmt::format("element {} (counted from 0) is NaN, which {} forbids", done_ + at, name_of(form_.op)),
                "replace or remove the NaNs first");
}

void fold::begin_chunk(const void* data, std::uint64_t n) {
  refuse_nan(data, n);
  // The limit of a requested variant applies to the whole input, not to a chunk.
  require_variant_for(where_, form_, done_ + n);
}

void fold::stream(const std::function<void(void*, std::uint64_t)>& work,
                  const std::function<void(const void*, std::uint64_t)>& write) {
  const auto one = [&](void* data, std::uint64_t n, std::uint64_t) {
    begin_chunk(data, n);
    work(data, n);
    done_ += n;
    return piece{data, n};
  };
  stream_chunks(*source_, chunk_, form_.name(), one, write);
}

// An exact sum is carried from chunk to chunk unrounded; a value between them would be a rounding that the whole has
// not.
template <class T>
scalar fold::reduce_exactly() {
  device_workspace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * sizeof(T));
  exact_sum<T> sum;
  sum.add(init_.as<T>());
  stream(
      [&](void* data, std::uint64_t n) {
        T* const x = static_cast<T*>(data);
        if (form_.transform != transform_kind::identity) std::transform(x, x + n, x, any_transform{form_.transform});
        sum.add(where_, device_span<const T>(place.bring(data, n * sizeof(T)), n));
      },
      nullptr);
  return scalar::of(sum.value());
}

scalar fold::reduce() {
  if (exact_) return form_.type == dtype::f32 ? reduce_exactly<float>() : reduce_exactly<double>();
  const std::uint64_t size = size_of(form_.type);
  device_workspace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * size);
  scalar value = init_;
  stream([&](void* data,
             std::uint64_t n) { value = reduce_elements(where_, form_, place.bring(data, n * size), n, value); },
         nullptr);
  return value;
}

bool fold::is_of_texts() const {
  return forbids_nan(form_.op) && form_.transform == transform_kind::identity && source_->rounds();
}

void fold::fold_texts(const std::function<void(std::string_view before, std::string_view after)>& each) {
  csv_records& records = *source_->records();
  const bool greatest = form_.op == op_kind::maximum;
  std::string best = init_text_.empty() ? value_text(init_, form_.type) : exact_text(init_text_);
  std::string best_key, before, key;
  append_exact(best, best_key);
  for (std::string_view number; records.next();) {
    if (!records.written_number(0, number)) continue;
    key.clear();
    if (!append_exact(number, key))
      throw error(fault::bad_argument, source_->name,
                  fmt::format("element {} (counted from 0) is NaN, which {} forbids", done_, name_of(form_.op)),
                  "replace or remove the NaNs first");
    before = best;
    if (greatest ? key > best_key : key < best_key) best = exact_text(number), best_key = key;
    each(before, best);
    ++done_;
  }
}

std::string fold::reduce_texts() {
  std::string value = init_text_.empty() ? value_text(init_, form_.type) : exact_text(init_text_);
  fold_texts([&](std::string_view, std::string_view after) { value = after; });
  return value;
}

void fold::scan_texts(const std::function<void(std::string_view)>& write) {
  const bool exclusive = form_.what == fold_form::call::exclusive_scan;
  fold_texts([&](std::string_view before, std::string_view after) { write(exclusive ? before : after); });
}

void fold::scan(const std::function<void(const void*, std::uint64_t)>& write) {
  const std::uint64_t size = size_of(form_.type);
  device_workspace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * size);
  scalar init = init_;
  stream(
      [&](void* data, std::uint64_t n) {
        const scalar last_in = element(data, n - 1, form_.type);  // before the scan overwrites it
        scan_elements(where_, form_, place.bring(data, n * size), n, init);
        place.take_back(data, n * size);
        init = init_after(form_, last_in, element(data, n - 1, form_.type));
      },
      write);
}

std::string value_text(const scalar& s, dtype type) {
  return with_type(type, [&](auto tag) {
    const auto x = s.as<typename decltype(tag)::type>();
    return x != x ? std::string("nan") : fmt::format("{}", x);  // without its sign
  });
}
