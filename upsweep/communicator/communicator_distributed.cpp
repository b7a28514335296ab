#include "upsweep/communicator/communicator_distributed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upsweep::core {

std::vector<std::uint64_t> offsets_of_parts(std::span<const std::uint64_t> sizes) {
  std::vector<std::uint64_t> offsets(1);
  for (const std::uint64_t n : sizes) offsets.push_back(offsets.back() + n);
  return offsets;
}

std::vector<std::uint64_t> even_offsets(std::uint64_t n, int ranks) {
  const auto p = static_cast<std::uint64_t>(ranks);
  std::vector<std::uint64_t> offsets(1);
  for (std::uint64_t r = 0; r < p; ++r) offsets.push_back(offsets.back() + n / p + (r < n % p));
  return offsets;
}

void read_slice(const std::string& path, std::uint64_t first, void* to, std::uint64_t bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw error(fault::bad_argument, path, std::string("cannot open it: ") + std::strerror(errno));
  int failure = 0;
  for (char* at = static_cast<char*>(to); bytes > 0 && !failure;) {
    const ssize_t some = pread(fd, at, bytes, static_cast<off_t>(first));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) failure = errno;
    if (some == 0) break;
    if (some > 0) at += some, first += static_cast<std::uint64_t>(some), bytes -= static_cast<std::uint64_t>(some);
  }
  close(fd);
  if (failure) throw error(fault::bad_argument, path, std::string("cannot read it: ") + std::strerror(failure));
  if (bytes)
    throw error(fault::bad_argument, path, "it ends " + std::to_string(bytes) + " bytes too early",
                "request at most the size of the file");
}

void require_one_group(const char* call, const communicator& a, const communicator& b) {
  if (a == b) return;
  throw error(fault::bad_argument, call, "an operand belongs to another communicator",
              "create all operands with the communicator of the call");
}

void require_cut_alike(const char* call, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t r = 0; r + 1 < a.size(); ++r)
    if (a[r + 1] - a[r] != b[r + 1] - b[r])
      throw error(fault::bad_argument, call,
                  "rank " + std::to_string(r) + " has " + std::to_string(a[r + 1] - a[r]) + " elements of one and " +
                      std::to_string(b[r + 1] - b[r]) + " of the other",
                  "give both parts of the same sizes, or redistribute one of them");
}

}  // namespace upsweep::core
