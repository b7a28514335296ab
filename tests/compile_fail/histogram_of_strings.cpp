// says: upsweep: histograms take samples of built-in types; map each sample to a number first
#include <string>

#include "upsweep/histogram.hpp"

int main() {
  const std::vector<std::string> words{"a", "b"}, edges{"a", "z"};
  std::vector<std::uint64_t> counts(1);
  upsweep::histogram(upsweep::context::cpu(), words, edges, counts);
}
