// Elements from .npy and .npz files, and streams of gzip and zstd: what is read, written and read again is the same,
// and so is what comes through a pipe.
#include "cli/io/elements.hpp"

#include <unistd.h>

#include <array>
#include <cstring>

#include "cli/io/input.hpp"
#include "cli/io/whole_file.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

namespace {

// All that a source has, read in steps of an odd size.
std::vector<char> elements_in(element_source& from) {
  const std::size_t size = upsweep::size_of(from.type);
  std::vector<char> all, block(509 * size);
  for (std::uint64_t n; (n = from.read(block.data(), 509)) > 0;) {
    fuzz::require(n <= 509, "more elements than there is room for");
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n * size));
    if (all.size() > fuzz::memory) break;
  }
  if (all.size() <= fuzz::memory) from.expect_end();
  return all;
}

// As they are, and converted.
void read_and_write_elements(const std::string& path) {
  for (const char* as : {"", "f64", "i64", "u16"}) {
    try {
      const auto source = open_source({.path = path, .as = as, .narrow = true});
      const std::vector<char> all = elements_in(*source);
      const std::uint64_t n = all.size() / upsweep::size_of(source->type);
      fuzz::require(!source->count || all.size() > fuzz::memory || n == *source->count,
                    "another number of elements than was said");
      const std::string copy = fuzz::folder() + "/copy.npy";
      const auto sink = open_sink(copy, "npy", *source);
      sink->write(all.data(), n);
      sink->commit();
      const auto again = open_source({.path = copy, .narrow = true});
      fuzz::require(again->type == source->type && again->truth == source->truth, "another type was written");
      fuzz::require(elements_in(*again) == all, "other elements were written");
    } catch (const upsweep::error&) {
      if (*as == '\0') throw;
    }
  }
}

std::string all_of(const std::string& path) {
  input in(path);
  std::string all, block(4093, '\0');
  for (std::uint64_t n; all.size() < fuzz::memory && (n = in.read(block.data(), block.size())) > 0;)
    all.append(block, 0, n);
  return all;
}

void unpack_and_pack_again(const std::string& path, const std::string& copy) {
  const std::string all = all_of(path);
  if (all.size() >= fuzz::memory) return;  // there may be more of it
  whole_file file(copy);
  file.write(all);
  file.commit();
  fuzz::require(all_of(copy) == all, "something else was packed");
}

// What a file or a pipe comes to: its elements, or that it is refused.
struct outcome {
  bool refused = false;
  upsweep::dtype type{};
  std::vector<char> elements;
  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome outcome_of(source_options o, const std::string& path) {
  o.path = path;
  try {
    const auto source = open_source(o);
    outcome all{false, source->type, elements_in(*source)};
    return all;
  } catch (const upsweep::error&) {
    return {true, {}, {}};
  }
}

// A pipe with all of the bytes in it, and no more to come.
class pipe_of {
 public:
  explicit pipe_of(std::string_view bytes) {
    int ends[2];
    fuzz::require(pipe(ends) == 0, "no pipe");
    read_ = ends[0];
    fuzz::require(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a pipe too small");
    close(ends[1]);
  }
  ~pipe_of() { close(read_); }
  pipe_of(const pipe_of&) = delete;
  pipe_of& operator=(const pipe_of&) = delete;
  std::string path() const { return "/dev/fd/" + std::to_string(read_); }

 private:
  int read_;
};

}  // namespace

// A pipe is read once, and its length is not known: it comes to what a file comes to. The first byte chooses the
// options.
UPSWEEP_HARNESS(piped) {
  const unsigned form = fuzz::take_byte(bytes);
  bytes = bytes.substr(0, 60000);
  source_options o;
  o.format = std::array{"", "csv", "raw", "npy"}[form & 3];
  o.type = std::array{"", "f32", ">i2", "u8"}[form >> 2 & 3];
  o.typed = form & 16, o.narrow = form & 32, o.column = form & 64 ? "1" : "", o.na = form & 128 ? "skip" : "";
  const outcome of_file = outcome_of(o, fuzz::file_of("x", bytes)), of_pipe = outcome_of(o, pipe_of(bytes).path());
  fuzz::require(of_file.refused == of_pipe.refused, "a file or a pipe is refused, and the other is not");
  fuzz::require(of_file == of_pipe, "a pipe comes to something else than a file");
  if (of_file.refused) throw upsweep::error(upsweep::fault::bad_argument, "both", "they are refused");
}

UPSWEEP_HARNESS(npy) { read_and_write_elements(fuzz::file_of("x.npy", bytes)); }

UPSWEEP_HARNESS(npz) {
  const std::string path = fuzz::file_of("x.npz", bytes);
  try {
    read_and_write_elements(path + ":x");
  } catch (const upsweep::error&) {
  }
  read_and_write_elements(path);
}

UPSWEEP_HARNESS(gzip) { unpack_and_pack_again(fuzz::file_of("x.gz", bytes), fuzz::folder() + "/copy.gz"); }
UPSWEEP_HARNESS(zstd) { unpack_and_pack_again(fuzz::file_of("x.zst", bytes), fuzz::folder() + "/copy.zst"); }
