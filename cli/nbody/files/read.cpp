// Bodies from .npy, CSV and TIPSY files; HDF5 has a source of its own.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "cli/io/csv.hpp"
#include "cli/io/elements.hpp"
#include "cli/io/input.hpp"
#include "cli/io/npy.hpp"
#include "cli/nbody/files/files.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

// The bodies' arrays in the order in which files without names have them.
using columns = std::array<std::vector<double>*, 7>;
columns columns_of(nbody::bodies<double>& b) { return {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass}; }

void require_memory(const std::string& name, std::uint64_t n, std::uint64_t memory) {
  if (n > memory / (7 * sizeof(double)))
    throw error(
        fault::out_of_memory, name,
        fmt::format("its {} bodies exceed the memory limit of {:.1f} GiB", n, static_cast<double>(memory) / 0x1p30),
        "raise --memory");
}

// Which of the seven the k-th column is, by how many there are.
constexpr std::array<int, 7> all_seven{0, 1, 2, 3, 4, 5, 6};
constexpr std::array<int, 4> places_and_mass{0, 1, 2, 6};
std::span<const int> meaning_of(const std::string& name, std::uint64_t count) {
  if (count == 7 || count == 6) return std::span(all_seven).first(count);
  if (count == 4) return places_and_mass;
  throw error(fault::bad_argument, name, fmt::format("it has {} columns", count),
              "give x y z vx vy vz mass, the six without mass, or x y z mass");
}

void equal_masses(nbody::bodies<double>& b) { b.mass.assign(b.size(), 1 / static_cast<double>(b.size())); }

nbody::scene from_npy(const std::string& path, std::uint64_t memory) {
  source_options o;
  o.path = path, o.format = "npy", o.narrow = true;
  const auto source = open_source(o);
  if (source->shape.size() != 2)
    throw error(fault::bad_argument, source->name,
                fmt::format("it has {} axes, not bodies by columns", source->shape.size()),
                "give it the shape (n, 7): x y z vx vy vz mass");
  const std::uint64_t n = source->shape[0], width = source->shape[1];
  const auto meaning = meaning_of(source->name, width);
  require_memory(source->name, n, memory);
  nbody::scene s;
  s.start.resize(n);
  const columns to = columns_of(s.start);
  constexpr std::uint64_t rows = 4096;
  with_any_type(source->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> block(rows * width);
    for (std::uint64_t first = 0; first < n; first += rows) {
      const std::uint64_t here = std::min(rows, n - first);
      source->read(block.data(), here * width);
      for (std::uint64_t i = 0; i < here; ++i)
        for (std::size_t k = 0; k < width; ++k)
          (*to[static_cast<std::size_t>(meaning[k])])[first + i] =
              static_cast<double>(static_cast<double>(block[i * width + k]));
    }
  });
  source->expect_end();
  if (width == 6) equal_masses(s.start);
  return s;
}

constexpr std::array<std::string_view, 7> column_names{"x", "y", "z", "vx", "vy", "vz", "mass"};

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields{""};
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else if (c != '"' && c != ' ' && c != '\t' && c != '\r')
      fields.back() += c;
  }
  return fields;
}

nbody::scene from_csv(input& in, std::uint64_t memory) {
  constexpr std::size_t longest_line = 1 << 16;
  const std::string_view ahead = in.peek(longest_line);
  const std::vector<std::string> heads = fields_of(ahead.substr(0, ahead.find('\n')));
  double ignored;
  const bool named = std::from_chars(heads[0].data(), heads[0].data() + heads[0].size(), ignored).ec != std::errc{};
  csv_options o;
  o.first = named ? csv_options::first_row::header : csv_options::first_row::data;
  std::vector<std::string> wanted;
  std::vector<int> meaning;
  bool massive = true;
  if (named) {
    const auto has = [&](std::string_view name) { return std::ranges::find(heads, name) != heads.end(); };
    for (int k = 0; k < 7; ++k) {
      const auto name = column_names[static_cast<std::size_t>(k)];
      const std::string found = has(name) ? std::string(name) : k == 6 && has("m") ? "m" : "";
      if (found.empty() && (k < 2 || k == 6))
        throw error(fault::bad_argument, in.name(), fmt::format("it has no column '{}'", name),
                    "its first row must name x, y, z, vx, vy, vz and mass; z and the velocities are optional");
      if (!found.empty()) wanted.push_back(found), meaning.push_back(k);
    }
  } else {
    const auto by_place = meaning_of(in.name(), heads.size());
    meaning.assign(by_place.begin(), by_place.end());
    for (std::size_t k = 1; k <= meaning.size(); ++k) wanted.push_back(std::to_string(k));
    massive = heads.size() != 6;
  }
  csv_records records(in, o, wanted);
  nbody::scene s;
  const columns to = columns_of(s.start);
  while (records.next()) {
    for (auto* column : to) column->push_back(0);
    for (std::size_t k = 0; k < meaning.size(); ++k)
      records.number(k, to[static_cast<std::size_t>(meaning[k])]->back());
    if (s.start.size() % 4096 == 0) require_memory(in.name(), s.start.size(), memory);
  }
  if (!massive) equal_masses(s.start);
  return s;
}

// TIPSY: a header of time, counts and axes; gas, dark matter and stars, each with its mass, place and speed first. The
// standard form is big-endian, the native one of the machine that wrote it.
struct tipsy_header {
  double time;
  std::uint32_t bodies, axes, gas, dark, stars;
};
constexpr std::uint64_t tipsy_header_bytes = 32;
constexpr std::uint64_t tipsy_floats[]{12, 9, 11};  // gas, dark, star

template <class T>
T number_at(const char* from, bool swapped) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (swapped) std::ranges::reverse(raw);
  T value;
  std::memcpy(&value, raw.data(), sizeof value);
  return value;
}

std::optional<tipsy_header> tipsy_header_of(std::string_view bytes, bool swapped) {
  if (bytes.size() < tipsy_header_bytes) return std::nullopt;
  tipsy_header h{number_at<double>(bytes.data(), swapped), 0, 0, 0, 0, 0};
  std::uint32_t* const counts[]{&h.bodies, &h.axes, &h.gas, &h.dark, &h.stars};
  for (std::size_t k = 0; k < 5; ++k) *counts[k] = number_at<std::uint32_t>(bytes.data() + 8 + 4 * k, swapped);
  const bool plausible = h.axes >= 2 && h.axes <= 3 && std::isfinite(h.time) &&
                         std::uint64_t{h.gas} + h.dark + h.stars == h.bodies && h.bodies > 0;
  return plausible ? std::optional(h) : std::nullopt;
}

nbody::scene from_tipsy(input& in, const tipsy_header& h, bool swapped, std::uint64_t memory) {
  require_memory(in.name(), h.bodies, memory);
  if (h.axes != 3) throw error(fault::unsupported, in.name(), "its positions have two coordinates", "write three");
  nbody::scene s;
  s.start.resize(h.bodies);
  s.looks.assign(h.bodies, nbody::look::warm);
  char header[tipsy_header_bytes];
  in.read(header, sizeof header);
  std::uint64_t at = 0;
  const std::uint32_t counts[]{h.gas, h.dark, h.stars};
  for (int kind = 0; kind < 3; ++kind) {
    const std::uint64_t size = tipsy_floats[kind] * sizeof(float);
    std::vector<char> block(1024 * size);
    for (std::uint64_t left = counts[kind]; left > 0;) {
      const std::uint64_t here = std::min<std::uint64_t>(left, 1024);
      const std::uint64_t got = in.read(block.data(), here * size);
      if (got < here * size)
        throw error(fault::bad_argument, in.name(),
                    fmt::format("its header promises {} bodies and it ends after {}", h.bodies, at + got / size),
                    "it is cut off; write it again");
      for (std::uint64_t i = 0; i < here; ++i, ++at) {
        const auto value = [&](std::size_t k) {
          return static_cast<double>(number_at<float>(&block[i * size + 4 * k], swapped));
        };
        nbody::bodies<double>& b = s.start;
        b.mass[at] = value(0);
        b.x[at] = value(1), b.y[at] = value(2), b.z[at] = value(3);
        b.vx[at] = value(4), b.vy[at] = value(5), b.vz[at] = value(6);
        if (kind == 1) s.looks[at] = h.gas + h.stars > 0 ? nbody::look::dark : nbody::look::warm;
        if (kind == 0) s.looks[at] = nbody::look::cool;
      }
      left -= here;
    }
  }
  return s;
}

nbody::scene from_file(const std::string& path, std::uint64_t memory) {
  input in(path);
  const std::string_view start = in.peek(tipsy_header_bytes);
  if (start.starts_with("\x89HDF\r\n\x1a\n")) return nbody_hdf5::read(path, memory);
  if (start.starts_with(npy_magic)) return from_npy(path, memory);
  for (const bool swapped : {true, false})
    if (const auto h = tipsy_header_of(start, swapped)) return from_tipsy(in, *h, swapped, memory);
  if (start.empty()) throw error(fault::bad_argument, in.name(), "it is empty", "give a file with bodies");
  for (const char c : start)
    if (static_cast<unsigned char>(c) < 9)
      throw error(fault::bad_argument, in.name(), "it is neither HDF5 nor .npy nor TIPSY nor CSV", "give one of these");
  return from_csv(in, memory);
}

}  // namespace

nbody::scene read_bodies(const std::string& path, std::uint64_t memory, double gravity) {
  nbody::scene s = from_file(path, memory);
  if (s.start.size() == 0) throw error(fault::bad_argument, path, "it holds no bodies", "give a file with bodies");
  s.name = path;
  s.units = "the file's";
  s.gravity = gravity;
  if (s.looks.empty()) s.looks.assign(s.start.size(), nbody::look::warm);
  nbody::parameters laws = s.laws();
  laws.softening = 1;  // whether two bodies share a place matters once the softening is known
  nbody::require_bodies(s.start, laws);
  nbody::suit(s);
  return s;
}
