// says: upsweep: a pointer to a member is not a function; give std::mem_fn of it, or a lambda
#include "upsweep/transform.hpp"

struct point {
  int x, y;
};

int main() {
  const std::vector<point> points{{3, 1}, {1, 2}};
  std::vector<int> xs(2);
  upsweep::transform(upsweep::context::cpu(), points, xs, &point::x);
}
