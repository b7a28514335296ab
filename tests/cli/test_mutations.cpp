// Many damaged files: the readers read them or report an error. They never crash, hang or read out of bounds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include "cli/io/elements.hpp"
#include "cli/io/npy.hpp"
#include "upsweep/error.hpp"

namespace {

class file_of_its_own {
 public:
  explicit file_of_its_own(const std::string& bytes) {
    char pattern[] = "/tmp/upsweep-mutation-XXXXXX";
    const int fd = mkstemp(pattern);
    name_ = pattern;
    if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("no temporary file");
    close(fd);
  }
  ~file_of_its_own() { unlink(name_.c_str()); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// How many elements came out; nothing where the file was refused.
std::optional<std::uint64_t> elements_in(const std::string& bytes, const source_options& with) {
  const file_of_its_own file(bytes);
  source_options o = with;
  o.path = file.name();
  try {
    const auto source = open_source(o);
    std::vector<std::uint64_t> place(4096);
    std::uint64_t all = 0;
    for (std::uint64_t n; (n = source->read(place.data(), 512)) > 0; all += n)
      if (n > 512) throw std::logic_error("more elements than there is room for");
    source->expect_end();
    return all;
  } catch (const upsweep::error& e) {
    if (std::string(e.what()).find('\n') != std::string::npos) throw std::logic_error("not one sentence");
    return std::nullopt;
  }
}

// Some bytes replaced, removed, doubled; the end cut off.
std::string mutated(std::string bytes, std::size_t within) {
  const int changes = *rc::gen::inRange(0, 6);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = *rc::gen::inRange<std::size_t>(0, std::min(within, bytes.size()));
    switch (*rc::gen::inRange(0, 5)) {
      case 0: bytes[at] = *rc::gen::arbitrary<char>(); break;
      case 1: bytes[at] = *rc::gen::elementOf(std::string("{}()[]'\",:<>|=0123456789fiubOTF \n\r;")); break;
      case 2: bytes.erase(at, *rc::gen::inRange<std::size_t>(1, 9)); break;
      case 3: bytes.insert(at, bytes.substr(at, *rc::gen::inRange<std::size_t>(1, 9))); break;
      case 4:
        bytes.resize(bytes.size() - *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(bytes.size(), 40)));
        break;
    }
  }
  return bytes;
}

RC_GTEST_PROP(mutations, npy_is_read_or_refused, ()) {
  const auto type = *rc::gen::elementOf(std::vector(upsweep::folding_dtypes.begin(), upsweep::folding_dtypes.end()));
  const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(0, 2000);
  const std::string whole = npy_header_text(type, n) + std::string(n * upsweep::size_of(type), '\x01');
  RC_ASSERT(elements_in(whole, {.format = "npy"}) == n);
  const std::string damaged = mutated(whole, 128);
  const auto got = elements_in(damaged, {.format = "npy"});
  // A reader reads no more than the bytes that exist.
  if (got) RC_ASSERT(*got * 4 <= damaged.size());
}

RC_GTEST_PROP(mutations, csv_is_read_or_refused, ()) {
  std::string text = "name,\"x\"\r\n";
  const std::uint64_t rows = *rc::gen::inRange<std::uint64_t>(0, 200);
  for (std::uint64_t i = 0; i < rows; ++i)
    text += i % 2 ? "\"a,\"\"b\n\"," + std::to_string(i) + "\n" : "c,\"" + std::to_string(i) + ".5\"\r\n";
  const source_options options{.format = "csv", .column = "2"};
  RC_ASSERT(elements_in(text, options) == rows);
  const std::string damaged = mutated(text, text.size());
  const auto got = elements_in(damaged, options);
  if (got) RC_ASSERT(*got <= damaged.size());
}

RC_GTEST_PROP(mutations, what_was_written_is_read, ()) {
  const auto x = *rc::gen::arbitrary<std::vector<double>>();
  const std::string bytes(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(double));
  const file_of_its_own in(bytes), out("");
  for (const char* format : {"npy", "csv", "raw"}) {
    {
      const auto source = open_source({.path = in.name(), .format = "raw", .type = "f64"});
      const auto sink = open_sink(out.name(), format, *source);
      sink->write(x.data(), x.size());
      sink->commit();
    }
    const auto again = open_source({.path = out.name(), .format = format, .type = "f64"});
    std::vector<double> y(x.size() + 1);
    RC_ASSERT(again->read(y.data(), y.size()) == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(x[i] == y[i] || (x[i] != x[i] && y[i] != y[i]));
  }
}

}  // namespace
