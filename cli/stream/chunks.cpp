#include "cli/stream/chunks.hpp"

#include <array>
#include <future>

#include "cli/stream/progress.hpp"

std::uint64_t stream_chunks(element_source& source, std::uint64_t chunk, const std::string& title,
                            const std::function<piece(void*, std::uint64_t, std::uint64_t)>& work,
                            const std::function<void(const void*, std::uint64_t)>& write) {
  progress line(title, source.count.value_or(0), "elements");
  const std::uint64_t size = upsweep::size_of(source.type);
  std::array<std::unique_ptr<std::byte[]>, 3> ring;
  for (auto& place : ring)
    place = std::make_unique_for_overwrite<std::byte[]>(std::min(chunk, source.count.value_or(chunk)) * size);

  std::uint64_t done = 0;
  std::future<std::uint64_t> reading;
  std::future<void> writing;
  const auto read_into = [&](std::size_t k) {
    return std::async(std::launch::async, [&source, chunk, to = ring[k % 3].get()] { return source.read(to, chunk); });
  };
  reading = read_into(0);
  for (std::size_t k = 0;; ++k) {
    const std::uint64_t n = reading.get();
    std::byte* const data = ring[k % 3].get();
    const bool last = n < chunk || done + n == source.count;
    // Chunk k + 1 goes where chunk k - 2 was, whose writing ended before that of k - 1 began.
    if (!last) reading = read_into(k + 1);
    piece result;
    if (n > 0) result = work(data, n, done);
    done += n;
    if (writing.valid()) writing.get();
    if (result.n > 0 && write)
      writing = std::async(std::launch::async, [&write, result] { write(result.data, result.n); });
    line.at(done);
    if (last) break;
  }
  if (writing.valid()) writing.get();
  source.expect_end();
  return done;
}
