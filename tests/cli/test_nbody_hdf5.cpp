// Gadget's HDF5 files in, trajectories out and read again by the library itself.
#include <hdf5.h>

#include <cmath>

#include "cli/nbody/files/files.hpp"
#include "command.hpp"

namespace {

using namespace upsweep;

class hdf5_bodies : public command_test {
 protected:
  static void put(hid_t group, const char* name, const std::vector<double>& values, std::vector<hsize_t> shape) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set = H5Dcreate2(group, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(set);
    H5Sclose(space);
  }
  // Stars with a mass each, and dark matter whose mass is in the table.
  void write_gadget(const std::string& name, const char* without = "") const {
    const hid_t file = H5Fcreate(path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t six = 6;
    const hid_t space = H5Screate_simple(1, &six, nullptr);
    const hid_t table = H5Acreate2(header, "MassTable", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const double masses[6]{0, 0.5, 0, 0, 0, 0};
    H5Awrite(table, H5T_NATIVE_DOUBLE, masses);
    H5Aclose(table);
    H5Sclose(space);
    H5Gclose(header);
    for (const int kind : {1, 4}) {
      const hid_t group =
          H5Gcreate2(file, ("PartType" + std::to_string(kind)).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      const double k = kind;
      if (std::string(without) != "Coordinates") put(group, "Coordinates", {k, 0, 0, 0, k, 0}, {2, 3});
      if (std::string(without) != "Velocities") put(group, "Velocities", {0, 0.25, 0, 0.5, 0, k}, {2, 3});
      if (kind == 4 && std::string(without) != "Masses") put(group, "Masses", {2, 3}, {2});
      H5Gclose(group);
    }
    H5Fclose(file);
  }
};

TEST_F(hdf5_bodies, gadget) {
  write_gadget("g.hdf5");
  const nbody::scene s = read_bodies(path("g.hdf5").string(), 1 << 20, 1);
  EXPECT_EQ(s.start.x, (std::vector<double>{1, 0, 4, 0}));
  EXPECT_EQ(s.start.y, (std::vector<double>{0, 1, 0, 4}));
  EXPECT_EQ(s.start.vz, (std::vector<double>{0, 1, 0, 4}));
  EXPECT_EQ(s.start.mass, (std::vector<double>{0.5, 0.5, 2, 3}));
  EXPECT_EQ(s.looks, (std::vector{nbody::look::dark, nbody::look::dark, nbody::look::warm, nbody::look::warm}));
}

TEST_F(hdf5_bodies, a_snapshot_in_several_files_is_read_whole) {
  const auto write_part = [&](int part, double files, double total) {
    const std::string name = "snap.003." + std::to_string(part) + ".hdf5";
    const hid_t file = H5Fcreate(path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const auto attribute = [&](const char* called, std::vector<double> values) {
      const hsize_t size = values.size();
      const hid_t space = size == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr);
      const hid_t a = H5Acreate2(header, called, H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(a, H5T_NATIVE_DOUBLE, values.data());
      H5Aclose(a);
      H5Sclose(space);
    };
    attribute("NumFilesPerSnapshot", {files});
    attribute("NumPart_Total", {0, total, 0, 0, 0, 0});
    const hid_t group = H5Gcreate2(file, "PartType1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const double k = part;
    put(group, "Coordinates", {k, 0, 0, k, 1, 0}, {2, 3});
    put(group, "Velocities", {0, 0, 0, 0, 0, 0}, {2, 3});
    put(group, "Masses", {1, 1}, {2});
    H5Gclose(group);
    H5Gclose(header);
    H5Fclose(file);
    return name;
  };
  for (int part = 0; part < 3; ++part) write_part(part, 3, 6);
  for (const char* part : {"snap.003.0.hdf5", "snap.003.2.hdf5"})
    EXPECT_EQ(read_bodies(path(part).string(), 1 << 20, 1).start.x, (std::vector<double>{0, 0, 1, 1, 2, 2}));
  write_part(1, 3, 7);
  write_part(2, 3, 7);
  expect_refusal({"nbody", "--scene", "snap.003.1.hdf5"}, {"7 bodies", "hold 6"});
  write_part(2, 2, 6);
  expect_refusal({"nbody", "--scene", "snap.003.0.hdf5"}, {"snap.003.2.hdf5", "2 files", "says 3"});
  std::filesystem::remove(path("snap.003.1.hdf5"));
  expect_refusal({"nbody", "--scene", "snap.003.0.hdf5"}, {"snap.003.1.hdf5", "3 files", "No such file"});
  std::filesystem::rename(path("snap.003.0.hdf5"), path("alone.hdf5"));
  expect_refusal({"nbody", "--scene", "alone.hdf5"}, {"alone.hdf5", "one of 3 files"});
}

TEST_F(hdf5_bodies, a_missing_field_is_named) {
  for (const char* field : {"Coordinates", "Velocities", "Masses"}) {
    write_gadget("g.hdf5", field);
    expect_refusal({"nbody", "--scene", "g.hdf5"}, {"g.hdf5", field, "PartType"});
  }
  const std::string whole = (write_gadget("g.hdf5"), read("g.hdf5"));
  write("g.hdf5", whole.substr(0, 600));
  expect_refusal({"nbody", "--scene", "g.hdf5"}, {"g.hdf5"});
}

TEST_F(hdf5_bodies, trajectory) {
  const ran r = run({"nbody", "--device", "cpu", "--scene", "plummer", "--bodies", "40", "--type", "f32", "--steps",
                     "6", "--sample", "3", "--trajectory", "t.h5"});
  ASSERT_EQ(r.status, 0) << r.err;
  ASSERT_EQ(run({"nbody", "--device", "cpu", "--scene", "plummer", "--bodies", "40", "--type", "f32", "--steps", "6",
                 "--sample", "3", "--trajectory", "t.npy"})
                .status,
            0);
  const hid_t file = H5Fopen(path("t.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto all = [&]<class T>(const char* name, hid_t type, std::size_t n, T) {
    std::vector<T> values(n);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    EXPECT_EQ(H5Sget_simple_extent_npoints(space), static_cast<hssize_t>(n)) << name;
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  };
  const std::string npy = read("t.npy");
  EXPECT_EQ(all("positions", H5T_NATIVE_FLOAT, 360, 0.0f),
            from_bytes<float>(std::string_view(npy).substr(npy.size() - 360 * 4)));
  EXPECT_EQ(all("step", H5T_NATIVE_UINT64, 3, std::uint64_t{0}), (std::vector<std::uint64_t>{0, 3, 6}));
  const auto times = all("time", H5T_NATIVE_DOUBLE, 3, 0.0);
  EXPECT_EQ(times[0], 0);
  EXPECT_GT(times[2], times[1]);
  EXPECT_EQ(all("mass", H5T_NATIVE_DOUBLE, 40, 0.0), std::vector<double>(40, static_cast<double>(1.0f / 40)));
  H5Fclose(file);
  EXPECT_EQ(files().size(), 2u);
}

}  // namespace
