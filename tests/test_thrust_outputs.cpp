// Thrust's outputs and functions of every kind on the CPU, compiled without nvcc.
#include "tests/thrust_output_cases.hpp"

namespace {

template <class T>
using host = thrust::host_vector<T>;
thrust_output_cases<host> output_cases() { return {upsweep::context::cpu(3)}; }

TEST(ThrustOutputs, Rows) { output_cases().rows(); }
TEST(ThrustOutputs, Places) { output_cases().places(); }
TEST(ThrustOutputs, Types) { output_cases().types(); }
TEST(ThrustOutputs, AsLargeAsWhatIsKept) { output_cases().exact_outputs(); }
TEST(ThrustOutputs, OneRun) {
  thrust_output_cases<host>::one_run([] { return upsweep::context::cpu(3); });
}
TEST(ThrustOutputs, Operators) { output_cases().operators(); }

}  // namespace
