// says: upsweep: the threshold is of another type than the elements; write it in theirs, as in less_than(0.5f) for f32
#include "upsweep/select.hpp"

int main() {
  std::vector<float> x{1, 2, 3}, y(3);
  upsweep::copy_if(upsweep::context::cpu(), x, y, upsweep::less_than(0.5));
}
