// pieces.hpp on a CUDA GPU: types of the user's own, and pieces by their addresses there.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/pieces.hpp"
#include "upsweep/select/select_cuda.cuh"

namespace {

using namespace upsweep;

struct PiecesCuda : tests::on_cuda {};

struct entry {
  std::uint32_t a, b, c;
  friend bool operator==(const entry& x, const entry& y) { return x.a == y.a && x.b == y.b && x.c == y.c; }
};

TEST_F(PiecesCuda, OwnTypesAndAddresses) {
  const context gpu = context::cuda();
  for (const std::uint64_t pieces : {0, 1, 33, 5003, 100003}) {
    const std::uint64_t n = 20011;
    std::mt19937_64 random(pieces);
    std::vector<entry> host(n), joined;
    for (std::uint32_t i = 0; i < n; ++i) host[i] = {i, ~i, i * 3};
    std::vector<std::uint64_t> starts(pieces), lengths(pieces);
    for (std::uint64_t p = 0; p < pieces; ++p) {
      lengths[p] = p == pieces / 2 ? 15000 : random() % 4 == 0 ? 0 : random() % 60;
      starts[p] = random() % (n - lengths[p] + 1);
      joined.insert(joined.end(), host.begin() + static_cast<std::ptrdiff_t>(starts[p]),
                    host.begin() + static_cast<std::ptrdiff_t>(starts[p] + lengths[p]));
    }
    const buffer<entry> x(gpu, host);
    const buffer<std::uint64_t> from(gpu, starts), sizes(gpu, lengths);
    buffer<entry> to(gpu, joined.size()), by_address(gpu, joined.size());
    flatten(gpu, x, from, sizes, to);
    EXPECT_EQ(to.download(), joined) << pieces;

    std::vector<const entry*> sources;
    std::vector<entry*> destinations;
    std::uint64_t at = 0;
    for (std::uint64_t p = 0; p < pieces; at += lengths[p++]) {
      sources.push_back(x.span().data() + starts[p]);
      destinations.push_back(by_address.span().data() + at);
    }
    const buffer<const entry*> sources_there(gpu, sources);
    const buffer<entry*> destinations_there(gpu, destinations);
    copy_batched(gpu, sources_there, destinations_there, sizes);
    EXPECT_EQ(by_address.download(), joined) << pieces;
  }
}

template <std::uint64_t Marked>
__global__ void run_of_each_place(const std::uint64_t* offsets, std::uint64_t runs, std::uint64_t total,
                                  std::uint64_t* to) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * cuda::expand_tile;
  cuda::for_each_expanded<Marked>(first, offsets, runs, total, [=](int i, std::uint64_t r) { to[first + i] = r; });
}

// As where a tile has more than 2^32 runs without length, which takes 32 GB of offsets: here more than two.
TEST_F(PiecesCuda, MoreRunsThanAMarkTellsApart) {
  const context gpu = context::cuda();
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> offsets, want;
  for (std::uint64_t r = 0; r < 50'000; ++r) {
    offsets.push_back(want.size());
    want.insert(want.end(), random() % 5 ? 0 : random() % 9, r);
  }
  const buffer<std::uint64_t> begins(gpu, offsets);
  buffer<std::uint64_t> to(gpu, want.size());
  const auto stream = cuda::of(gpu.device()).stream();
  const auto blocks = static_cast<unsigned>((want.size() - 1) / cuda::expand_tile + 1);
  const auto look = [&](auto kernel) {
    to.upload(std::vector<std::uint64_t>(want.size(), 7));
    kernel<<<blocks, cuda::move_threads, 0, stream>>>(begins.span().data(), offsets.size(), want.size(),
                                                      to.span().data());
    cuda::check(cudaGetLastError(), "a test");
    EXPECT_EQ(to.download(), want);
  };
  look(run_of_each_place<2>);
  look(run_of_each_place<std::uint64_t{1} << 32>);
}

}  // namespace
