#include "cli/fold.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <future>

#include "cli/progress.hpp"
#include "upsweep/buffer.hpp"
#include "upsweep/reduce/reproducible.hpp"

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
  throw CLI::ValidationError("--transform", "there is no transform '" + name + "'; name one of " + names_of(all_transforms));
}

// "blelloch" for "scan/blelloch", where that is a variant.
std::string full_name(primitive what, const std::string& name) {
  const std::string in_room = std::string(name_of(what)) + "/" + name;
  for (const variant& v : catalog())
    if (v.name == in_room) return in_room;
  return name;
}

// The device asked for; else one that has the variant asked for; else the best.
context open_context(const fold_options& o, const std::string& variant) {
  if (!o.device.empty()) return context::named(o.device);
  context best = context::best();
  if (variant.empty() || find_variant(variant, best.kind())) return best;
  for (const device_listing& d : list_devices())
    if (d.usable && find_variant(variant, d.kind)) return context::named(d.name);
  return best;
}

scalar parse_init(const std::string& text, dtype type) {
  return with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value{};
    const std::string_view digits = text.size() > 1 && text[0] == '+' && text[1] != '-' ? std::string_view(text).substr(1) : std::string_view(text);
    const auto [stop, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (bad != std::errc{} || stop != digits.data() + digits.size())
      throw error(fault::bad_argument, "--init '" + text + "'",
                  bad == std::errc::result_out_of_range ? fmt::format("it does not fit in {}", name_of(type)) : fmt::format("it is no number of type {}", name_of(type)),
                  "give a value of the elements' type");
    return scalar::of(value);
  });
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

}  // namespace

void add_fold_options(CLI::App& command, fold_options& o) {
  command.add_option("FILE", o.source.path, "Input: .npy, .csv, raw elements, or - for standard input")->required()->type_name("");
  command
      .add_option("--op", o.op,
                  "Operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, logical_and,\n"
                  "logical_or, compose_affine; or sum, product, min, max, and, or, xor (of bits), all, any.\n"
                  "Default: plus")
      ->type_name("OP");
  command.add_option("--transform", o.transform, "Applied to each element as it is read: " + names_of(all_transforms))->type_name("F");
  command.add_option("--init", o.init, "Value to start from. Default: the operator's identity")->type_name("X");
  command.add_option("--device", o.device, "cpu, cpu:N (N threads), cuda:N, opencl:N or best, as `upsweep devices` lists them.\nDefault: best")
      ->type_name("D");
  command.add_option("--variant", o.variant, "Algorithm by name, as `upsweep list` shows them. Default: the fastest")->type_name("NAME");
  command.add_option("--format", o.source.format, "What FILE is: npy, csv or raw. Default: by its first bytes, then by its extension")->type_name("F");
  command
      .add_option("--dtype", o.source.type,
                  "Type of raw or CSV elements: i32, u32, i64, u64, f32, f64, or as NumPy writes it (>f8 is\nbig-endian). Default for CSV: f64")
      ->type_name("T");
  command
      .add_option("--as", o.source.as,
                  "Convert the elements to this type first; it must hold all their values. NumPy sums\nint32 as with --as i64")
      ->type_name("T");
  command.add_option("--column", o.source.column, "CSV: the column, by its name in the first row or by its number, counted from 1")->type_name("C");
  command.add_option("--separator", o.source.separator, "CSV: what stands between fields, one character or the word tab. Default: a comma")->type_name("S");
  auto* header =
      command.add_flag("--header", o.source.header, "CSV: the first row holds names. Default: where the column's first field is no number");
  command.add_flag("--no-header", o.source.no_header, "CSV: the first row holds data")->excludes(header);
  command.add_option("--chunk", o.chunk, "Elements worked on at a time")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))->group("");
}

fold::fold(primitive what, const fold_options& o, bool inclusive) : primitive_(what), chunk_(o.chunk), where_(nullptr) {
  problem_.what = what;
  problem_.op = find_op(o.op);
  problem_.transform = find_transform(o.transform);
  problem_.inclusive = inclusive;

  const std::string variant = o.variant.empty() ? "" : full_name(what, o.variant);
  where_ = open_context(o, variant);
  if (!variant.empty()) {
    if (const auto& v = require_variant(variant, where_.kind()); v.what != what)
      throw error(fault::bad_argument, "variant '" + variant + "'", fmt::format("it is no {}", name_of(what)), fmt::format("see `upsweep list {}`", name_of(what)));
    where_.prefer(variant);
  }

  source_ = open_source(o.source);
  problem_.type = source_->type;
  if (!accepts(problem_.op, problem_.type)) {
    const bool bitwise = is_floating(problem_.type) && problem_.op != op_kind::compose_affine;
    throw error(fault::unsupported, source_->name, fmt::format("{} does not take elements of type {}", name_of(problem_.op), name_of(problem_.type)),
                bitwise ? "bit operators want integers; logical_and and logical_or take floats" : "it wants u64");
  }
  problem_.init = o.init.empty() ? identity_scalar(problem_.op, problem_.type) : parse_init(o.init, problem_.type);
  if (forbids_nan(problem_.op) && first_nan(problem_.init.bytes, 1, problem_.type) == 0)
    throw error(fault::bad_argument, "--init", fmt::format("it is NaN, which {} forbids", name_of(problem_.op)), "give a number");
  // What can be known before reading is said before reading.
  problem_.n = source_->count.value_or(0);
  choose(where_.dev(), problem_);
}

void fold::refuse_nan(const void* data, std::uint64_t n) const {
  if (!forbids_nan(problem_.op)) return;
  if (const std::uint64_t at = first_nan(data, n, problem_.type); at < n)
    throw error(fault::bad_argument, source_->name, fmt::format("element {} (counted from 0) is NaN, which {} forbids", done_ + at, name_of(problem_.op)),
                "replace or remove the NaNs first");
}

void fold::begin_chunk(const void* data, std::uint64_t n) {
  refuse_nan(data, n);
  // A variant that was asked for has a limit on the whole, not on a chunk.
  problem whole = problem_;
  whole.n = done_ + n;
  choose(where_.dev(), whole);
}

// While one chunk is worked on, the next is read and the one before is written.
void fold::stream(const std::function<void(void*, std::uint64_t)>& work, const std::function<void(const void*, std::uint64_t)>& write) {
  progress line(std::string(name_of(primitive_)), source_->count.value_or(0), "elements");
  const std::uint64_t size = size_of(problem_.type);
  std::array<std::unique_ptr<std::byte[]>, 3> ring;
  for (auto& place : ring) place = std::make_unique_for_overwrite<std::byte[]>(std::min(chunk_, source_->count.value_or(chunk_)) * size);

  std::future<std::uint64_t> reading;
  std::future<void> writing;
  const auto read_into = [&](std::size_t k) {
    return std::async(std::launch::async, [this, to = ring[k % 3].get()] { return source_->read(to, chunk_); });
  };
  reading = read_into(0);
  for (std::size_t k = 0;; ++k) {
    const std::uint64_t n = reading.get();
    std::byte* const data = ring[k % 3].get();
    const bool last = n < chunk_ || done_ + n == source_->count;
    // Chunk k + 1 goes where chunk k - 2 was, whose writing ended before that of k - 1 began.
    if (!last) reading = read_into(k + 1);
    if (n > 0) {
      begin_chunk(data, n);
      work(data, n);
      done_ += n;
    }
    if (writing.valid()) writing.get();
    if (n > 0 && write) writing = std::async(std::launch::async, [&write, data, n] { write(data, n); });
    line.at(done_);
    if (last) break;
  }
  if (writing.valid()) writing.get();
  source_->expect_end();
}

namespace {

// Where chunks are worked on: in place on the CPU, in device memory elsewhere, allocated once.
class workplace {
 public:
  workplace(const context& where, std::uint64_t bytes) : where_(where), on_host_(where.kind() == backend::cpu) {
    if (!on_host_) held_ = std::make_unique<buffer<char>>(where, bytes);
  }
  memory bring(void* data, std::uint64_t bytes) {
    if (on_host_) return {data, 0};
    where_.dev().upload(held_->span().where(), data, bytes);
    return held_->span().where();
  }
  void take_back(void* data, std::uint64_t bytes) {
    if (!on_host_) where_.dev().download(data, held_->span().where(), bytes);
  }

 private:
  context where_;
  bool on_host_;
  std::unique_ptr<buffer<char>> held_;
};

}  // namespace

// An exact sum is carried from chunk to chunk unrounded; a value between them would be a rounding that the whole has not.
template <class T>
scalar fold::reduce_exactly() {
  workplace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * sizeof(T));
  exact_sum<T> sum;
  sum.add(problem_.init.as<T>());
  stream(
      [&](void* data, std::uint64_t n) {
        T* const x = static_cast<T*>(data);
        if (problem_.transform != transform_kind::identity) std::transform(x, x + n, x, any_transform{problem_.transform});
        sum.add(where_, device_span<const T>(place.bring(data, n * sizeof(T)), n));
      },
      nullptr);
  where_.dev().last = where_.dev().forced.at("reduce");
  return scalar::of(sum.value());
}

scalar fold::reduce() {
  const auto forced = where_.dev().forced.find("reduce");
  if (forced != where_.dev().forced.end() && forced->second->name == "reduce/reproducible")
    return problem_.type == dtype::f32 ? reduce_exactly<float>() : reduce_exactly<double>();
  const std::uint64_t size = size_of(problem_.type);
  workplace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * size);
  device& d = where_.dev();
  problem p = problem_;
  p.out = d.scratch("reduce/result", 16);
  stream(
      [&](void* data, std::uint64_t n) {
        p.n = n;
        p.in = place.bring(data, n * size);
        run(d, p);
        d.download(p.init.bytes, p.out, size);
      },
      nullptr);
  return p.init;
}

void fold::scan(const std::function<void(const void*, std::uint64_t)>& write) {
  const std::uint64_t size = size_of(problem_.type);
  workplace place(where_, std::min(chunk_, source_->count.value_or(chunk_)) * size);
  problem p = problem_;
  stream(
      [&](void* data, std::uint64_t n) {
        const scalar last_in = element(data, n - 1, p.type);  // before the scan overwrites it
        p.n = n;
        p.in = p.out = place.bring(data, n * size);
        run(where_.dev(), p);
        place.take_back(data, n * size);
        p.init = carry_after(p, last_in, element(data, n - 1, p.type));
      },
      write);
}

std::string value_text(const scalar& s, dtype type) {
  return with_type(type, [&](auto tag) { return fmt::format("{}", s.as<typename decltype(tag)::type>()); });
}
