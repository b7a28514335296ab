// Which GPUs can be used, and what is said of those that cannot: decided by what driver and build say of themselves, so
// that every sentence is tested where no GPU is.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/error.hpp"

namespace upsweep::cuda {

inline constexpr int oldest_capability = 75;  // Turing

// The parts of an error besides its location.
struct reason {
  fault why = fault::no_device;
  std::string what, remedy;
};

inline std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

// The GPUs that code runs on: its own GPU and later ones; its family, if the family's features were requested (100f);
// or its own GPU alone (90a).
enum class code_reach : std::uint8_t { later, family, only };

// A build's contents for one architecture: code that runs directly, PTX that a driver translates, or both.
struct carried {
  code_reach reach = code_reach::later;
  int capability = 0;
  bool code = false, ptx = false;
};

// "75-virtual,80-real,90": architectures as CMake names them, separated by commas or semicolons. Returns an empty
// list if one is not a number ("native"), since the build's contents are then unknown.
inline std::vector<carried> carried_by(std::string_view architectures) {
  std::vector<carried> all;
  while (!architectures.empty()) {
    const auto end = (std::min)(architectures.find_first_of(",;"), architectures.size());
    const std::string_view one = architectures.substr(0, end);
    architectures.remove_prefix((std::min)(end + 1, architectures.size()));
    carried c;
    const auto [rest, wrong] = std::from_chars(one.data(), one.data() + one.size(), c.capability);
    if (wrong != std::errc{}) return {};
    std::string_view kind(rest, static_cast<std::size_t>(one.data() + one.size() - rest));
    if (kind.starts_with('a')) c.reach = code_reach::only;
    if (kind.starts_with('f')) c.reach = code_reach::family;
    if (c.reach != code_reach::later) kind.remove_prefix(1);
    c.code = kind != "-virtual", c.ptx = kind != "-real";
    all.push_back(c);
  }
  return all;
}

// Code runs on later GPUs of its generation, PTX is translated for all later ones.
inline bool has_ready_code(const std::vector<carried>& build, int capability) {
  return std::ranges::any_of(build, [&](const carried& c) {
    return c.code && c.capability <= capability && c.capability / 10 == capability / 10 &&
           (c.reach != code_reach::only || c.capability == capability);
  });
}
// The newest PTX that such a GPU's driver can translate; 0 where there is none.
inline int translated_from(const std::vector<carried>& build, int capability) {
  int newest = 0;
  for (const carried& c : build) {
    const bool reaches = c.reach == code_reach::later ||
                         (c.reach == code_reach::family && c.capability / 10 == capability / 10) ||
                         c.capability == capability;
    if (c.ptx && reaches && c.capability <= capability) newest = (std::max)(newest, c.capability);
  }
  return newest;
}

enum class sharing : std::uint8_t { any, one_process, prohibited };  // nvidia-smi's compute modes

struct gpu_facts {
  int index = 0, capability = 0;
  sharing mode = sharing::any;
};

// Checks the facts that are known before the GPU is opened.
inline std::optional<reason> why_unusable(const gpu_facts& gpu, const std::vector<carried>& build) {
  const std::string has = "this GPU has compute capability " + capability_text(gpu.capability);
  if (gpu.capability < oldest_capability)
    return reason{fault::unsupported, has + ", and Upsweep needs " + capability_text(oldest_capability) + " (Turing)",
                  "use cpu, opencl:N or best"};
  if (gpu.mode == sharing::prohibited)
    return reason{fault::no_device, "the compute mode of this GPU is prohibited",
                  "run nvidia-smi -i " + std::to_string(gpu.index) + " -c DEFAULT as root, or use another device"};
  if (build.empty() || has_ready_code(build, gpu.capability) || translated_from(build, gpu.capability))
    return std::nullopt;
  std::string there;
  for (const carried& c : build) there += (there.empty() ? "" : ", ") + capability_text(c.capability);
  return reason{fault::unsupported, has + ", and this build has code for " + there,
                "build again with -DUPSWEEP_CUDA_ARCHITECTURES=" + std::to_string(gpu.capability)};
}

enum class refusal : std::uint8_t {
  no_gpu,
  old_driver,
  taken,
  no_memory,
  mps,
  not_ready,
  old_for_ptx,
  no_translator,
  other
};

// The reason for a refusal by the GPU or the driver; nullopt for `other`, for which only the runtime's own message is
// known.
inline std::optional<reason> why_refused(refusal r, const gpu_facts& gpu) {
  const std::string smi = "nvidia-smi -i " + std::to_string(gpu.index);
  switch (r) {
    case refusal::taken:
      if (gpu.mode == sharing::one_process)
        return reason{fault::no_device, "another process uses this GPU, which is in exclusive mode",
                      "wait for it, run " + smi + " -c DEFAULT as root, or use another device"};
      return reason{fault::no_device, "this GPU is busy or unavailable",
                    "see " + smi + " to see which process uses it, or use another device"};
    case refusal::no_memory:
      return reason{fault::out_of_memory, "this GPU has too little free memory to be opened",
                    "see " + smi + " to see which process uses it, or use another device"};
    case refusal::mps:
      return reason{fault::no_device, "the MPS server accepts no more clients",
                    "check that nvidia-cuda-mps-control runs and accepts clients, or unset CUDA_MPS_PIPE_DIRECTORY"};
    case refusal::not_ready:
      return reason{fault::no_device, "this GPU is not ready yet",
                    "check that NVIDIA's Fabric Manager runs, or use another device"};
    case refusal::old_for_ptx:
      return reason{fault::unsupported, "the NVIDIA driver is too old to compile this build's PTX",
                    "update it, or build again with -DUPSWEEP_CUDA_ARCHITECTURES=" + std::to_string(gpu.capability)};
    case refusal::no_translator:
      return reason{fault::unsupported, "this build has no binary for this GPU, and its driver may not compile PTX",
                    "unset CUDA_DISABLE_PTX_JIT, install libnvidia-ptxjitcompiler, or build again with "
                    "-DUPSWEEP_CUDA_ARCHITECTURES=" +
                        std::to_string(gpu.capability)};
    default: return std::nullopt;
  }
}

// Why no GPU is found. `driver`, `runtime`: the CUDA that they know, 13000; the runtime calls a driver that is not
// there insufficient, too: then it is 0. `visible`: CUDA_VISIBLE_DEVICES, or null.
inline reason why_no_gpu(refusal r, int driver, int runtime, const char* visible, const std::string& words) {
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v / 10 % 100); };
  if (r == refusal::old_driver && driver != 0)
    return {fault::no_device,
            "the NVIDIA driver is too old: it supports CUDA " + version(driver) + ", and this build needs CUDA " +
                version(runtime / 1000 * 1000) + " or newer",
            "update it, or use another device"};
  if (r == refusal::old_driver)
    return {fault::no_device, "no NVIDIA GPU or driver was found", "install the driver, or use cpu, opencl:N or best"};
  if (r == refusal::no_gpu && visible)
    return {fault::no_device, "CUDA_VISIBLE_DEVICES=\"" + std::string(visible) + "\" hides every NVIDIA GPU",
            "unset it, or use cpu, opencl:N or best"};
  if (r == refusal::no_gpu) return {fault::no_device, "no NVIDIA GPU was found", "use cpu, opencl:N or best"};
  if (auto known = why_refused(r, {})) return *known;
  return {fault::no_device, words, "use cpu, opencl:N or best"};
}

}  // namespace upsweep::cuda
