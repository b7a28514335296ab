// Bodies inside graphs: what waits for the host cannot be recorded. Runs where a CUDA GPU is.
#include <gtest/gtest.h>

#include <vector>

#include "tests/on_cuda.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/for_each.hpp"
#include "upsweep/nbody.hpp"

namespace upsweep::nbody {
namespace {

struct NbodyCuda : tests::on_cuda {};

bodies<float> random_bodies(std::size_t n) {
  bodies<float> b;
  b.resize(n);
  std::uint64_t k = 0;
  for (std::vector<float>* each : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass})
    for (float& v : *each) v = static_cast<float>(unit(mixed(++k)));
  for (float& m : b.mass) m /= static_cast<float>(n);
  return b;
}

TEST_F(NbodyCuda, AccelerationsAreRecordedInGraphs) {
  for (const std::size_t n : {100u, 5000u, 20000u}) {
    const tests::cuda_stream stream;
    const context gpu = context::cuda_on_stream(stream.handle());
    const bodies<float> b = random_bodies(n);
    const parameters p{.softening = 0.01, .method = method::all_pairs};
    std::vector<float> ax(n), ay(n), az(n), potential(n);
    accelerations(gpu, p, b.x, b.y, b.z, b.mass, ax, ay, az, potential);
    const buffer<float> x(gpu, b.x), y(gpu, b.y), z(gpu, b.z), mass(gpu, b.mass);
    buffer<float> to_x(gpu, n), to_y(gpu, n), to_z(gpu, n), to_potential(gpu, n);
    const auto enqueue = [&] { accelerations(gpu, p, x, y, z, mass, to_x, to_y, to_z, to_potential); };
    enqueue();
    for (buffer<float>* each : {&to_x, &to_y, &to_z, &to_potential}) each->upload(std::vector<float>(n));
    tests::recording(stream, enqueue).run();
    EXPECT_EQ(to_x.download(), ax);
    EXPECT_EQ(to_y.download(), ay);
    EXPECT_EQ(to_z.download(), az);
    EXPECT_EQ(to_potential.download(), potential);
  }
}

TEST_F(NbodyCuda, StepsAreRecordedInGraphs) {
  for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite}) {
    const tests::cuda_stream stream;
    const context gpu = context::cuda_on_stream(stream.handle());
    const bodies<float> b = random_bodies(500);
    simulation<float> recorded(gpu, b, {.softening = 0.05}, how), plain(gpu, b, {.softening = 0.05}, how);
    recorded.step();
    const tests::recording steps(stream, [&] { recorded.step(2); });
    for (int k = 0; k < 4; ++k) steps.run();
    plain.step(9);
    EXPECT_EQ(recorded.state().x, plain.state().x);
    EXPECT_EQ(recorded.state().vz, plain.state().vz);
    EXPECT_EQ(recorded.forces().potential, plain.forces().potential);
  }
}

struct braked {
  const vec4<float>*places, *speeds;
  float* to;
  UPSWEEP_HD void operator()(std::uint64_t i) const { to[i] = speeds[i].x - places[i].y * places[i].w; }
};

// A kernel of one's own reads the rows in place and changes the velocities, and nothing goes to the host.
TEST_F(NbodyCuda, AKernelWorksOnTheRows) {
  const tests::cuda_stream stream;
  const context gpu = context::cuda_on_stream(stream.handle());
  const std::uint64_t n = 300;
  const bodies<float> b = random_bodies(n);
  simulation<float> s(gpu, b, {.softening = 0.05});
  s.step(3);
  const bodies<float> before = s.state();
  buffer<float> vx(gpu, n);
  const auto rows = s.state_on_device();
  for_each_index(gpu, n, braked{rows.positions.data(), rows.velocities.data(), vx.span().data()});
  s.set_state({.vx = vx});
  for (std::uint64_t i = 0; i < n; ++i)
    ASSERT_NEAR(s.state().vx[i], before.vx[i] - before.y[i] * before.mass[i], 1e-6f) << i;
  EXPECT_EQ(s.state().x, before.x);
  EXPECT_EQ(s.state().vy, before.vy);
}

}  // namespace
}  // namespace upsweep::nbody
