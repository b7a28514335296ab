// Bodies in device memory: the same bits as from the host's, in place, and nothing else touched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/nbody.hpp"

namespace upsweep::nbody {
namespace {

using tests::expect_error;

class NbodyOperands : public tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, NbodyOperands, testing::ValuesIn(tests::device_names()), tests::device_label);

template <class T>
bodies<T> random_bodies(std::size_t n, std::uint64_t seed) {
  bodies<T> b;
  b.resize(n);
  std::uint64_t k = seed * 1000003;
  const auto next = [&] { return static_cast<T>(unit(mixed(++k)) - 0.5); };
  for (std::size_t i = 0; i < n; ++i) {
    b.x[i] = next(), b.y[i] = next(), b.z[i] = next();
    b.vx[i] = next(), b.vy[i] = next(), b.vz[i] = next();
    b.mass[i] = i % 7 == 3 ? T(0) : (next() + 1) / static_cast<T>(n);
  }
  return b;
}

// The same on a device, each array in the middle of a longer one.
template <class T>
struct there {
  static constexpr std::uint64_t beside = 3;
  static constexpr T poison = T(77.5);
  std::uint64_t n;
  std::array<buffer<T>, 7> all;

  static buffer<T> padded(const context& c, const std::vector<T>& x) {
    std::vector<T> long_one(x.size() + 2 * beside, poison);
    std::copy(x.begin(), x.end(), long_one.begin() + beside);
    return {c, long_one};
  }
  there(const context& c, const bodies<T>& b)
      : n(b.size()), all{padded(c, b.x),  padded(c, b.y),  padded(c, b.z),   padded(c, b.vx),
                         padded(c, b.vy), padded(c, b.vz), padded(c, b.mass)} {}

  device_span<T> middle(std::size_t k) { return all[k].span().subspan(beside, n); }
  device_bodies<T> spans() { return {middle(0), middle(1), middle(2), middle(3), middle(4), middle(5), middle(6)}; }
  std::vector<T> download(std::size_t k) const {
    const std::vector<T> x = all[k].download();
    for (std::uint64_t i = 0; i < beside; ++i) {
      EXPECT_EQ(x[i], poison);
      EXPECT_EQ(x[beside + n + i], poison);
    }
    return {x.begin() + beside, x.begin() + static_cast<std::ptrdiff_t>(beside + n)};
  }
  bodies<T> host() const {
    return {download(0), download(1), download(2), download(3), download(4), download(5), download(6)};
  }
};

template <class T>
void expect_same(const bodies<T>& a, const bodies<T>& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.vx, b.vx);
  EXPECT_EQ(a.vy, b.vy);
  EXPECT_EQ(a.vz, b.vz);
  EXPECT_EQ(a.mass, b.mass);
}

template <class T>
void expect_same_accelerations(const context& where) {
  for (const method how : {method::all_pairs, method::barnes_hut})
    for (const std::size_t n : {0, 1, 2, 63, 300}) {
      SCOPED_TRACE(testing::Message() << n << " bodies, method " << static_cast<int>(how));
      const bodies<T> b = random_bodies<T>(n, n + 1);
      const parameters p{.softening = 0.01, .method = how};
      std::vector<T> ax(n, 9), ay(ax), az(ax), potential(ax);
      accelerations(where, p, b.x, b.y, b.z, b.mass, ax, ay, az, potential);
      there<T> in(where, b), out(where, b);
      accelerations(where, p, in.middle(0), in.middle(1), in.middle(2), in.middle(6), out.middle(0), out.middle(1),
                    out.middle(2), out.middle(3));
      EXPECT_EQ(out.download(0), ax);
      EXPECT_EQ(out.download(1), ay);
      EXPECT_EQ(out.download(2), az);
      EXPECT_EQ(out.download(3), potential);
      expect_same(in.host(), b);
      // Without potentials, the type said or not, spans and buffers mixed.
      accelerations<T>(where, p, b.x, b.y, b.z, b.mass, ax, ay, az);
      const buffer<T> x(where, b.x), mass(where, b.mass);
      buffer<T> to(where, n);
      accelerations<T>(where, p, x, in.middle(1), in.middle(2), mass, to, out.middle(4), out.middle(5));
      EXPECT_EQ(to.download(), ax);
      EXPECT_EQ(out.download(4), ay);
      EXPECT_EQ(out.download(5), az);
      EXPECT_EQ(out.download(6), b.mass);
    }
}

TEST_P(NbodyOperands, PullTheSameFromDeviceSpans) {
  expect_same_accelerations<float>(where());
  if (where().device().supports(dtype::f64)) expect_same_accelerations<double>(where());
}

TEST_P(NbodyOperands, TakeNoMemoryTheSecondTime) {
  there<float> in(where(), random_bodies<float>(1000, 4)), out(where(), random_bodies<float>(1000, 5));
  const auto call = [&] {
    accelerations(where(), {.softening = 0.1}, in.middle(0), in.middle(1), in.middle(2), in.middle(6), out.middle(0),
                  out.middle(1), out.middle(2));
  };
  call();
  const auto before = where().temporary_storage_allocations();
  call();
  EXPECT_EQ(where().temporary_storage_allocations(), before);
}

template <class T>
void expect_same_motion(const context& where) {
  for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite})
    for (const double adaptive : {0.0, 0.05}) {
      SCOPED_TRACE(testing::Message() << "integrator " << static_cast<int>(how) << ", adaptive " << adaptive);
      const bodies<T> b = random_bodies<T>(131, 2);
      const parameters p{.softening = 0.05};
      simulation<T> from_host(where, b, p, how, 0.01, adaptive);
      there<T> start(where, b), end(where, b);
      simulation<T> from_spans(where, start.spans(), p, how, 0.01, adaptive);
      EXPECT_EQ(from_host.checkpoint(), from_spans.checkpoint());
      from_host.step(7), from_spans.step(7);
      EXPECT_EQ(from_host.checkpoint(), from_spans.checkpoint());
      from_spans.copy_state(end.spans());
      expect_same(end.host(), from_host.state());
      expect_same(start.host(), b);
    }
}

TEST_P(NbodyOperands, MoveTheSameFromDeviceSpans) {
  expect_same_motion<float>(where());
  if (where().device().supports(dtype::f64)) expect_same_motion<double>(where());
}

TEST_P(NbodyOperands, AreSeenInPlace) {
  for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite}) {
    simulation<float> s(where(), random_bodies<float>(100, 3), {.softening = 0.1}, how);
    const memory places = s.state_on_device().positions.where();
    for (int turn = 0; turn < 2; ++turn) {
      s.step(3);
      const auto rows = s.state_on_device();
      EXPECT_EQ(rows.positions.where().base, places.base);
      std::vector<vec4<float>> x(100), v(100), a(100);
      download(where(), rows.positions, std::span(x));
      download(where(), rows.velocities, std::span(v));
      download(where(), s.forces_on_device(), std::span(a));
      const bodies<float>& now = s.state();
      const auto& forces = s.forces();
      for (std::size_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(x[i].x == now.x[i] && x[i].y == now.y[i] && x[i].z == now.z[i] && x[i].w == now.mass[i]) << i;
        ASSERT_TRUE(v[i].x == now.vx[i] && v[i].y == now.vy[i] && v[i].z == now.vz[i] && v[i].w == 0) << i;
        ASSERT_TRUE(a[i].x == forces.ax[i] && a[i].y == forces.ay[i] && a[i].z == forces.az[i]) << i;
        ASSERT_EQ(a[i].w, forces.potential[i]) << i;
      }
    }
  }
}

// From a state that is set, the simulation goes on as one that began there.
TEST_P(NbodyOperands, GoOnFromAStateThatIsSet) {
  for (const integrator how : {integrator::euler, integrator::leapfrog, integrator::hermite}) {
    const bodies<float> first = random_bodies<float>(90, 6), second = random_bodies<float>(90, 7);
    simulation<float> s(where(), first, {.softening = 0.1}, how, 0.01),
        t(where(), first, {.softening = 0.1}, how, 0.01);
    s.step(2), t.step(2);
    there<float> spans(where(), second);
    s.set_state(spans.spans());
    t.set_state(second);
    expect_same(s.state(), second);
    simulation<float> begun(where(), second, {.softening = 0.1}, how, 0.01);
    EXPECT_EQ(s.forces().ax, begun.forces().ax);
    s.step(5), t.step(5), begun.step(5);
    expect_same(s.state(), begun.state());
    expect_same(t.state(), begun.state());
    EXPECT_EQ(s.steps(), 7u);
    // Velocities alone, and masses alone: the rest stays.
    bodies<float> wanted = s.state();
    wanted.vx = second.vx, wanted.vz = second.vz;
    const buffer<float> vx(where(), second.vx), vz(where(), second.vz);
    s.set_state({.vx = vx, .vz = vz});
    expect_same(s.state(), wanted);
    wanted.mass = std::vector<float>(90, 0.5f);
    const buffer<float> mass(where(), wanted.mass);
    s.set_state({.mass = mass});
    expect_same(s.state(), wanted);
    simulation<float> other(where(), wanted, {.softening = 0.1}, how, 0.01);
    EXPECT_EQ(s.forces().potential, other.forces().potential);
    // One array out, the others left as they are.
    buffer<float> y(where(), 90);
    s.copy_state({.y = y});
    EXPECT_EQ(y.download(), wanted.y);
  }
}

TEST_P(NbodyOperands, RefuseWhatDoesNotFit) {
  there<float> in(where(), random_bodies<float>(20, 1)), out(where(), random_bodies<float>(20, 2));
  const auto pulled = [&](device_span<float> x, device_span<float> ax, device_span<float> ay) {
    accelerations(where(), {.softening = 1}, x, in.middle(1), in.middle(2), in.middle(6), ax, ay, out.middle(2));
  };
  expect_error(fault::bad_argument, {"19", "20"},
               [&] { pulled(in.middle(0).subspan(0, 19), out.middle(0), out.middle(1)); });
  expect_error(fault::bad_argument, {"20 bodies", "19"},
               [&] { pulled(in.middle(0), out.middle(0).subspan(0, 19), out.middle(1)); });
  expect_error(fault::bad_argument, {"ax and ay overlap"}, [&] { pulled(in.middle(0), out.middle(0), out.middle(0)); });
  expect_error(fault::bad_argument, {"x and ay overlap"}, [&] { pulled(in.middle(0), out.middle(0), in.middle(0)); });
  const bodies<float> before = out.host();
  device_bodies<float> some = in.spans();
  some.vy = some.vy.subspan(0, 5);
  expect_error(fault::bad_argument, {"20 bodies", "5"}, [&] { simulation<float>(where(), some, {.softening = 1}); });
  some.vy = {};
  expect_error(fault::bad_argument, {"20 bodies", "0"}, [&] { simulation<float>(where(), some, {.softening = 1}); });
  simulation<float> s(where(), in.spans(), {.softening = 1});
  expect_error(fault::bad_argument, {"20 bodies", "5"}, [&] { s.set_state({.vx = out.middle(0).subspan(0, 5)}); });
  expect_error(fault::bad_argument, {"20 bodies", "5"}, [&] { s.copy_state({.z = out.middle(0).subspan(0, 5)}); });
  expect_error(fault::bad_argument, {"20 bodies", "10"}, [&] { s.set_state(random_bodies<float>(10, 1)); });
  expect_error(fault::bad_argument, {"x and vz overlap"},
               [&] { s.copy_state({.x = out.middle(0), .vz = out.middle(0)}); });
  expect_same(out.host(), before);
  expect_same(s.state(), in.host());
}

// The CPU looks at bodies in any case, a device in checked calls.
TEST_P(NbodyOperands, LookAtBodiesInDeviceMemory) {
  const context checked = where().with({.checked = true});
  there<float> in(where(), random_bodies<float>(20, 1)), out(where(), random_bodies<float>(20, 2));
  simulation<float> s(checked, in.spans(), {.softening = 1});
  buffer<float> masses(where(), std::vector<float>(20, -1.0f));
  expect_error(fault::bad_argument, {"body 0", "mass"}, [&] { s.set_state({.mass = masses}); });
  expect_same(s.state(), in.host());
  device_bodies<float> bad = in.spans();
  bad.mass = masses;
  expect_error(fault::bad_argument, {"body 0", "mass"}, [&] { simulation<float>(checked, bad, {.softening = 1}); });
  expect_error(fault::bad_argument, {"body 0", "mass"}, [&] {
    accelerations(checked, {}, in.middle(0), in.middle(1), in.middle(2), masses, out.middle(0), out.middle(1),
                  out.middle(2));
  });
}

}  // namespace
}  // namespace upsweep::nbody
