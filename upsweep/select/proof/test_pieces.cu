// pieces.hpp on a CUDA GPU: types of the user's own, and pieces by their addresses there.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/pieces.hpp"

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

}  // namespace
