// says: callable as const; for members, or what a function makes of a key, give upsweep::by(&T::member)
#include "upsweep/sort.hpp"

struct point {
  int x, y;
};

int main() {
  std::vector<point> keys{{3, 1}, {1, 2}};
  upsweep::sort(upsweep::context::cpu(), keys, &point::x);
}
