// Drivers that abort, crash, hang, print or lie: the command and a program that asks for probes go on without them.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <regex>

#include "command.hpp"

namespace {

using nlohmann::json;

class drivers : public command_test {
 protected:
  drivers() {
    std::filesystem::create_directory(path("vendors"));
    std::filesystem::create_directory(path("cuda"));
    write("vendors/hostile.icd", std::string(UPSWEEP_HOSTILE) + "\n");
    std::filesystem::create_symlink(UPSWEEP_HOSTILE, path("cuda/libcuda.so.1"));
    write_npy<double>("x.npy", {1, 2, 3});
  }
  // A line of the shell with one driver that behaves so: `backend` is "opencl" or "cuda".
  ran with(const std::string& backend, const std::string& behaviour, const std::string& line) const {
    const std::string drivers = backend == "cuda" ? "LD_LIBRARY_PATH=\"$PWD/cuda\" HOSTILE_CUDA="
                                                  : "OCL_ICD_VENDORS=\"$PWD/vendors/\" HOSTILE=";
    return shell("export UPSWEEP_PROBE_SECONDS=0.4 " + drivers + behaviour + "; " + line);
  }
  // What `upsweep devices` says of the backend; the listing has the CPU.
  json entry(const std::string& backend, const std::string& behaviour) const {
    const ran r = with(backend, behaviour, "$upsweep devices --json");
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    const json all = json::parse(r.out, nullptr, false);
    EXPECT_TRUE(all.is_array() && all.size() >= 2) << r.out << r.err;
    if (!all.is_array()) return {};
    EXPECT_EQ(all[0]["name"], "cpu");
    for (const json& d : all)
      if (d["backend"] == backend) return d;
    return {};
  }
  // The build of these tests has OpenCL. CUDA may be missing or emulated.
  bool calls_cuda() const {
    return UPSWEEP_CALLS_CUDA && shell("$upsweep devices").out.find("built without CUDA") == std::string::npos;
  }

  // It is off with these words, its name gives them too, and the best device is the CPU.
  void expect_off(const std::string& backend, const std::string& behaviour,
                  const std::vector<std::string>& words) const {
    SCOPED_TRACE(backend + " " + behaviour);
    const json d = entry(backend, behaviour);
    ASSERT_TRUE(d.is_object());
    EXPECT_FALSE(d["usable"].get<bool>()) << d;
    const ran best = with(backend, behaviour, "$upsweep reduce x.npy --device best");
    EXPECT_EQ(best.status, 0) << best.err;
    EXPECT_EQ(best.out, "6\n");
    const ran named = with(backend, behaviour, "$upsweep reduce x.npy --device " + backend + ":0");
    EXPECT_EQ(named.status, 1) << named.out << named.err;
    EXPECT_EQ(std::ranges::count(named.err, '\n'), 1) << named.err;
    for (const std::string& word : words) {
      EXPECT_NE(d["description"].get<std::string>().find(word), std::string::npos) << d << " lacks " << word;
      EXPECT_NE(named.err.find(word), std::string::npos) << named.err << " lacks " << word;
    }
    EXPECT_EQ(d.dump().find("\\u001b"), std::string::npos) << d;
  }
};

TEST_F(drivers, an_opencl_driver_that_ends_its_process_is_off) {
  expect_off("opencl", "abort", {"signal 6 (Aborted)", "hostile: not enough", "memory"});
  expect_off("opencl", "crash", {"signal 11"});
  expect_off("opencl", "exit", {"exit status 0"});
}

TEST_F(drivers, a_cuda_driver_that_ends_its_process_is_off) {
  if (!calls_cuda()) GTEST_SKIP() << "this build calls no CUDA driver";
  expect_off("cuda", "abort", {"signal 6 (Aborted)", "hostile: not enough", "memory"});
  expect_off("cuda", "crash", {"signal 11"});
  expect_off("cuda", "exit", {"exit status 0"});
}

TEST_F(drivers, a_driver_that_hangs_is_given_up_and_its_process_killed) {
  for (const std::string backend : {"opencl", "cuda"}) {
    if (backend == "cuda" && !calls_cuda()) continue;
    const auto began = std::chrono::steady_clock::now();
    const json d = entry(backend, "hang");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8)) << backend;
    ASSERT_TRUE(d.is_object());
    const std::string said = d["description"];
    EXPECT_NE(said.find("did not answer within 0.4 s"), std::string::npos) << said;
    std::smatch process;
    ASSERT_TRUE(std::regex_search(said, process, std::regex("process ([0-9]+) sleeps"))) << said;
    EXPECT_FALSE(std::filesystem::exists("/proc/" + process[1].str())) << "it still runs";
  }
}

TEST_F(drivers, what_a_driver_prints_is_not_in_the_output) {
  const ran r = with("opencl", "print", "$upsweep reduce x.npy --device best");
  EXPECT_EQ(r.out, "6\n");
  EXPECT_NE(r.err.find("hostile: hello, world"), std::string::npos) << r.err;
  EXPECT_EQ(entry("opencl", "print")["backend"], "opencl");
  if (calls_cuda()) {
    EXPECT_EQ(with("cuda", "print", "$upsweep reduce x.npy --device best").out, "6\n");
    EXPECT_EQ(entry("cuda", "print")["backend"], "cuda");
  }
}

TEST_F(drivers, a_driver_that_lies_is_off_or_believed_harmlessly) {
  expect_off("opencl", "many", {"no OpenCL platform has a device"});  // 2^32 - 1 of them
  expect_off("opencl", "null", {"no OpenCL platform has a device"});
  expect_off("opencl", "nothing", {"0 bytes of memory, 0 compute units"});
  expect_off("opencl", "long", {});                   // a name of 2^62 bytes
  expect_off("opencl", "gpu", {"out of resources"});  // a GPU with all memory there is, which gives no context
}

TEST_F(drivers, the_tour_goes_on_without_a_driver) {
  const ran r = with("opencl", "abort", "$upsweep tour --quick -o out");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_TRUE(exists("out/index.html"));
}

TEST_F(drivers, a_program_probes_if_it_asks) {
  const std::string program = std::string("'") + UPSWEEP_LIBRARY_PROGRAM + "'";
  const std::string helper = std::string("UPSWEEP_PROBE_PROGRAM='") + UPSWEEP_PROBE + "' ";
  for (const std::string& line : {helper + program, helper + "UPSWEEP_PROBE_DRIVERS=1 " + program + " unasked"}) {
    const ran r = with("opencl", "abort", line);
    EXPECT_EQ(r.status, 0) << line << r.out << r.err;
    EXPECT_NE(r.out.find("opencl: off: an OpenCL driver ended"), std::string::npos) << r.out << r.err;
    EXPECT_NE(r.out.find("hostile: not enough"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("best: cpu"), std::string::npos) << r.out;
  }
  // Without the child's program it says so and calls the driver, as it does unasked.
  EXPECT_EQ(with("opencl", "abort", "UPSWEEP_PROBE_PROGRAM=/nowhere " + program).status, 134);
  const ran none = with("opencl", "null", "UPSWEEP_PROBE_PROGRAM=/nowhere " + program);
  EXPECT_NE(none.out.find("upsweep-probe was not found"), std::string::npos) << none.out;
  EXPECT_EQ(with("opencl", "abort", program + " unasked").status, 134);
}

TEST_F(drivers, a_profiler_shows_each_call) {
#if !defined(UPSWEEP_NVTX_RECORDER)
  GTEST_SKIP() << "this build has no NVTX";
#else
  const std::string lines = std::string("NVTX_INJECTION64_PATH='") + UPSWEEP_NVTX_RECORDER + "' $upsweep ";
  for (const std::string call : {"reduce", "scan"}) {
    const ran r = shell(lines + call + " x.npy --device cpu" + (call == "scan" ? " -o y.npy" : ""));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_NE(r.err.find("nvtx: begin upsweep::" + call + "/"), std::string::npos) << r.err;
    EXPECT_TRUE(r.err.ends_with("nvtx: end, 0 open\n")) << r.err;
  }
  EXPECT_EQ(run({"reduce", "x.npy", "--device", "cpu"}).err, "");
#endif
}

TEST_F(drivers, probes_are_configured_by_the_environment) {
  EXPECT_EQ(with("opencl", "abort", "UPSWEEP_PROBE_DRIVERS=0 $upsweep devices").status, 134);
  const ran r = with("opencl", "abort", "UPSWEEP_PROBE_SECONDS=soon $upsweep devices");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("UPSWEEP_PROBE_SECONDS=soon"), std::string::npos) << r.err;
}

}  // namespace
