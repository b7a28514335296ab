// says: upsweep: keys of this type have no built-in order
#include "upsweep/axis.hpp"

int main() {
  const auto cpu = upsweep::context::cpu();
  struct record {
    int a, b;
  };
  std::vector<record> keys(4);
  upsweep::sort_along(cpu, keys, upsweep::rows_of(2));
}
