// Bodies from files of each kind, and checkpoints.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>

#include "cli/nbody/files/files.hpp"
#include "cli/nbody/nbody.hpp"
#include "cli/nbody/paint.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

namespace {

using upsweep::nbody::bodies;

std::array<const std::vector<double>*, 7> arrays_of(const bodies<double>& b) {
  return {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass};
}

upsweep::nbody::scene bodies_in(const std::string& path) {
  upsweep::nbody::scene s = read_bodies(path, fuzz::memory, 1);
  for (const std::vector<double>* each : arrays_of(s.start)) {
    fuzz::require(each->size() == s.start.size(), "arrays of different lengths");
    for (const double x : *each) fuzz::require(std::isfinite(x), "a body that is nowhere");
  }
  fuzz::require(s.looks.size() == s.start.size(), "another number of looks");
  fuzz::require(s.reach > 0 && s.softening >= 0, "a scene that cannot be shown");
  return s;
}

void read_and_write_bodies(const std::string& path) {
  const upsweep::nbody::scene s = bodies_in(path);
  const auto columns = arrays_of(s.start);
  std::string table = "x,y,z,vx,vy,vz,mass\n";
  for (std::size_t i = 0; i < s.start.size(); ++i)
    for (std::size_t k = 0; k < 7; ++k) table += fmt::format("{}{}", (*columns[k])[i], k < 6 ? ',' : '\n');
  const upsweep::nbody::scene again = bodies_in(fuzz::file_of("copy.csv", table));
  for (std::size_t k = 0; k < 7; ++k) fuzz::require(*arrays_of(again.start)[k] == *columns[k], "other bodies");
}

// A few steps of a few bodies, by the method that the first one's place chooses, and a picture of them.
void run_and_paint(const upsweep::nbody::scene& s) {
  if (s.start.size() > 64) return;  // that would take long
  nbody_options o;
  o.method = std::signbit(s.start.x[0]) ? "all-pairs" : "barnes-hut";
  o.type = s.start.y[0] > 0 ? "f32" : "f64";
  const auto motion = start_motion(upsweep::context::cpu(), s.start, settings_of(o, s));
  motion->step(3);
  motion->measure();
  nbody_painter({.width = 32, .height = 16, .reach = s.reach, .pitch = 60}, s.looks).paint(motion->shot(), 0.5);
}

// Corrects a checkpoint's two checksums: a file with wrong checksums is rejected before anything else is read.
std::uint64_t folded(std::uint64_t sum, std::string_view bytes) {
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min<std::size_t>(bytes.size(), 8);
    std::memcpy(&word, bytes.data(), count);
    sum = (sum ^ word) * 1099511628211ull;
    sum ^= sum >> 29;
    bytes.remove_prefix(count);
  }
  return sum;
}
constexpr std::uint64_t first_sum = 0xcbf29ce484222325ull;

std::string with_right_sums(std::string file) {
  constexpr std::size_t head = 48;
  std::uint64_t sizes[3];
  if (file.size() < head) return file;
  std::memcpy(sizes, file.data() + 16, sizeof sizes);
  const std::uint64_t rest = file.size() - head;
  for (const std::uint64_t size : sizes)
    if (size > rest) return file;
  if (sizes[0] + sizes[1] + sizes[2] != rest || sizes[2] < 8) return file;
  const std::string_view all = file;
  const std::uint64_t inner = folded(first_sum, all.substr(file.size() - sizes[2], sizes[2] - 8));
  std::memcpy(file.data() + file.size() - 8, &inner, sizeof inner);
  std::uint64_t outer = first_sum;
  std::size_t at = head;
  for (const std::uint64_t size : sizes) outer = folded(outer, all.substr(at, size)), at += size;
  std::memcpy(file.data() + 40, &outer, sizeof outer);
  return file;
}

}  // namespace

UPSWEEP_HARNESS(bodies) {
  const std::string path = fuzz::file_of("x.dat", bytes);
  read_and_write_bodies(path);
  run_and_paint(bodies_in(path));
}

UPSWEEP_HARNESS(hdf5) {
  if (!nbody_hdf5::have) return;
  const upsweep::nbody::scene s = nbody_hdf5::read(fuzz::file_of("x.0.hdf5", bytes), fuzz::memory);
  fuzz::require(s.looks.size() == s.start.size(), "another number of looks");
}

UPSWEEP_HARNESS(checkpoint) {
  try {
    read_checkpoint(fuzz::file_of("x.ckpt", bytes));
  } catch (const upsweep::error&) {
  }
  const nbody_checkpoint c = read_checkpoint(fuzz::file_of("x.ckpt", with_right_sums(std::string(bytes))));
  const auto motion = resume_motion(upsweep::context::cpu(), c.type, c.motion);
  if (motion->size() > 200) return;  // the rest would take long
  const std::vector<std::byte> state = motion->checkpoint();
  fuzz::require(resume_motion(upsweep::context::cpu(), c.type, state)->checkpoint() == state, "another state goes on");
  const std::string copy = fuzz::folder() + "/copy.ckpt";
  write_checkpoint(copy, c);
  const nbody_checkpoint again = read_checkpoint(copy);
  fuzz::require(again.name == c.name && again.units == c.units && again.looks == c.looks && again.motion == c.motion,
                "another checkpoint was written");
  motion->step(2);
  motion->measure();
  fuzz::require(motion->shot().size() == motion->size(), "another number of bodies");
}
