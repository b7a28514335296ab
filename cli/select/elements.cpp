#include <fmt/core.h>

#include <cmath>

#include "cli/io/npy.hpp"
#include "cli/process/answer.hpp"
#include "cli/select/select.hpp"
#include "cli/select/selection.hpp"
#include "cli/sort/row_keys.hpp"

using namespace upsweep;

namespace {

// The elements go by the name x, and by that of their column.
condition checked_condition(const std::string& text, const element_source& source) {
  condition c(text);
  const auto require_name = [&](const condition::name& n) {
    if (n.text != "x" && (source.title.empty() || n.text != source.title))
      c.refuse(n, fmt::format("there is no '{}' here", n.text),
               source.title.empty() ? "the elements are called x"
                                    : fmt::format("the elements are called x or `{}`", source.title));
  };
  for (const condition::text_test& t : c.text_tests()) {
    if (t.asks != condition::text_test::what::missing)
      c.refuse(t.column, "the elements are numbers, which cannot be compared with text",
               "columns of text can be compared if whole rows of a CSV file are selected");
    require_name(t.column);
  }
  for (const condition::name& n : c.names()) {
    if (n.date)
      c.refuse(n, "the elements are numbers, which cannot be compared with dates",
               "columns of dates can be compared if whole rows of a CSV file are selected");
    require_name(n);
  }
  return c;
}

// Which elements are NaN: those have no value.
void find_missing(dtype type, const void* data, std::uint64_t n, std::vector<std::uint8_t>& missing) {
  missing.resize(n);
  with_any_type(type, [&]<class T>(type_tag<T>) {
    const T* const x = static_cast<const T*>(data);
    for (std::uint64_t i = 0; i < n; ++i) missing[i] = !(x[i] == x[i]);
  });
}

// A sequence of true and false as long as the elements.
class flag_file {
 public:
  flag_file(const std::string& path, const element_source& elements) {
    auto in = std::make_unique<input>(path);
    const bool npy = in->peek(npy_magic.size()) == npy_magic;
    source_ = open_source(std::move(in),
                          {.path = path, .format = npy ? "npy" : "raw", .type = npy ? "" : "bool", .narrow = true});
    if (source_->type != dtype::u8)
      throw error(fault::unsupported, source_->name,
                  fmt::format("flags must be bool or u8, and these are {}", name_of(source_->type)),
                  "make them with numpy.astype(bool)");
    if (source_->count && elements.count && *source_->count != *elements.count)
      uneven(elements, *source_->count, *elements.count);
  }
  const std::uint8_t* next(const element_source& elements, std::uint64_t n, std::uint64_t first) {
    flags_.resize(n);
    if (const std::uint64_t got = source_->read(flags_.data(), n); got < n) uneven(elements, first + got, {});
    return flags_.data();
  }
  void finish(const element_source& elements, std::uint64_t n) {
    std::uint8_t more;
    if (source_->read(&more, 1) > 0) uneven(elements, {}, n);
    source_->expect_end();
  }

 private:
  [[noreturn]] void uneven(const element_source& elements, std::optional<std::uint64_t> flags,
                           std::optional<std::uint64_t> n) const {
    throw error(fault::bad_argument, source_->name,
                fmt::format("it has {} flags and {} has {} elements", flags ? std::to_string(*flags) : "more",
                            elements.name, n ? std::to_string(*n) : "more"),
                "give as many flags as elements");
  }
  std::unique_ptr<element_source> source_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace

namespace {

// begin(where) is called when all is known to go together, before the first read.
std::uint64_t select_from(const select_options& o, element_source& source, std::uint64_t base,
                          const std::function<void()>& begin,
                          const std::function<void(const void*, std::uint64_t)>& write) {
  const context where = open_context(o.where, {"select"}, o.source.path);
  std::optional<condition> c;
  std::optional<flag_file> file;
  if (o.flags.empty())
    c = checked_condition(o.condition, source);
  else
    file.emplace(o.flags, source);
  const std::uint64_t chunk = std::min(o.chunk, std::max<std::uint64_t>(source.count.value_or(o.chunk), 1));
  chunk_selection selection(where, source.type, chunk, o.indices);
  const std::optional<condition::test> single = c ? c->single(source.type) : std::nullopt;
  const bool by_element = single && single->when == condition::test::outcome::by_element;
  // Errors that can be detected before reading are reported before reading.
  if (by_element)
    selection.where(nullptr, 0, single->how, single->threshold, 0);
  else
    selection.flagged(nullptr, 0, nullptr, 0);
  begin();

  std::vector<std::uint8_t> flags, missing;
  std::uint64_t kept = 0;
  const auto select = [&](void* data, std::uint64_t n, std::uint64_t first) {
    piece result;
    if (by_element) {
      result = selection.where(data, n, single->how, single->threshold, base + first);
    } else if (c) {
      flags.resize(n);
      if (!c->text_tests().empty()) find_missing(source.type, data, n, missing);
      c->evaluate(std::vector<condition::column>(c->names().size(), {source.type, data}),
                  std::vector<const std::uint8_t*>(c->text_tests().size(), missing.data()), n, flags.data());
      result = selection.flagged(data, n, flags.data(), base + first);
    } else {
      result = selection.flagged(data, n, file->next(source, n, first), first);
    }
    kept += result.n;
    return result;
  };
  const std::uint64_t n = stream_chunks(source, chunk, "select", select, write);
  if (file) file->finish(source, n);
  return kept;
}

}  // namespace

namespace {

// Numbers of a CSV column that f64 does not hold: they are compared as they are written, and as CSV they go out so.
std::uint64_t select_written(const select_options& o, element_source& source) {
  constexpr std::size_t most = 1 << 16;
  const condition c = checked_condition(o.condition, source);
  csv_records& records = *source.records();
  const bool as_text = !o.indices && !answer::wanted() &&
                       format_of_output(o.output.path, o.output.format, source.format) == file_format::csv;
  std::unique_ptr<text_sink> texts;
  std::unique_ptr<element_sink> sink;
  if (!o.count && as_text)
    texts = std::make_unique<text_sink>(o.output.path, source);
  else if (!o.count)
    sink = open_sink(o.output.path, o.output.format, source,
                     {o.indices ? dtype::i64 : dtype::f64, {}, false, o.indices ? "" : source.title});
  if (sink && !o.indices) records.tell_rounding(0);

  std::vector<std::string> numbers;
  std::vector<std::uint8_t> missing, flags;
  std::uint64_t kept = 0, first = 0;
  const auto select = [&] {
    const std::size_t n = numbers.size();
    flags.resize(n);
    c.evaluate(std::vector<condition::column>(c.names().size(), {.type = dtype::f64, .exact = numbers.data()}),
               std::vector<const std::uint8_t*>(c.text_tests().size(), missing.data()), n, flags.data());
    for (std::size_t i = 0; i < n; ++i) {
      if (!flags[i]) continue;
      ++kept;
      const auto place = static_cast<std::int64_t>(first + i);
      const double value = nearest_finite(numbers[i]);
      if (texts) texts->write(exact_text(numbers[i]));
      if (sink) sink->write(o.indices ? static_cast<const void*>(&place) : &value, 1);
    }
    first += n;
    numbers.clear(), missing.clear();
  };
  for (std::string_view number; records.next();) {
    if (!records.written_number(0, number)) continue;
    numbers.emplace_back(number);
    missing.push_back(std::isnan(nearest_finite(number)));
    if (numbers.size() == most) select();
  }
  select();
  if (texts) texts->commit();
  if (sink) sink->commit();
  return kept;
}

}  // namespace

std::uint64_t select_elements(const select_options& o, std::unique_ptr<input> in) {
  const auto source = open_source(std::move(in), o.source);
  if (source->rounds() && o.flags.empty()) return select_written(o, *source);
  std::unique_ptr<element_sink> sink;
  const std::uint64_t kept = select_from(
      o, *source, 0,
      [&] {
        if (!o.count)
          sink = open_sink(
              o.output.path, o.output.format, *source,
              {o.indices ? dtype::i64 : source->type, {}, source->truth && !o.indices, o.indices ? "" : source->title});
      },
      [&](const void* from, std::uint64_t m) {
        if (sink) sink->write(from, m);
      });
  if (sink) sink->commit();
  return kept;
}

std::uint64_t select_elements(const select_options& o, element_source& source, std::uint64_t first,
                              const std::function<void(const void*, std::uint64_t)>& write) {
  return select_from(o, source, first, [] {}, write);
}
