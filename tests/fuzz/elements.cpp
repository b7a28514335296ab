// Elements from .npy and .npz files, and streams of gzip and zstd: what is read, written and read again is the same.
#include "cli/io/elements.hpp"

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

}  // namespace

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
