// Format of a checkpoint: a signature of eight bytes, its version, the lengths of its three parts and a hash of them;
// JSON of the scene and of the invariants at the start; one byte of appearance for each body; the bytes of the
// simulation.
#include <fmt/core.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/io/input.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/nbody/files/files.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

constexpr std::string_view magic{"\x89UPSNB\r\n", 8};
constexpr std::uint64_t version = 1;

struct head {
  std::array<char, 8> magic;
  std::uint64_t version, facts, looks, motion, hash;
};

// FNV-1a over words of eight bytes, so that a checkpoint of a gigabyte is hashed in a second.
std::uint64_t hash_of(std::uint64_t h, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  for (; bytes > 0;) {
    std::uint64_t word = 0;
    const std::size_t here = std::min<std::size_t>(bytes, 8);
    std::memcpy(&word, from, here);
    h = (h ^ word) * 0x100000001b3ull;
    h ^= h >> 29;
    from += here, bytes -= here;
  }
  return h;
}

std::uint64_t hash_of(const std::string& facts, const std::vector<nbody::look>& looks,
                      const std::vector<std::byte>& motion) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  h = hash_of(h, facts.data(), facts.size());
  h = hash_of(h, looks.data(), looks.size());
  return hash_of(h, motion.data(), motion.size());
}

nlohmann::json facts_of(const nbody_checkpoint& c) {
  const nbody::invariants& s = c.ledger.start();
  return {{"scene", c.name},         {"units", c.units},        {"reach", c.reach},           {"duration", c.duration},
          {"type", name_of(c.type)}, {"kinetic", s.kinetic},    {"potential", s.potential},   {"momentum", s.momentum},
          {"angular", s.angular},    {"mass", c.ledger.mass()}, {"radius", c.ledger.radius()}};
}

}  // namespace

void write_checkpoint(const std::string& path, const nbody_checkpoint& c) {
  const std::string facts = facts_of(c).dump();
  head h{{}, version, facts.size(), c.looks.size(), c.motion.size(), hash_of(facts, c.looks, c.motion)};
  std::ranges::copy(magic, h.magic.begin());
  whole_file file(path);
  file.reserve(sizeof h + facts.size() + c.looks.size() + c.motion.size());
  file.write(&h, sizeof h);
  file.write(facts);
  file.write(c.looks.data(), c.looks.size());
  file.write(c.motion.data(), c.motion.size());
  file.commit();
}

nbody_checkpoint read_checkpoint(const std::string& path) {
  input in(path);
  head h{};
  const std::uint64_t got = in.read(&h, sizeof h);
  if (got < magic.size() || std::string_view(h.magic.data(), h.magic.size()) != magic)
    throw error(fault::bad_argument, in.name(), "it is not a checkpoint of `upsweep nbody`",
                "give a file that --checkpoint wrote");
  const auto cut_off = [&] {
    return error(fault::bad_argument, in.name(), "the checkpoint is cut off", "use an earlier one");
  };
  if (got < sizeof h) throw cut_off();
  if (h.version != version)
    throw error(fault::unsupported, in.name(),
                fmt::format("the checkpoint has version {}, and this program reads version {}", h.version, version),
                "continue with the program that wrote it");
  const std::uint64_t most = in.size().value_or(std::uint64_t{1} << 40);
  if (h.facts > most || h.looks > most || h.motion > most) throw cut_off();
  nbody_checkpoint c;
  std::string facts(h.facts, '\0');
  c.looks.resize(h.looks);
  c.motion.resize(h.motion);
  if (in.read(facts.data(), h.facts) < h.facts || in.read(c.looks.data(), h.looks) < h.looks ||
      in.read(c.motion.data(), h.motion) < h.motion)
    throw cut_off();
  char more;
  if (in.read(&more, 1) > 0)
    throw error(fault::bad_argument, in.name(), "data follows after the checkpoint's end", "use a complete one");
  if (hash_of(facts, c.looks, c.motion) != h.hash)
    throw error(fault::bad_argument, in.name(), "the checkpoint is damaged: its bytes are not those that were written",
                "use an earlier one");
  // The hash does not authenticate the file: its contents must still be validated.
  try {
    const nlohmann::json j = nlohmann::json::parse(facts);
    c.name = j.at("scene");
    c.units = j.at("units");
    c.reach = j.at("reach");
    c.duration = j.at("duration");
    c.type = j.at("type") == name_of(dtype::f64) ? dtype::f64 : dtype::f32;
    nbody::invariants s;
    s.kinetic = j.at("kinetic"), s.potential = j.at("potential");
    for (std::size_t k = 0; k < 3; ++k) s.momentum[k] = j.at("momentum").at(k), s.angular[k] = j.at("angular").at(k);
    c.ledger = nbody_ledger(s, j.at("mass"), j.at("radius"));
  } catch (const nlohmann::json::exception&) {
    throw error(fault::bad_argument, in.name(), "the checkpoint lacks a required field of its scene",
                "give a file that --checkpoint wrote");
  }
  return c;
}
