// says: upsweep: keys of this type have no built-in order; give a comparator
#include "upsweep/sort.hpp"

struct entry {
  int a, b;
};

void f(const upsweep::context& where, std::vector<entry>& x) { upsweep::sort(where, x); }

int main() {}
