#include "upsweep/cuda/nvrtc.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>

#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/error.hpp"

// Replaces NVRTC where CUDA runs on the lens (lens/library/nvrtc_on_lens.cpp).
extern "C" void* upsweep_lens_compiler(const char* call);
#if defined(UPSWEEP_LENS_CAPABILITY)
#define UPSWEEP_ON_LENS true
#else
#define UPSWEEP_ON_LENS false
#endif

namespace upsweep::cuda {

namespace {

// NVRTC's functions as nvrtc.h declares them; that header need not be present when this is compiled.
struct nvrtc_calls {
  using program = struct nvrtc_program*;
  int (*version)(int* major, int* minor);
  int (*count_architectures)(int* count);
  int (*architectures)(int* all);
  int (*create)(program*, const char* source, const char* name, int headers, const char* const* sources,
                const char* const* names);
  int (*destroy)(program*);
  int (*compile)(program, int count, const char* const* options);
  int (*log_bytes)(program, std::size_t*);
  int (*log)(program, char*);
  int (*add_name)(program, const char* expression);
  int (*lowered_name)(program, const char* expression, const char** name);
  int (*cubin_bytes)(program, std::size_t*);
  int (*cubin)(program, char*);
  int (*ptx_bytes)(program, std::size_t*);
  int (*ptx)(program, char*);

  int major = 0, minor = 0;
  std::vector<int> known;  // 75, 80, ...
};

// First the version of this build's runtime, which the driver supports; then its neighbours.
std::vector<std::string> library_names() {
  constexpr int mine = CUDART_VERSION / 1000;
  std::vector<std::string> names;
  for (const int major : {mine, 13, 12}) names.push_back("libnvrtc.so." + std::to_string(major));
  return names;
}

std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* const named = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream all(named);
    for (std::string folder; std::getline(all, folder, ':');)
      if (!folder.empty()) folders.push_back(folder + "/");
  }
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/", "/usr/lib64/", "/usr/lib/",
                             "/usr/local/cuda/lib64/", "/usr/local/cuda/targets/x86_64-linux/lib/",
                             "/usr/local/cuda/targets/sbsa-linux/lib/"})
    folders.emplace_back(folder);
  return folders;
}

// The library's file, and properties that identify its version; empty if it cannot be found before it is loaded.
struct library_file {
  std::string path, identity;
};
library_file see(const std::string& path) {
  struct stat s;
  if (::stat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return {};
  return {path, path + " of " + std::to_string(s.st_size) + " bytes, " + std::to_string(s.st_mtim.tv_sec) + "." +
                    std::to_string(s.st_mtim.tv_nsec)};
}
// A program with more privileges than its caller does not load a library that the caller names.
const char* named_library() { return ::secure_getenv("UPSWEEP_NVRTC"); }

library_file see_library() {
  if constexpr (UPSWEEP_ON_LENS) return {};
  if (const char* const named = named_library()) return std::strchr(named, '/') ? see(named) : library_file{};
  const auto folders = library_folders();
  for (const std::string& name : library_names())
    for (const std::string& folder : folders)
      if (library_file file = see(folder + name); !file.path.empty()) return file;
  return {};
}

void* open_library() {
  if constexpr (UPSWEEP_ON_LENS) return named_library() ? nullptr : dlopen(nullptr, RTLD_NOW);
  const auto open = [](const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); };
  if (const char* const named = named_library()) return open(named);
  if (const library_file file = see_library(); !file.path.empty())
    if (void* const library = open(file.path)) return library;
  // All other folders that the loader searches.
  for (const std::string& name : library_names())
    if (void* const library = open(name)) return library;
  return nullptr;
}

const nvrtc_calls* find_nvrtc() {
  static const nvrtc_calls* const found = []() -> const nvrtc_calls* {
    void* const library = open_library();
    if (!library) return nullptr;
    static nvrtc_calls calls;
    bool all = true;
    const auto look_up = [&]<class F>(F& call, const char* name) {
      if constexpr (UPSWEEP_ON_LENS)
        call = reinterpret_cast<F>(upsweep_lens_compiler(name));
      else
        call = reinterpret_cast<F>(dlsym(library, name));
      all = all && call;
    };
    look_up(calls.version, "nvrtcVersion");
    look_up(calls.count_architectures, "nvrtcGetNumSupportedArchs");
    look_up(calls.architectures, "nvrtcGetSupportedArchs");
    look_up(calls.create, "nvrtcCreateProgram"), look_up(calls.destroy, "nvrtcDestroyProgram");
    look_up(calls.compile, "nvrtcCompileProgram");
    look_up(calls.log_bytes, "nvrtcGetProgramLogSize"), look_up(calls.log, "nvrtcGetProgramLog");
    look_up(calls.add_name, "nvrtcAddNameExpression"), look_up(calls.lowered_name, "nvrtcGetLoweredName");
    look_up(calls.cubin_bytes, "nvrtcGetCUBINSize"), look_up(calls.cubin, "nvrtcGetCUBIN");
    look_up(calls.ptx_bytes, "nvrtcGetPTXSize"), look_up(calls.ptx, "nvrtcGetPTX");
    int count = 0;
    if (!all || calls.version(&calls.major, &calls.minor) != 0 || calls.major < 12 ||
        calls.count_architectures(&count) != 0)
      return nullptr;
    calls.known.resize(static_cast<std::size_t>(count));
    if (calls.architectures(calls.known.data()) != 0) return nullptr;
    return &calls;
  }();
  return found;
}

const nvrtc_calls& nvrtc(const char* call) {
  if (const nvrtc_calls* const found = find_nvrtc()) return *found;
  throw error(
      fault::unsupported, call,
      "a type, operator or test given as source is compiled by NVRTC on CUDA, and there is none (libnvrtc.so.13 "
      "or .12)",
      "install the toolkit's cuda-nvrtc, name the library in UPSWEEP_NVRTC, or move the call into a .cu file");
}

constexpr const char* standard_headers[]{"cstdint",     "cstddef", "cstring", "type_traits", "concepts",  "limits",
                                         "optional",    "array",   "utility", "algorithm",   "bit",       "tuple",
                                         "string_view", "cmath",   "compare", "functional",  "stdexcept", "string"};

struct complaint {
  std::string place, message;
};

// NVRTC writes FILE(LINE): error: MESSAGE, then the line, indented by two spaces, and a caret below the error; the
// user's device source has file names that begin with "the " (jit/jit.hpp).
std::optional<complaint> complaint_about_source(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find('('), close = line.find("): ");
    if (!line.starts_with("the ") || open == std::string::npos || close == std::string::npos || open > close) continue;
    std::string message = line.substr(close + 3);
    const std::size_t kind = message.find("error: ");
    if (kind != 0 && message.compare(0, kind, "catastrophic ") != 0) continue;
    message.erase(0, kind + 7);
    complaint c{line.substr(0, open) + ", line " + line.substr(open + 1, close - open - 1), std::move(message)};
    std::string shown;
    for (int more = 0; more < 5 && std::getline(lines, shown); ++more) {
      const std::size_t caret = shown.find_first_not_of(' ');
      if (caret == std::string::npos || shown[caret] != '^') continue;
      if (caret >= 2) c.place += ", character " + std::to_string(caret - 1);
      break;
    }
    return c;
  }
  return std::nullopt;
}

std::string first_error(std::string_view log) {
  std::size_t at = log.find("error:");
  if (at == std::string_view::npos)
    return log.empty() ? "the compiler gave no reason" : std::string(log.substr(0, 400));
  at = log.rfind('\n', at) == std::string_view::npos ? 0 : log.rfind('\n', at) + 1;
  return std::string(log.substr(at, log.find('\n', at) - at));
}

std::string shown(const compiled_kernels& c) {
  std::string all = std::to_string(c.compiled_for) + "\n";
  for (const std::string& name : c.kernels) all += name + "\n";
  return all + "\n" + c.image;
}

// The inverse of shown(); returns nullopt for other contents.
std::optional<compiled_kernels> read_back(std::string_view all, std::size_t kernels) {
  compiled_kernels c;
  const auto next_line = [&]() -> std::string {
    const std::size_t end = all.find('\n');
    if (end == std::string_view::npos) return {};
    const std::string line(all.substr(0, end));
    all.remove_prefix(end + 1);
    return line;
  };
  c.compiled_for = std::atoi(next_line().c_str());
  for (std::size_t i = 0; i < kernels; ++i) c.kernels.push_back(next_line());
  const bool ended = next_line().empty();
  c.image = all;
  if (c.compiled_for == 0 || !ended || c.image.empty()) return std::nullopt;
  return c;
}

std::uint64_t hash_of(const embedded_source* sources, std::uint64_t from) {
  for (; sources && sources->name; ++sources)
    for (const char* piece : {sources->name, sources->source})
      for (; *piece; ++piece) from = (from ^ static_cast<unsigned char>(*piece)) * 0x100000001b3u;
  return from;
}

}  // namespace

std::string nvrtc_version() {
  const nvrtc_calls* const found = find_nvrtc();
  return found ? std::to_string(found->major) + "." + std::to_string(found->minor) : std::string();
}

namespace {

// Rounds like C and OpenCL C: products and sums are not fused. 2361 is a narrowing conversion in braces, which C
// allows.
constexpr const char* options[]{"--std=c++20",        "--device-as-default-execution-space",
                                "--fmad=false",       "-DNDEBUG",
                                "--disable-warnings", "--diag-suppress=2361"};

constexpr const char* last_version = "the last NVRTC used";

std::string note_of(const library_file& file) { return "the version of " + file.identity; }

// The version of the NVRTC that compiles here; it is not loaded for that if the cache knows it.
const std::string& version_in_keys() {
  static const std::string version = [] {
    const library_file file = see_library();
    if (!file.path.empty())
      if (const auto noted = code_cache::read(note_of(file))) return *noted;
    std::string found = nvrtc_version();
    if (found.empty()) return code_cache::read(last_version).value_or("none");
    if (!file.path.empty()) code_cache::write(note_of(file), found);
    return found;
  }();
  return version;
}

}  // namespace

hoisted_kernels hoisted(const kernel_source& k) {
  core::hoisted_source own = core::hoist_literals(k.unit);
  hoisted_kernels h{k, std::move(own.literals)};
  h.kernels.unit = std::move(own.source);
  if (h.literals.empty()) return h;
  std::string members, names;
  for (std::size_t i = 0; i < h.literals.size(); ++i) {
    constexpr const char* types[]{"int", "unsigned int", "long", "unsigned long", "float", "double"};
    const std::string number = std::to_string(i);
    members += std::string(" alignas(8) ") + types[static_cast<int>(h.literals[i].type)] + " of_" + number + ";";
    names += "#define upsweep_literal_" + number + " " + literals_name + ".of_" + number + "\n";
  }
  h.kernels.unit = "struct upsweep_literals_type {" + members +
                   " };\nextern \"C\" {\n__constant__ upsweep_literals_type " + literals_name + ";\n}\n" + names +
                   h.kernels.unit;
  return h;
}

std::string key_of(const kernel_source& k, int capability) {
  std::string key = "upsweep " UPSWEEP_VERSION " nvrtc " + version_in_keys() + " cuda " +
                    std::to_string(CUDART_VERSION / 1000) + " capability " + std::to_string(capability);
  for (const char* option : options) (key += ' ') += option;
  key +=
      "\nsources " + std::to_string(hash_of(k.below, hash_of(k.sources, hash_of(common_kernels, 0xcbf29ce484222325u))));
  for (const std::string& name : k.kernels) (key += '\n') += name;
  return (key += '\n') += k.unit;
}

compiled_kernels compile(const kernel_source& k, int capability, bool anew) {
  const std::string key = key_of(k, capability);
  if (!anew)
    if (const auto kept = code_cache::read(key))
      if (auto c = read_back(*kept, k.kernels.size())) return *std::move(c);

  const nvrtc_calls& rtc = nvrtc(k.call);
  // Code for the GPU itself, or else PTX for the newest GPU whose code it can run, which the driver translates.
  int target = 0;
  for (const int known : rtc.known)
    if (known <= capability) target = std::max(target, known);
  if (target == 0)
    throw error(fault::unsupported, k.call,
                "NVRTC " + nvrtc_version() + " does not compile for this GPU's compute capability " +
                    std::to_string(capability / 10) + "." + std::to_string(capability % 10),
                "install the NVRTC of a toolkit that does, or move the call into a .cu file");
  const bool own_code = target == capability;
  const std::string architecture =
      std::string("--gpu-architecture=") + (own_code ? "sm_" : "compute_") + std::to_string(target);
  std::vector<const char*> all_options{architecture.c_str()};
  all_options.insert(all_options.end(), std::begin(options), std::end(options));
  std::vector<const char*> names, contents;
  for (const char* header : standard_headers)
    names.push_back(header), contents.push_back("#include \"upsweep/cuda/jit/jit_standard_headers.cuh\"\n");
  for (const embedded_source* sources : {common_kernels, k.sources, k.below})
    for (; sources && sources->name; ++sources) names.push_back(sources->name), contents.push_back(sources->source);

  const auto require = [&](int status, const char* doing) {
    if (status != 0)
      throw error(fault::device_failure, k.call,
                  std::string("NVRTC failed at ") + doing + " (code " + std::to_string(status) + ")",
                  "move the call into a .cu file");
  };
  struct made {
    const nvrtc_calls& rtc;
    nvrtc_calls::program p = nullptr;
    explicit made(const nvrtc_calls& with) : rtc(with) {}
    made(const made&) = delete;
    ~made() {
      if (p) rtc.destroy(&p);
    }
  } program(rtc);
  code_cache::note_compilation();
  require(
      rtc.create(&program.p, k.unit.c_str(), "upsweep", static_cast<int>(names.size()), contents.data(), names.data()),
      "making a program");
  for (const std::string& name : k.kernels) require(rtc.add_name(program.p, name.c_str()), "naming a kernel");
  if (const int status = rtc.compile(program.p, static_cast<int>(all_options.size()), all_options.data());
      status != 0) {
    std::size_t bytes = 0;
    require(rtc.log_bytes(program.p, &bytes), "giving its log");
    std::string log(bytes, '\0');
    require(rtc.log(program.p, log.data()), "giving its log");
    while (!log.empty() && log.back() == '\0') log.pop_back();
    if (const auto theirs = complaint_about_source(log))
      throw error(fault::bad_argument, std::string(k.call) + ", " + theirs->place,
                  "the device's compiler reported errors: " + theirs->message,
                  "write it in OpenCL C, as far as C++ has it");
    throw error(fault::bad_argument, k.call, "the device's compiler reported errors: " + first_error(log),
                "check the source of your types and functions");
  }

  compiled_kernels c;
  c.compiled_for = target;
  for (const std::string& name : k.kernels) {
    const char* lowered = nullptr;
    require(rtc.lowered_name(program.p, name.c_str(), &lowered), "finding a kernel");
    c.kernels.emplace_back(lowered);
  }
  std::size_t bytes = 0;
  require((own_code ? rtc.cubin_bytes : rtc.ptx_bytes)(program.p, &bytes), "giving its code");
  c.image.resize(bytes);
  require((own_code ? rtc.cubin : rtc.ptx)(program.p, c.image.data()), "giving its code");
  code_cache::write(key, shown(c));
  code_cache::write(last_version, nvrtc_version());
  return c;
}

}  // namespace upsweep::cuda
