#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "cli/io/elements.hpp"
#include "cli/io/npy.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/process/answer.hpp"
#include "cli/stream/spool.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/error.hpp"

using upsweep::dtype;
using upsweep::error;
using upsweep::fault;

namespace {

class raw_sink final : public element_sink {
 public:
  raw_sink(const std::string& path, dtype type, std::optional<std::uint64_t> count)
      : file_(path), size_(upsweep::size_of(type)) {
    if (count) file_.reserve(*count * size_);
  }
  void write(const void* from, std::uint64_t n) override { file_.write(from, n * size_); }
  void commit() override { file_.commit(); }

 private:
  whole_file file_;
  std::uint64_t size_;
};

class npy_sink final : public element_sink {
 public:
  npy_sink(const std::string& path, const output_form& form)
      : file_(path), type_(form.type), truth_(form.truth), promised_(form.count) {
    const std::string header = npy_header_text(type_, promised_.value_or(0), truth_);
    if (promised_) file_.reserve(header.size() + *promised_ * upsweep::size_of(type_));
    if (promised_ || file_.rewritable())
      file_.write(header);
    else
      spool_ = std::make_unique<spool>(spool::usual_directory());
  }
  void write(const void* from, std::uint64_t n) override {
    const std::uint64_t bytes = n * upsweep::size_of(type_);
    spool_ ? spool_->write(from, bytes) : file_.write(from, bytes);
    written_ += n;
  }
  void commit() override {
    const std::string header = npy_header_text(type_, written_, truth_);
    if (spool_) {
      file_.write(header);
      std::vector<char> block(1 << 20);
      for (std::uint64_t at = 0; at < spool_->size();) {
        const std::uint64_t bytes = std::min<std::uint64_t>(block.size(), spool_->size() - at);
        spool_->read(block.data(), bytes, at);
        file_.write(block.data(), bytes);
        at += bytes;
      }
    } else if (promised_ != written_) {
      file_.rewrite(0, header.data(), header.size());
    }
    file_.commit();
  }

 private:
  whole_file file_;
  dtype type_;
  bool truth_;
  std::optional<std::uint64_t> promised_;
  std::unique_ptr<spool> spool_;
  std::uint64_t written_ = 0;
};

// NumPy's shortest decimals for 16 bits; fmt has them for 32 and 64.
void append(fmt::memory_buffer& text, upsweep::half x) {
  const float value = static_cast<float>(x);
  if (!std::isfinite(value)) {
    text.append(std::string_view(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf"));
    return;
  }
  for (int digits = 1;; ++digits) {
    const std::string shortest = fmt::format("{:.{}g}", value, digits);
    if (digits < 5 && upsweep::half(std::strtof(shortest.c_str(), nullptr)).bits != x.bits) continue;
    text.append(shortest);
    return;
  }
}
template <class T>
void append(fmt::memory_buffer& text, T x) {
  if constexpr (sizeof(T) == 1)
    fmt::format_to(fmt::appender(text), "{}", static_cast<int>(x));
  else if (x != x)  // without its sign
    text.append(std::string_view("nan"));
  else
    fmt::format_to(fmt::appender(text), "{}", x);
}

}  // namespace

struct csv_table_sink::writer {
  whole_file file;
  std::vector<csv_column> columns;
  char separator;
  std::vector<fmt::memory_buffer> texts;

  writer(const std::string& path, std::vector<csv_column> form, char between)
      : file(path), columns(std::move(form)), separator(between) {
    if (std::ranges::all_of(columns, [](const csv_column& c) { return c.title.empty(); })) return;
    std::string line;
    for (const csv_column& c : columns)
      line += (&c == columns.data() ? "" : std::string(1, separator)) + csv_field(c.title, separator);
    file.write(line + '\n');
  }

  void one_column(fmt::memory_buffer& text, const void* from, std::uint64_t begin, std::uint64_t end) const {
    upsweep::with_any_type(columns[0].type, [&](auto tag) {
      const auto* x = static_cast<const typename decltype(tag)::type*>(from);
      for (std::uint64_t i = begin; i < end; ++i) {
        append(text, x[i]);
        text.push_back('\n');
      }
    });
  }
  void row(fmt::memory_buffer& text, const std::vector<const void*>& from, std::uint64_t i) const {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      upsweep::with_any_type(columns[c].type, [&](auto tag) {
        append(text, static_cast<const typename decltype(tag)::type*>(from[c])[i]);
      });
      text.push_back(c + 1 < columns.size() ? separator : '\n');
    }
  }
};

csv_table_sink::csv_table_sink(const std::string& path, std::vector<csv_column> columns, char separator)
    : writer_(std::make_unique<writer>(path, std::move(columns), separator)) {}
csv_table_sink::~csv_table_sink() = default;

void csv_table_sink::write(const std::vector<const void*>& from, std::uint64_t n) {
  // Making shortest decimals takes longer than all else, so pieces are made side by side, a few megabytes at a time.
  constexpr std::uint64_t piece = 1 << 12, at_once = 1 << 18;
  auto& texts = writer_->texts;
  for (std::uint64_t first = 0; first < n; first += at_once) {
    const std::uint64_t pieces = (std::min(n - first, at_once) + piece - 1) / piece;
    texts.resize(pieces);
    upsweep::cpu::for_each_block(pieces, [&](std::uint64_t p, const upsweep::cpu::stop_flag&) {
      const std::uint64_t begin = first + p * piece, end = std::min(begin + piece, n);
      texts[p].clear();
      if (from.size() == 1) return writer_->one_column(texts[p], from[0], begin, end);
      for (std::uint64_t i = begin; i < end; ++i) writer_->row(texts[p], from, i);
    });
    for (const auto& text : texts) writer_->file.write(text.data(), text.size());
  }
}

void csv_table_sink::commit() { writer_->file.commit(); }

namespace {

// The elements as numbers of the answer that --json asks for.
class json_sink final : public element_sink {
 public:
  explicit json_sink(dtype type) : type_(type), array_("values") {}
  void write(const void* from, std::uint64_t n) override {
    upsweep::with_any_type(type_, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto* x = static_cast<const T*>(from);
      for (std::uint64_t i = 0; i < n; ++i) {
        if (text_.size() > 0) text_.push_back(',');
        bool quoted = false;
        if constexpr (!std::is_integral_v<T>) quoted = !std::isfinite(static_cast<double>(x[i]));
        if (quoted) text_.push_back('"');
        append(text_, x[i]);
        if (quoted) text_.push_back('"');
      }
    });
    array_.add({text_.data(), text_.size()}, n);
    text_.clear();
    count_ += n;
  }
  void commit() override {
    array_.end();
    answer::fields()["count"] = count_;
    answer::fields()["type"] = name_of(type_);
  }

 private:
  dtype type_;
  answer::long_array array_;
  fmt::memory_buffer text_;
  std::uint64_t count_ = 0;
};

// A file, of which the answer tells how many elements it has.
class told_sink final : public element_sink {
 public:
  told_sink(std::unique_ptr<element_sink> to, dtype type) : to_(std::move(to)), type_(type) {}
  void write(const void* from, std::uint64_t n) override {
    to_->write(from, n);
    count_ += n;
  }
  void commit() override {
    to_->commit();
    answer::fields()["outputs"].back()["count"] = count_;
    answer::fields()["outputs"].back()["type"] = name_of(type_);
  }

 private:
  std::unique_ptr<element_sink> to_;
  dtype type_;
  std::uint64_t count_ = 0;
};

class csv_sink final : public element_sink {
 public:
  csv_sink(const std::string& path, const csv_column& column, char separator) : table_(path, {column}, separator) {}
  void write(const void* from, std::uint64_t n) override { table_.write({from}, n); }
  void commit() override { table_.commit(); }

 private:
  csv_table_sink table_;
};

}  // namespace

std::string csv_field(const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// `upsweep scan x.npy -o - >> x.npy` would read its own output forever.
void refuse_own_input(const std::string& path, const std::string& name, std::uint64_t device_number,
                      std::uint64_t inode) {
  struct stat out{};
  if (path != "-" || inode == 0 || fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode)) return;
  if (out.st_dev == device_number && out.st_ino == inode)
    throw error(fault::bad_argument, name, "standard output is the input file",
                "write with -o FILE, which may be the input's own name");
}

struct text_sink::writer {
  whole_file file;
  std::string text;
};

text_sink::text_sink(const std::string& path, const element_source& source) {
  refuse_own_input(path, source.name, source.device_number, source.inode);
  writer_.reset(new writer{whole_file(path), {}});
  if (!source.title.empty()) write(csv_field(source.title, source.separator));
}
text_sink::~text_sink() = default;

void text_sink::write(std::string_view field) {
  writer_->text.append(field);
  writer_->text += '\n';
  if (writer_->text.size() < (1 << 20)) return;
  writer_->file.write(writer_->text);
  writer_->text.clear();
}

void text_sink::commit() {
  writer_->file.write(writer_->text);
  writer_->file.commit();
}

file_format format_of_output(const std::string& path, const std::string& format, file_format of_input) {
  return !format.empty() ? format_named(format) : format_of_extension(path).value_or(of_input);
}

namespace {

std::unique_ptr<element_sink> open_file_sink(const std::string& path, file_format as, const element_source& source,
                                             const output_form& form) {
  if (as != file_format::csv && path == "-" && isatty(STDOUT_FILENO) == 1)
    throw error(fault::bad_argument, "standard output", "it is a terminal, and the elements are not text",
                "name a file with -o, or give --output-format csv");
  switch (as) {
    case file_format::npy: return std::make_unique<npy_sink>(path, form);
    case file_format::raw: return std::make_unique<raw_sink>(path, form.type, form.count);
    case file_format::csv: break;
  }
  return std::make_unique<csv_sink>(path, csv_column{form.title, form.type}, source.separator);
}

}  // namespace

std::unique_ptr<element_sink> open_sink(const std::string& path, const std::string& format,
                                        const element_source& source) {
  return open_sink(path, format, source, {source.type, source.count, source.truth, source.title});
}

std::unique_ptr<element_sink> open_sink(const std::string& path, const std::string& format,
                                        const element_source& source, const output_form& form) {
  refuse_own_input(path, source.name, source.device_number, source.inode);
  const file_format as = format_of_output(path, format, source.format);
  if (!answer::wanted()) return open_file_sink(path, as, source, form);
  if (path == "-") return std::make_unique<json_sink>(form.type);
  return std::make_unique<told_sink>(open_file_sink(path, as, source, form), form.type);
}
