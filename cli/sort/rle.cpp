#include <fmt/core.h>
#include <sys/stat.h>
#include <CLI/CLI.hpp>

#include <cstring>
#include <numeric>

#include "cli/io/same_file.hpp"
#include "cli/options.hpp"
#include "cli/select/selection.hpp"
#include "cli/stream/progress.hpp"

using namespace upsweep;

namespace {

struct rle_options {
  source_options source;
  device_options where;
  output_options output;
  std::string lengths;
  bool decode = false;
  std::uint64_t chunk = std::uint64_t{1} << 22;
};

// Where runs go: one CSV file of two columns, or a file of values and a file of lengths.
class run_sink {
 public:
  run_sink(const rle_options& o, const element_source& source) {
    const bool csv = format_of_output(o.output.path, o.output.format, source.format) == file_format::csv;
    if (o.lengths.empty() && !csv)
      throw error(fault::bad_argument, "rle",
                  "runs have values and lengths, and a file of this format holds only one of them",
                  "give --lengths FILE, or write CSV, which holds both");
    if (o.lengths.empty()) {
      refuse_own_input(o.output.path, source.name, source.device_number, source.inode);
      const std::string title = source.title.empty() ? "value" : source.title;
      table_ = std::make_unique<csv_table_sink>(
          o.output.path, std::vector<csv_column>{{title, source.type}, {"length", dtype::u64}}, source.separator);
      return;
    }
    values_ = open_sink(o.output.path, o.output.format, source, {source.type, {}, source.truth, source.title});
    lengths_ = open_sink(o.lengths, "", source, {dtype::u64, {}, false, "length"});
  }
  void write(const void* values, const std::uint64_t* lengths, std::uint64_t n) {
    if (n == 0) return;
    if (table_) return table_->write({values, lengths}, n);
    values_->write(values, n);
    lengths_->write(lengths, n);
  }
  void commit() {
    if (table_) return table_->commit();
    values_->commit();
    lengths_->commit();
  }

 private:
  std::unique_ptr<csv_table_sink> table_;
  std::unique_ptr<element_sink> values_, lengths_;
};

void encode(const rle_options& o) {
  const context where = open_context(o.where, {"run-lengths"}, o.source.path);
  const auto source = open_source(o.source);
  const dtype type = source->type;
  encode_runs(where, type, {}, 0, {}, {});  // what can be known before reading is said before reading
  run_sink sink(o, *source);
  const std::uint64_t size = size_of(type),
                      chunk = std::min(o.chunk, std::max<std::uint64_t>(source->count.value_or(o.chunk), 1));
  device_workspace in(where, chunk * size), out(where, chunk * size), out2(where, chunk * 8);
  const auto values = std::make_unique_for_overwrite<std::byte[]>(chunk * size);
  const auto lengths = std::make_unique_for_overwrite<std::uint64_t[]>(chunk);

  // The last run of a chunk may go on in the next.
  scalar open_value, last;
  std::uint64_t open_length = 0;
  stream_chunks(*source, chunk, "rle", [&](const void* data, std::uint64_t n, std::uint64_t) {
    const std::uint64_t runs =
        encode_runs(where, type, in.bring(data, n * size), n, out.at(values.get()), out2.at(lengths.get()));
    out.take_back(values.get(), runs * size);
    out2.take_back(lengths.get(), runs * 8);
    std::uint64_t begin = 0;
    if (open_length > 0) {
      // Elements are compared with the one before them, not with the first of their run.
      if (equal_elements(last.bytes, values.get(), type)) open_length += lengths[begin++];
      if (begin < runs || begin == 0) {
        sink.write(open_value.bytes, &open_length, 1);
        open_length = 0;
      }
    }
    if (begin < runs) {
      sink.write(values.get() + begin * size, lengths.get() + begin, runs - 1 - begin);
      std::memcpy(open_value.bytes, values.get() + (runs - 1) * size, size);
      open_length = lengths[runs - 1];
    }
    std::memcpy(last.bytes, static_cast<const std::byte*>(data) + (n - 1) * size, size);
    return piece{};
  });
  if (open_length > 0) sink.write(open_value.bytes, &open_length, 1);
  sink.commit();
}

// Values with their lengths, from two files or from two columns of one.
class source_of_runs {
 public:
  explicit source_of_runs(const rle_options& o) {
    auto in = std::make_unique<input>(o.source.path);
    if (find_format(o.source, *in) == file_format::csv && o.lengths.empty()) {
      open_table(o, std::move(in));
      return;
    }
    if (o.lengths.empty())
      throw error(fault::bad_argument, in->name(), "it holds the values of the runs and no lengths",
                  "give --lengths FILE");
    values_ = open_source(std::move(in), o.source);
    lengths_ = open_lengths(o.lengths);
    if (values_->count && lengths_->count && *values_->count != *lengths_->count)
      uneven(*lengths_->count, *values_->count);
    form = values_.get();
  }
  // Up to n runs.
  std::uint64_t read(void* values, std::uint64_t* lengths, std::uint64_t n) {
    if (!table_) {
      const std::uint64_t got = values_->read(values, n), as_many = lengths_->read(lengths, got);
      if (as_many < got) uneven(read_ + as_many, {});
      read_ += got;
      std::uint64_t more;
      if (got < n) {
        if (lengths_->read(&more, 1) > 0) uneven({}, read_);
        values_->expect_end();
        lengths_->expect_end();
      }
      return got;
    }
    std::uint64_t done = 0;
    for (; done < n && table_->next(); ++done) {
      table_->number(0, form->type, static_cast<std::byte*>(values) + done * size_of(form->type));
      table_->number(1, dtype::u64, lengths + done);
    }
    return done;
  }

  // The element type for the sink.
  const element_source* form = nullptr;
  std::optional<std::uint64_t> runs() const { return values_ ? values_->count : std::nullopt; }

 private:
  struct form_only final : element_source {
    std::uint64_t read(void*, std::uint64_t) override { return 0; }
  };

  static std::unique_ptr<element_source> open_lengths(const std::string& path) {
    source_options o{.path = path, .narrow = true};
    auto in = std::make_unique<input>(path);
    const file_format format =
        in->peek(6) == "\x93NUMPY" ? file_format::npy : format_of_extension(path).value_or(file_format::raw);
    o.format = format == file_format::npy ? "npy" : format == file_format::csv ? "csv" : "raw";
    if (format != file_format::npy) o.type = "u64";
    auto lengths = open_source(std::move(in), o);
    if (lengths->type == dtype::u64 || lengths->type == dtype::i64)
      return lengths;  // negative ones are found where they are read
    if (is_floating(lengths->type))
      throw error(fault::unsupported, lengths->name,
                  fmt::format("lengths are whole numbers, and these are {}", name_of(lengths->type)),
                  "convert them with numpy.astype('u8')");
    o.as = is_signed(lengths->type) ? "i64" : "u64";
    return open_source(o);
  }

  void open_table(const rle_options& o, std::unique_ptr<input> in) {
    file_ = std::move(in);
    const std::string values = o.source.column.empty() ? "1" : o.source.column;
    table_ = std::make_unique<csv_records>(*file_, csv_options_of(o.source),
                                           std::vector<std::string>{values, values == "2" ? "1" : "2"});
    only_form_.type = csv_type_of(o.source, file_->name());
    only_form_.format = file_format::csv;
    only_form_.name = file_->name();
    only_form_.title = table_->title(0);
    only_form_.separator = csv_options_of(o.source).separator;
    form = &only_form_;
  }
  [[noreturn]] void uneven(std::optional<std::uint64_t> lengths, std::optional<std::uint64_t> values) const {
    throw error(fault::bad_argument, lengths_->name,
                fmt::format("it has {} lengths and {} has {} values", lengths ? std::to_string(*lengths) : "more",
                            values_->name, values ? std::to_string(*values) : "more"),
                "give as many lengths as values");
  }

  std::unique_ptr<element_source> values_, lengths_;
  std::unique_ptr<input> file_;
  std::unique_ptr<csv_records> table_;
  form_only only_form_;
  std::uint64_t read_ = 0;
};

void decode(const rle_options& o) {
  constexpr std::uint64_t most_runs = 1 << 18, longest = std::uint64_t{1} << 62;
  const context where = open_context(o.where, {"expand-runs"}, o.source.path);
  source_of_runs source(o);
  const dtype type = source.form->type;
  const std::uint64_t size = size_of(type), most_elements = o.chunk;
  decode_runs(where, type, {}, {}, 0, {}, 0);  // what can be known before reading is said before reading
  const auto sink =
      open_sink(o.output.path, o.output.format, *source.form, {type, {}, source.form->truth, source.form->title});
  device_workspace in(where, most_runs * size), in2(where, most_runs * 8), out(where, most_elements * size);
  const auto values = std::make_unique_for_overwrite<std::byte[]>(most_runs * size),
             elements = std::make_unique_for_overwrite<std::byte[]>(most_elements * size);
  std::vector<std::uint64_t> lengths(most_runs);
  progress line("rle", source.runs().value_or(0), "runs");
  std::uint64_t done = 0, all = 0;
  for (std::uint64_t n; (n = source.read(values.get(), lengths.data(), most_runs)) > 0; done += n) {
    for (std::uint64_t i = 0; i < n; ++i)
      if (lengths[i] > longest || (all += lengths[i]) > longest)
        throw error(fault::bad_argument, o.lengths.empty() ? source.form->name : o.lengths,
                    fmt::format("length {} (counted from 0) is {}", done + i,
                                lengths[i] > longest ? "negative or has more than 62 bits"
                                                     : "too large: the sum of the lengths exceeds any file"),
                    "correct the lengths");
    // As many runs at a time as give no more elements than there is room for; a run that gives more is taken in parts.
    for (std::uint64_t i = 0; i < n;) {
      std::uint64_t past = i, m = 0, cut = 0;
      while (past < n && m + lengths[past] <= most_elements) m += lengths[past++];
      if (past < n && m < most_elements) {
        cut = lengths[past] - (most_elements - m);
        lengths[past] = most_elements - m;
        m = most_elements;
        ++past;
      }
      if (const std::uint64_t some = past - i; m > 0) {
        decode_runs(where, type, in.bring(values.get() + i * size, some * size),
                    in2.bring(lengths.data() + i, some * 8), some, out.at(elements.get()), m);
        out.take_back(elements.get(), m * size);
        sink->write(elements.get(), m);
      }
      if (cut > 0) lengths[--past] = cut;
      i = past;
      line.at(done + i);
    }
  }
  sink->commit();
}

}  // namespace

void add_rle(CLI::App& app) {
  auto o = std::make_shared<rle_options>();
  o->source.narrow = o->source.typed = true;
  CLI::App* command =
      app.add_subcommand("rle", "Run-length encode: write the value and the length of each run; or decode");
  add_source_options(*command, o->source);
  add_output_options(*command, o->output,
                     "Output file of the values (as CSV, of values and lengths), or with --decode of the elements");
  command
      ->add_option("--lengths", o->lengths,
                   "File of the lengths (u64): written, or with --decode read. Not needed for CSV")
      ->type_name("FILE");
  command->add_flag("--decode", o->decode,
                    "Expand values and lengths to the elements. In a CSV file, column 1 (or --column) is the values "
                    "and column 2 the lengths");
  add_device_options(*command, o->where);
  command->add_option("--chunk", o->chunk, "Number of elements processed at a time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 28))
      ->group("");
  command->footer(
      "-0 and 0 are equal, and a run keeps its first element; NaN equals nothing, so each NaN is a run. Files of any "
      "length are streamed.\n"
      "Examples:\n"
      "  upsweep rle states.npy -o values.npy --lengths lengths.npy\n"
      "  upsweep rle states.npy -o runs.csv\n"
      "  upsweep rle --decode values.npy --lengths lengths.npy -o states.npy\n"
      "  upsweep rle --decode runs.csv --dtype i32 -o states.npy");
  command->callback([o] {
    const file_named in{"FILE", o->source.path}, out{"-o", o->output.path}, lengths{"--lengths", o->lengths};
    if (o->decode) {
      require_no_overlap({out}, {lengths});
      decode(*o);
    } else {
      require_no_overlap({out, lengths});
      require_no_overlap({lengths}, {in});
      encode(*o);
    }
  });
}
