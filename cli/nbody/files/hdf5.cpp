// Gadget's HDF5 files in, trajectories out. The library is used by one thread at a time: bodies are read before a run,
// and the trajectory is its writer's alone.
#include "cli/nbody/files/files.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

#if UPSWEEP_WITH_HDF5

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/io/whole_file.hpp"
#include "cli/nbody/files/hdf5_library.hpp"

namespace nbody_hdf5 {

const bool have = true;

namespace {

// An identifier of the library, closed at the end of its scope.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle& operator=(handle&&) = delete;
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  bool good() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library does not print, which each thread asks of it anew.
void quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::vector<hsize_t> shape_of(hid_t set) {
  const handle space(H5Dget_space(set), H5Sclose);
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!shape.empty()) H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

std::vector<double> numbers(const std::string& file, hid_t group, const std::string& where, const char* field,
                            std::uint64_t n, std::uint64_t width) {
  const std::string name = where + "/" + field;
  if (H5Lexists(group, field, H5P_DEFAULT) <= 0)
    throw error(fault::bad_argument, file, fmt::format("it has no field {}", name),
                "Gadget's files have Coordinates, Velocities, and Masses where the MassTable is 0");
  const handle set(H5Dopen2(group, field, H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> wanted = width == 1 ? std::vector<hsize_t>{n} : std::vector<hsize_t>{n, width};
  if (!set.good() || shape_of(set) != wanted)
    throw error(fault::bad_argument, file, fmt::format("{} does not hold {} x {} numbers", name, n, width),
                "write it again");
  std::vector<double> values(n * width);
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw error(fault::bad_argument, file, fmt::format("{} cannot be read", name), "it is damaged or cut off");
  return values;
}

// An attribute of the file's header: `size` numbers, or `otherwise` where it has none such.
std::vector<double> in_header(hid_t file, const char* name, std::size_t size, double otherwise) {
  std::vector<double> values(size, otherwise);
  if (H5Lexists(file, "Header", H5P_DEFAULT) <= 0) return values;
  const handle header(H5Gopen2(file, "Header", H5P_DEFAULT), H5Gclose);
  if (H5Aexists(header, name) <= 0) return values;
  const handle attribute(H5Aopen(header, name, H5P_DEFAULT), H5Aclose);
  const handle space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) == static_cast<hssize_t>(size))
    H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

// A snapshot's bodies from the files that it is in.
class snapshot {
 public:
  explicit snapshot(std::uint64_t memory) : memory_(memory) {}

  void append(const std::string& path) {
    const handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file.good()) throw error(fault::bad_argument, path, "it is a damaged HDF5 file", "write it again");
    const double files = in_header(file, "NumFilesPerSnapshot", 1, 1)[0];
    if (files_ != 0 && files != files_)
      throw error(fault::bad_argument, path,
                  fmt::format("its header says the snapshot has {} files, and the first file says {}", files, files_),
                  "give the files of one snapshot");
    files_ = files;
    const std::vector<double> low = in_header(file, "NumPart_Total", 6, 0),
                              high = in_header(file, "NumPart_Total_HighWord", 6, 0);
    promised_ = 0;
    for (std::size_t kind = 0; kind < 6; ++kind) promised_ += low[kind] + high[kind] * 0x1p32;
    append(path, file);
  }

  nbody::scene whole(const std::string& path) {
    if (!any_)
      throw error(fault::bad_argument, path, "it has no group PartType0 to PartType5",
                  "only Gadget's HDF5 files are read");
    if (files_ > 1 && promised_ > 0 && promised_ != static_cast<double>(scene_.start.size()))
      throw error(
          fault::bad_argument, path,
          fmt::format("its header promises {} bodies and its {} files hold {}", promised_, files_, scene_.start.size()),
          "one of the files may belong to another snapshot; write them again");
    if (!lit_) scene_.looks.assign(scene_.start.size(), nbody::look::warm);
    return std::move(scene_);
  }

 private:
  // Kinds 0 to 5: gas, halo, disk, bulge, stars, boundary.
  void append(const std::string& path, hid_t file) {
    const std::vector<double> table = in_header(file, "MassTable", 6, 0);
    for (int kind = 0; kind < 6; ++kind) {
      const std::string where = fmt::format("PartType{}", kind);
      if (H5Lexists(file, where.c_str(), H5P_DEFAULT) <= 0) continue;
      any_ = true;
      const handle group(H5Gopen2(file, where.c_str(), H5P_DEFAULT), H5Gclose);
      if (H5Lexists(group, "Coordinates", H5P_DEFAULT) <= 0) numbers(path, group, where, "Coordinates", 0, 3);
      const handle set(H5Dopen2(group, "Coordinates", H5P_DEFAULT), H5Dclose);
      const std::vector<hsize_t> shape = shape_of(set);
      const std::uint64_t n = shape.empty() ? 0 : shape[0], before = scene_.start.size();
      if (const std::uint64_t most = memory_ / (7 * sizeof(double)); n > most - std::min(before, most))
        throw error(fault::out_of_memory, path,
                    fmt::format("its {} bodies and {} more need more memory than the limit", n, before),
                    "raise --memory");
      const std::vector<double> at = numbers(path, group, where, "Coordinates", n, 3),
                                speed = numbers(path, group, where, "Velocities", n, 3);
      const double each = table[static_cast<std::size_t>(kind)];
      const std::vector<double> mass =
          each > 0 ? std::vector<double>(n, each) : numbers(path, group, where, "Masses", n, 1);
      nbody::bodies<double>& to = scene_.start;
      to.resize(before + n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t k = before + i;
        to.x[k] = at[3 * i], to.y[k] = at[3 * i + 1], to.z[k] = at[3 * i + 2];
        to.vx[k] = speed[3 * i], to.vy[k] = speed[3 * i + 1], to.vz[k] = speed[3 * i + 2];
        to.mass[k] = mass[i];
      }
      using nbody::look;
      constexpr look looks[]{look::cool, look::dark, look::warm, look::bulge, look::warm, look::dark};
      scene_.looks.resize(before + n, looks[kind]);
      lit_ = lit_ || (n > 0 && looks[kind] != look::dark);
    }
  }

  std::uint64_t memory_;
  nbody::scene scene_;
  double files_ = 0, promised_ = 0;
  bool any_ = false, lit_ = false;
};

// Returns the text around the number of a snapshot's file, such as "snap_010.3.hdf5".
std::optional<std::pair<std::string, std::string>> around_number(const std::string& path) {
  const std::size_t extension = path.rfind('.');
  if (extension == std::string::npos || extension == 0) return std::nullopt;
  std::size_t begin = extension;
  while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
  if (begin == extension || begin == 0 || path[begin - 1] != '.') return std::nullopt;
  return std::pair(path.substr(0, begin), path.substr(extension));
}

}  // namespace

nbody::scene read(const std::string& path, std::uint64_t memory) {
  quiet();
  double files = 1;
  {
    const handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file.good()) files = in_header(file, "NumFilesPerSnapshot", 1, 1)[0];
  }
  snapshot s(memory);
  if (!(files > 1)) {
    s.append(path);
    return s.whole(path);
  }
  const auto name = around_number(path);
  if (!name || !(files <= 1 << 20))
    throw error(fault::bad_argument, path, fmt::format("it is one of {} files of a snapshot", files),
                "keep their names, which end in .0.hdf5, .1.hdf5 and so on, and give one of them");
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(files); ++k) {
    const std::string part = fmt::format("{}{}{}", name->first, k, name->second);
    if (access(part.c_str(), R_OK) != 0)
      throw error(
          fault::bad_argument, part,
          fmt::format("it is one of the {} files of the snapshot, and cannot be read: {}", files, std::strerror(errno)),
          "copy it to the folder of the others");
    s.append(part);
  }
  return s.whole(path);
}

namespace {

// /positions (steps, bodies, 3) in chunks of a step, or of a part of a large one; /time and /step; /mass.
class trajectory final : public nbody_taker {
 public:
  trajectory(const std::string& path, const std::vector<double>& masses, dtype type)
      : place_(path, true),
        n_(masses.size()),
        type_(type == dtype::f64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT),
        // The library opens by name: this is the name of the file that is open already, and has none of its own yet.
        file_(H5Fcreate(fmt::format("/proc/self/fd/{}", place_.descriptor()).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT,
                        H5P_DEFAULT),
              H5Fclose),
        positions_(growing("positions", type == dtype::f64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, {n_, 3})),
        times_(growing("time", H5T_IEEE_F64LE, {})),
        step_(growing("step", H5T_STD_U64LE, {})) {
    const hsize_t n = n_;
    const handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const handle mass(H5Dcreate2(file_, "mass", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
    demand(H5Dwrite(mass, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, masses.data()) >= 0);
  }
  void take(const nbody_shot& s) override {
    quiet();
    append(positions_, type_, s.f32.empty() ? static_cast<const void*>(s.f64.data()) : s.f32.data(), {n_, 3});
    append(times_, H5T_NATIVE_DOUBLE, &s.time, {});
    append(step_, H5T_NATIVE_UINT64, &s.step, {});
    ++steps_;
  }
  void finish() override {
    quiet();
    demand(positions_.close() && times_.close() && step_.close());
    demand(file_.close());
    place_.commit();
  }
  std::string what() const override { return fmt::format("{} steps to {}", steps_, place_.name()); }

 private:
  void demand(bool good) const {
    if (good) return;
    // The library may have called others since the write that failed.
    const int said = errno;
    rlimit most{};
    const bool limited = getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
    const int number = said == ENOSPC || said == EDQUOT || said == EIO ? said : limited ? EFBIG : said;
    throw error(
        fault::bad_argument, place_.name(),
        std::string("cannot write it: ") + (number ? std::strerror(number) : "the HDF5 library reported an error"),
        number == ENOSPC ? "free some space, or write to another place" : "");
  }
  handle growing(const char* name, hid_t type, std::vector<hsize_t> rest) {
    demand(file_.good());
    constexpr hsize_t most = 1 << 18;  // bodies in a chunk
    std::vector<hsize_t> now{0}, limit{H5S_UNLIMITED}, chunk{rest.empty() ? hsize_t{1024} : hsize_t{1}};
    for (const hsize_t d : rest) now.push_back(d), limit.push_back(d), chunk.push_back(std::clamp<hsize_t>(d, 1, most));
    const handle space(H5Screate_simple(static_cast<int>(now.size()), now.data(), limit.data()), H5Sclose);
    const handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
    handle set(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose);
    demand(set.good());
    return set;
  }
  void append(hid_t set, hid_t type, const void* from, std::vector<hsize_t> rest) {
    errno = 0;
    std::vector<hsize_t> whole{steps_ + 1}, first{steps_}, count{1};
    for (const hsize_t d : rest) whole.push_back(d), first.push_back(0), count.push_back(d);
    demand(H5Dset_extent(set, whole.data()) >= 0);
    const handle there(H5Dget_space(set), H5Sclose),
        here(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
    demand(H5Dwrite(set, type, here, there, H5P_DEFAULT, from) >= 0);
  }

  whole_file place_;
  hsize_t n_, steps_ = 0;
  hid_t type_;
  handle file_, positions_, times_, step_;
};

}  // namespace

std::unique_ptr<nbody_taker> open_trajectory(const std::string& path, const std::vector<double>& masses, dtype type) {
  quiet();
  return std::make_unique<trajectory>(path, masses, type);
}

}  // namespace nbody_hdf5

#else

namespace nbody_hdf5 {

const bool have = false;
namespace {
error off(const std::string& path) {
  return error(fault::unsupported, path, "HDF5 is off in this build", "install libhdf5-dev and build again");
}
}  // namespace
nbody::scene read(const std::string& path, std::uint64_t) { throw off(path); }
std::unique_ptr<nbody_taker> open_trajectory(const std::string& path, const std::vector<double>&, dtype) {
  throw off(path);
}

}  // namespace nbody_hdf5

#endif
