// Trajectories as .npy and JSON; HDF5 has a source of its own.
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/io/npy.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/nbody/files/files.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

class npy_trajectory final : public nbody_taker {
 public:
  npy_trajectory(const std::string& path, std::uint64_t bodies, dtype type)
      : file_(path), bodies_(bodies), type_(type) {
    if (!file_.rewritable())
      throw error(fault::bad_argument, file_.name(),
                  "its first bytes contain the number of steps, which is known at the end",
                  "write the trajectory to a file");
    file_.write(header());
  }
  void take(const nbody_shot& s) override {
    if (type_ == dtype::f64)
      file_.write(s.f64.data(), s.bytes());
    else
      file_.write(s.f32.data(), s.bytes());
    ++steps_;
  }
  void finish() override {
    const std::string whole = header();
    file_.rewrite(0, whole.data(), whole.size());
    file_.commit();
  }
  std::string what() const override { return fmt::format("{} steps to {}", steps_, file_.name()); }

 private:
  std::string header() const { return npy_header_text(type_, std::vector<std::uint64_t>{steps_, bodies_, 3}); }
  whole_file file_;
  std::uint64_t bodies_, steps_ = 0;
  dtype type_;
};

// {"bodies": 3, "type": "f64", "mass": [...], "steps": [{"step": 0, "time": 0, "positions": [[x, y, z], ...]}, ...]}
class json_trajectory final : public nbody_taker {
 public:
  json_trajectory(const std::string& path, const std::vector<double>& masses, dtype type) : file_(path) {
    fmt::format_to(std::back_inserter(text_), "{{\"bodies\": {}, \"type\": \"{}\",\n\"mass\": [{}],\n\"steps\": [",
                   masses.size(), name_of(type), fmt::join(masses, ", "));
  }
  void take(const nbody_shot& s) override {
    const auto to = std::back_inserter(text_);
    fmt::format_to(to, "{}\n{{\"step\": {}, \"time\": {}, \"positions\": [", steps_++ ? "," : "", s.step, s.time);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char* const comma = i ? ", " : "";
      if (s.f32.empty())
        fmt::format_to(to, "{}[{}, {}, {}]", comma, s.f64[3 * i], s.f64[3 * i + 1], s.f64[3 * i + 2]);
      else
        fmt::format_to(to, "{}[{}, {}, {}]", comma, s.f32[3 * i], s.f32[3 * i + 1], s.f32[3 * i + 2]);
      if (text_.size() > 1 << 20) flush();
    }
    text_.append(std::string_view("]}"));
    flush();
  }
  void finish() override {
    text_.append(std::string_view("\n]}\n"));
    flush();
    file_.commit();
  }
  std::string what() const override { return fmt::format("{} steps to {}", steps_, file_.name()); }

 private:
  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }
  whole_file file_;
  fmt::memory_buffer text_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<nbody_taker> open_trajectory(const std::string& path, const std::vector<double>& masses, dtype type) {
  const std::string kind = std::filesystem::path(path).extension().string();
  if (kind == ".npy") return std::make_unique<npy_trajectory>(path, masses.size(), type);
  if (kind == ".json") return std::make_unique<json_trajectory>(path, masses, type);
  if (kind == ".h5" || kind == ".hdf5") return nbody_hdf5::open_trajectory(path, masses, type);
  throw error(fault::bad_argument, "--trajectory '" + path + "'", "its extension is not that of a supported format",
              "use .npy, .h5, .hdf5 or .json");
}
