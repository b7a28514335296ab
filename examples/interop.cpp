// Host memory of the program: vectors, arrays, parts of them, memory from malloc. The library uses it without a copy.
#include <array>
#include <cstdlib>
#include <numeric>

#include "show.hpp"

using namespace upsweep;

int main() {
  return show::run([] {
    const context cpu = context::cpu();
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 1);
    show::verdict("a vector", reduce(cpu, values) == 500500);
    show::verdict("a part of it", reduce(cpu, std::span(values).subspan(10, 3)) == 11 + 12 + 13);

    std::array<double, 4> four{1, 2, 3, 4}, running;
    inclusive_scan(cpu, four, running);
    show::verdict("an array", running == std::array{1.0, 3.0, 6.0, 10.0});

    // As a device span, for the enqueued forms: a CPU context accepts any address.
    auto* const raw = static_cast<std::uint32_t*>(std::malloc(100 * sizeof(std::uint32_t)));
    std::iota(raw, raw + 100, 0u);
    const device_span<std::uint32_t> span(raw, 100);
    sort(cpu, span, {.descending = true});
    show::verdict("raw memory", raw[0] == 99 && raw[99] == 0);
    std::free(raw);
    std::printf("vectors, arrays, spans and raw memory on %s\n", cpu.description().c_str());
  });
}
