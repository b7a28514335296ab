// says: upsweep: iota writes numbers
#include "upsweep/transform.hpp"

int main() {
  bool x[3];
  upsweep::iota(upsweep::context::cpu(), x);
}
