// says: upsweep: remove_if works in place: it takes a span, a buffer or a contiguous range, and a test
#include "upsweep/select.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  upsweep::remove_if(cpu, upsweep::views::iota(0, 9), upsweep::less_than(2));
}
