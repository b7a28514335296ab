// Thrust's sets and compactions on the CPU, compiled without nvcc.
#include "tests/thrust_set_cases.hpp"

namespace {

template <class T>
using host = thrust::host_vector<T>;

TEST(Thrust, Sets) { thrust_set_cases<host>{upsweep::context::cpu(3)}.sets(); }
TEST(Thrust, Compactions) { thrust_set_cases<host>{upsweep::context::cpu(3)}.compactions(); }

}  // namespace
