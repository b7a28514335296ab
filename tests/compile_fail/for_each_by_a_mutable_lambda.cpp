// says: upsweep: for_each_index calls f(std::uint64_t) as const, from several threads at once
#include "upsweep/for_each.hpp"

int main() {
  upsweep::for_each_index(upsweep::context::cpu(), 3, [n = 0](std::uint64_t) mutable { ++n; });
}
