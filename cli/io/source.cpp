#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/io/csv.hpp"
#include "cli/io/csv_text.hpp"
#include "cli/io/elements.hpp"
#include "cli/io/input.hpp"
#include "cli/io/npy.hpp"
#include "cli/options.hpp"
#include "cli/process/message.hpp"
#include "upsweep/error.hpp"

using upsweep::dtype;
using upsweep::error;
using upsweep::fault;

namespace {

template <class T>
void swap_bytes(T* x, std::uint64_t n) {
  using U = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                               std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  for (std::uint64_t i = 0; i < n; ++i) {
    U bits;
    std::memcpy(&bits, x + i, sizeof bits);
    if constexpr (sizeof(T) == 8)
      bits = __builtin_bswap64(bits);
    else if constexpr (sizeof(T) == 4)
      bits = __builtin_bswap32(bits);
    else
      bits = __builtin_bswap16(bits);
    std::memcpy(static_cast<void*>(x + i), &bits, sizeof bits);
  }
}

// Whether every value of the stored type is a value of `to`.
bool keeps_values(const stored_type& from, dtype to) {
  const int size = static_cast<int>(upsweep::size_of(to));
  if (from.kind == 'f') return upsweep::is_floating(to) && size >= from.size;
  if (upsweep::is_floating(to)) return from.size < size;  // 11 bits of mantissa hold 8, 24 hold 16, 53 hold 32
  if (from.kind == 'i') return upsweep::is_signed(to) && size >= from.size;
  return upsweep::is_signed(to) ? size > from.size : size >= from.size;
}

// An array in Fortran order, held in memory and read in C order.
class transposed_array {
 public:
  transposed_array(const std::vector<std::uint64_t>& shape, std::uint64_t size) : shape_(shape), size_(size) {
    std::uint64_t step = size;
    for (const std::uint64_t extent : shape) {
      steps_.push_back(step);
      step *= extent;
    }
    bytes_ = step;
    at_.resize(shape.size());
  }
  std::uint64_t bytes() const { return bytes_; }
  std::vector<char>& data() { return data_; }

  void go_to(std::uint64_t element) {
    for (std::size_t axis = shape_.size(); axis-- > 0; element /= shape_[axis]) at_[axis] = element % shape_[axis];
    from_ = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) from_ += at_[axis] * steps_[axis];
  }
  // The next n elements.
  void read(char* to, std::uint64_t n) {
    const auto last = shape_.size() - 1;
    while (n > 0) {
      const std::uint64_t run = std::min(n, shape_[last] - at_[last]);
      switch (size_) {
        case 1: copy<1>(to, run); break;
        case 2: copy<2>(to, run); break;
        case 4: copy<4>(to, run); break;
        default: copy<8>(to, run);
      }
      to += run * size_;
      n -= run;
      at_[last] += run;
      from_ += run * steps_[last];
      for (std::size_t axis = last; axis > 0 && at_[axis] == shape_[axis]; --axis) {
        from_ -= at_[axis] * steps_[axis];
        at_[axis] = 0;
        ++at_[axis - 1];
        from_ += steps_[axis - 1];
      }
    }
  }

 private:
  template <std::size_t size>
  void copy(char* to, std::uint64_t n) const {
    const char* from = data_.data() + from_;
    for (std::uint64_t i = 0; i < n; ++i, from += steps_.back()) std::memcpy(to + i * size, from, size);
  }

  std::vector<std::uint64_t> shape_, steps_, at_;  // steps_: bytes from one element to the next along an axis
  std::uint64_t size_, bytes_ = 0, from_ = 0;
  std::vector<char> data_;
};

// Contiguous elements: raw files, and .npy after its header.
class binary_source final : public element_source {
 public:
  binary_source(std::unique_ptr<input> in, stored_type stored) : in_(std::move(in)), stored_(stored) {}

  std::uint64_t read(void* to, std::uint64_t n) override {
    if (count) n = std::min(n, *count - done_);
    const std::uint64_t size = static_cast<std::uint64_t>(stored_.size);
    const bool direct = stored_.builtin() == type;
    if (!direct) narrow_.resize(std::min(n, narrow_elements) * size);
    std::uint64_t here = 0;
    while (here < n) {
      char* const place = direct ? static_cast<char*>(to) : narrow_.data();
      const std::uint64_t wanted = direct ? n : std::min(n - here, narrow_elements);
      const std::uint64_t bytes = read_stored(place, wanted * size), got = bytes / size;
      if (bytes < wanted * size) check_cut(bytes, got);
      if (stored_.swapped)
        upsweep::with_any_type(stored_.builtin(), [&](auto tag) {
          using S = typename decltype(tag)::type;
          if constexpr (sizeof(S) > 1) swap_bytes(reinterpret_cast<S*>(place), got);
        });
      if (!direct) widen(place, static_cast<char*>(to) + here * upsweep::size_of(type), got);
      here += got;
      done_ += got;
      if (got < wanted) break;
    }
    return here;
  }

  void take_slice(std::uint64_t first, std::uint64_t n) override {
    if (!count) return element_source::take_slice(first, n);
    if (transposed_)
      start_ = first;
    else
      in_->skip(first * static_cast<std::uint64_t>(stored_.size));
    sliced_ = sliced_ || n < *count;
    count = n;
  }

  // The file has the array in Fortran order, and it is to be read in C order.
  void transpose() { transposed_.emplace(shape, static_cast<std::uint64_t>(stored_.size)); }

  void expect_end() override {
    if (sliced_) return;
    char more;
    if (in_->read(&more, 1) > 0)
      throw error(fault::bad_argument, name,
                  fmt::format("more data follows the {} elements its header promises", done_),
                  "it is damaged; save it again");
  }

 private:
  static constexpr std::uint64_t narrow_elements = 1 << 18;

  std::uint64_t read_stored(char* to, std::uint64_t bytes) {
    if (!transposed_) return in_->read(to, bytes);
    if (transposed_->data().empty() && bytes > 0) {
      transposed_->data().resize(transposed_->bytes());
      const std::uint64_t got = in_->read(transposed_->data().data(), transposed_->bytes());
      if (got < transposed_->bytes()) check_cut(got, got / static_cast<std::uint64_t>(stored_.size));
      transposed_->go_to(start_);
    }
    transposed_->read(to, bytes / static_cast<std::uint64_t>(stored_.size));
    return bytes;
  }

  void check_cut(std::uint64_t bytes, std::uint64_t got) const {
    if (count)
      throw error(fault::bad_argument, name,
                  fmt::format("{} {} elements and it ends after {}",
                              format == file_format::npy ? "its header promises" : "it had", *count, done_ + got),
                  "it is cut off; save it again");
    if (bytes % static_cast<std::uint64_t>(stored_.size) != 0)
      throw error(fault::bad_argument, name,
                  fmt::format("it ends {} bytes after the last whole element of {} bytes",
                              bytes % static_cast<std::uint64_t>(stored_.size), stored_.size),
                  "check --dtype");
  }

  // Compares an integer with its conversion; 2^63 and more as a double would overflow in the conversion back.
  template <class S, class T>
  static bool same_number(S x, T y) {
    if constexpr (std::is_integral_v<T>)
      return std::cmp_equal(x, y);
    else
      return std::isfinite(static_cast<double>(y)) &&
             static_cast<__int128>(static_cast<double>(y)) == static_cast<__int128>(x);
  }
  [[noreturn]] void lost(std::uint64_t at, const std::string& value) const {
    throw error(
        fault::bad_argument, name,
        fmt::format("element {} (counted from 0) is {}, which {} does not hold", at, value, upsweep::name_of(type)),
        "choose a wider type for --as");
  }

  void widen(const char* from, char* to, std::uint64_t n) const {
    upsweep::with_any_type(stored_.builtin(), [&](auto narrow) {
      using S = typename decltype(narrow)::type;
      upsweep::with_any_type(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<S, upsweep::half> || upsweep::is_floating(upsweep::dtype_of<T>)) {
          const S* x = reinterpret_cast<const S*>(from);
          T* y = reinterpret_cast<T*>(to);
          for (std::uint64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i]);
          if constexpr (std::is_integral_v<S>)
            if (!keeps_values(stored_, type))
              for (std::uint64_t i = 0; i < n; ++i)
                if (!same_number(x[i], y[i])) lost(done_ + i, fmt::format("{}", x[i]));
        }
      });
    });
  }

  std::unique_ptr<input> in_;
  stored_type stored_;
  std::vector<char> narrow_;
  std::uint64_t done_ = 0, start_ = 0;
  bool sliced_ = false;
  std::optional<transposed_array> transposed_;
};

class csv_source final : public element_source {
 public:
  csv_source(std::unique_ptr<input> in, std::optional<dtype> asked_for, const csv_options& options)
      : in_(std::move(in)), reader_(*in_, asked_for, options) {
    title = reader_.records().title(0);
    separator = options.separator;
    type = reader_.type();
    if (!asked_for) found = reader_.records().type(0);
  }
  csv_records* records() override { return &reader_.records(); }
  const input* file() const override { return in_.get(); }
  std::uint64_t read(void* to, std::uint64_t n) override {
    if (found && !std::exchange(told_, true)) reader_.records().tell_rounding(0);
    return reader_.read(to, n);
  }

 private:
  bool told_ = false;
  std::unique_ptr<input> in_;
  csv_reader reader_;
};

stored_type type_named(const std::string& option, const std::string& name) {
  if (const auto known = stored_type_named(name)) return *known;
  throw error(
      fault::bad_argument, option + " '" + name + "'", "there is no such type",
      "name one of i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, bool, or NumPy's names such as <f8 or >i4");
}

// A type that elements are worked on as.
dtype builtin_named(const std::string& option, const std::string& name, const source_options& o) {
  const stored_type t = type_named(option, name);
  if (!t.swapped && t.kind != 'b' && (o.narrow || upsweep::does_fold(t.builtin()))) return t.builtin();
  throw error(fault::unsupported, option + " '" + name + "'",
              o.narrow ? "it is not supported as an element type" : "it is not a supported element type",
              o.narrow ? "give a type such as u8 or f64" : "name one of i32, u32, i64, u64, f32, f64");
}

// The type to which elements are converted: their own, or that of --as.
dtype working_type(const stored_type& stored, const source_options& o, const std::string& name) {
  if (o.as.empty()) {
    if (o.narrow || (upsweep::does_fold(stored.builtin()) && stored.kind != 'b')) return stored.builtin();
    throw error(fault::unsupported, name, "its elements are " + name_of(stored) + ", narrower than the supported types",
                "widen them with --as, such as --as " + std::string(stored.kind == 'f' ? "f32" : "i64"));
  }
  const dtype to = builtin_named("--as", o.as, o);
  // Of integers each value is looked at; of floats nearly all would be rounded.
  if (stored.kind == 'f' && !keeps_values(stored, to))
    throw error(fault::unsupported, name,
                fmt::format("its elements are {}, and {} cannot represent every value of that type", name_of(stored),
                            upsweep::name_of(to)),
                "choose a wider type for --as");
  return to;
}

std::unique_ptr<element_source> open_npy(std::unique_ptr<input> in, const source_options& o) {
  const npy_header h = read_npy_header(in->name(), [&](void* to, std::uint64_t bytes) { return in->read(to, bytes); });
  const std::string name = in->name();
  if (!o.type.empty() && !(type_named("--dtype", o.type) == h.type))
    throw error(fault::bad_argument, name,
                fmt::format("its elements are {} and --dtype gives {}", name_of(h.type), o.type),
                "leave --dtype out; --as converts");
  const auto long_axes =
      std::count_if(h.shape.begin(), h.shape.end(), [](std::uint64_t extent) { return extent != 1; });
  const std::uint64_t data = h.count * static_cast<std::uint64_t>(h.type.size);
  if (in->size()) {
    const std::uint64_t follow = *in->size() > h.bytes ? *in->size() - h.bytes : 0;
    if (follow != data)
      throw error(
          fault::bad_argument, name,
          fmt::format("its header promises {} elements of {} bytes and {} bytes follow", h.count, h.type.size, follow),
          follow < data ? "it is cut off; save it again" : "it is damaged; save it again");
  }
  const dtype type = working_type(h.type, o, name);
  const bool transposed = h.fortran_order && long_axes > 1 && h.count > 0 && !o.any_order &&
                          !(o.any_order_of_integers && h.type.kind != 'f');
  if (const std::uint64_t most = transposed ? memory_limit("") : 0; transposed && data > most)
    throw error(fault::unsupported, name,
                fmt::format("it is a {}-dimensional array in Fortran order: reading it in C order needs {} bytes of "
                            "memory, and the limit is {}",
                            h.shape.size(), data, most),
                "save it in C order: numpy.save(file, numpy.ascontiguousarray(a))");
  auto source = std::make_unique<binary_source>(std::move(in), h.type);
  source->format = file_format::npy;
  source->type = type;
  source->count = h.count;
  source->truth = h.type.kind == 'b' && o.as.empty();
  source->shape = h.shape;
  if (transposed) source->transpose();
  return source;
}

std::unique_ptr<element_source> open_raw(std::unique_ptr<input> in, const source_options& o) {
  if (o.type.empty())
    throw error(fault::bad_argument, in->name(), "raw elements have no type of their own",
                "give --dtype, such as --dtype f32");
  const stored_type stored = type_named("--dtype", o.type);
  const std::uint64_t size = static_cast<std::uint64_t>(stored.size);
  const auto bytes = in->size();
  if (bytes && *bytes % size != 0)
    throw error(fault::bad_argument, in->name(),
                fmt::format("its {} bytes are not a multiple of the {} bytes of an element of {}", *bytes, size,
                            name_of(stored)),
                "check --dtype");
  const dtype type = working_type(stored, o, in->name());
  auto source = std::make_unique<binary_source>(std::move(in), stored);
  source->type = type;
  source->truth = stored.kind == 'b' && o.as.empty();
  // A file that grows while it is read is read as long as it was. /proc's files claim no size and have one.
  if (bytes && *bytes > 0) source->count = *bytes / size;
  return source;
}

std::unique_ptr<element_source> open_csv(std::unique_ptr<input> in, const source_options& o) {
  const csv_options options = csv_options_of(o);
  const std::string name = in->name();
  std::optional<dtype> type = csv_type_asked_for(o, name);
  if (!type && !o.typed) type = dtype::f64;
  auto source = std::make_unique<csv_source>(std::move(in), type, options);
  source->format = file_format::csv;
  if (!type) tell_type(o, *source->records(), 0);
  return source;
}

}  // namespace

namespace {

// A character, of one or several bytes in UTF-8, that cannot be part of a number.
void require_mark(const std::string& option, const std::string& mark) {
  const auto continues = [](char c) { return (c & 0xc0) == 0x80; };
  const std::size_t first = mark.find_first_of("0123456789+-eE\"\n\r");
  if (mark.empty() || first != std::string::npos || !std::all_of(mark.begin() + 1, mark.end(), continues))
    throw error(fault::bad_argument, option + " '" + mark + "'", "it is not a valid separator of digits",
                "give one character, such as a comma");
}

number_form number_form_of(const source_options& o) {
  number_form form;
  if (!o.thousands.empty()) require_mark("--thousands", form.thousands = o.thousands);
  if (!o.decimal.empty()) require_mark("--decimal", form.decimal = o.decimal);
  if (form.thousands == form.decimal)
    throw error(fault::bad_argument, "--thousands '" + o.thousands + "'", "it is also the decimal point",
                o.decimal.empty() ? "give --decimal ',' or another one" : "give two characters");
  return form;
}

}  // namespace

csv_options csv_options_of(const source_options& o) {
  csv_options options;
  options.column = o.column;
  const std::string separator = !o.separator.empty() ? o.separator : extension_of(o.path) == "tsv" ? "tab" : ",";
  if (separator.size() != 1 && separator != "tab" && separator != "\\t")
    throw error(fault::bad_argument, "--separator '" + separator + "'", "it is not a single character",
                "give one character, or the word tab");
  options.separator = separator.size() == 1 ? separator[0] : '\t';
  if (options.separator == '"' || options.separator == '\n' || options.separator == '\r')
    throw error(fault::bad_argument, "--separator", "quotes and line ends cannot separate fields",
                "give another character");
  if (o.header) options.first = csv_options::first_row::header;
  if (o.no_header) options.first = csv_options::first_row::data;
  options.na = missing_rule_of(o.na);
  options.quotes = !o.no_quotes;
  options.numbers = o.numbers;
  options.texts = o.texts;
  options.form = number_form_of(o);
  return options;
}

std::optional<dtype> csv_type_asked_for(const source_options& o, const std::string& name) {
  if (o.type.empty() && o.as.empty()) return std::nullopt;
  const dtype type = builtin_named("--dtype", o.type.empty() ? o.as : o.type, o);
  if (!o.as.empty() && builtin_named("--as", o.as, o) != type)
    throw error(fault::bad_argument, name, "--dtype and --as give different types for CSV", "give one of them");
  return type;
}

dtype csv_type_of(const source_options& o, const std::string& name) {
  return csv_type_asked_for(o, name).value_or(dtype::f64);
}

void tell_type(const source_options& o, const csv_records& records, std::size_t column) {
  if (o.verbose) print_message("{}\n", records.type_words(column));
}

namespace {

// Recognizes unsupported formats, to distinguish them from damaged files of supported ones.
struct foreign_format {
  std::string_view beginning;
  const char *what, *remedy;
};
constexpr foreign_format foreign_formats[]{
    {{"PAR1\x15", 5},
     "a Parquet file",
     "save a column with numpy.save, or all of it with pandas.read_parquet(file).to_csv"},
    {{"ARROW1\0\0", 8},
     "an Arrow (Feather) file",
     "save a column with numpy.save, or all of it with pandas.read_feather(file).to_csv"},
    {{"FEA1", 4},
     "a Feather file",
     "save a column with numpy.save, or all of it with pandas.read_feather(file).to_csv"},
    {{"\xff\xff\xff\xff\x10\0\0\0", 8},
     "an Arrow stream",
     "save a column with numpy.save, or all of it with pyarrow.csv.write_csv"},
    {{"\x1f\x8b\x08", 3}, "compressed with gzip", "give it the extension .gz, or pipe it through zcat"},
    {{"\x28\xb5\x2f\xfd", 4}, "compressed with zstd", "give it the extension .zst, or pipe it through zstdcat"},
    {{"BZh", 3}, "compressed with bzip2", "pipe it through bzcat"},
    {{"\xfd"
      "7zXZ\0",
      6},
     "compressed with xz",
     "pipe it through xzcat"},
    {{"PK\x03\x04", 4}, "a zip file (.npz, .xlsx)", "give an .npz file as FILE.npz:NAME; save a sheet as CSV"},
    {{"\x89HDF\r\n\x1a\n", 8}, "an HDF5 file", "save a data set with numpy.save"},
    {{"SQLite format 3\0", 16}, "an SQLite database", "save a query's rows with sqlite3 -csv"},
    {{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8}, "an old Office file", "save the sheet as CSV"},
    {{"\x80\x04\x95", 3}, "a Python pickle", "save the array with numpy.save"},
};

void refuse_foreign(input& in) {
  const std::string_view start = in.peek(16);
  refuse_wide_text(in.name(), in.path(), start);
  for (const foreign_format& f : foreign_formats)
    if (start.starts_with(f.beginning) && (f.beginning != "BZh" || start.find("1AY&SY") == 4))
      throw error(fault::unsupported, in.name(), std::string("it is ") + f.what, f.remedy);
}

}  // namespace

file_format find_format(const source_options& o, input& in) {
  if (!o.format.empty()) {
    const file_format named = format_named(o.format);
    if (named == file_format::csv) refuse_foreign(in);
    return named;
  }
  if (in.peek(npy_magic.size()) == npy_magic) return file_format::npy;
  const auto known = format_of_extension(o.path);
  const bool raw = known ? known == file_format::raw : o.column.empty() && !o.type.empty();
  if (raw) return file_format::raw;
  refuse_foreign(in);
  if (known) return *known;
  if (!o.column.empty()) return file_format::csv;
  throw error(fault::bad_argument, in.name(), "it is not a .npy file, and its format is unknown",
              "give --format csv, or --dtype for raw elements");
}

void element_source::take_slice(std::uint64_t, std::uint64_t) {
  throw error(fault::unsupported, name, "the positions of its elements are known only after all of it is read",
              "save it as .npy for several processes or devices, or give it to one");
}

std::unique_ptr<element_source> open_source(const source_options& o) {
  return open_source(std::make_unique<input>(o.path), o);
}

std::unique_ptr<element_source> open_source(std::unique_ptr<input> in, const source_options& o) {
  const std::string name = in->name();
  struct stat there{};
  const bool known = fstat(in->descriptor(), &there) == 0;
  const file_format format = find_format(o, *in);
  if (format != file_format::csv &&
      (!o.column.empty() || o.header || o.no_header || !o.separator.empty() || !o.na.empty() || !o.numbers.empty() ||
       !o.texts.empty() || !o.thousands.empty() || !o.decimal.empty() || o.no_quotes))
    throw error(fault::bad_argument, name,
                "--column, --header, --no-header, --separator, --na, --number, --text, --thousands, --decimal and "
                "--no-quotes apply to CSV, and this is not CSV",
                "leave them out, or give --format csv");
  auto source = format == file_format::npy   ? open_npy(std::move(in), o)
                : format == file_format::raw ? open_raw(std::move(in), o)
                                             : open_csv(std::move(in), o);
  source->name = name;
  if (known && S_ISREG(there.st_mode)) {
    source->device_number = there.st_dev;
    source->inode = there.st_ino;
  }
  return source;
}
