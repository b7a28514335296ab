// An implementation, for the lens, of the NVRTC and driver functions that the library calls for kernels with
// user-defined source. The source is rewritten as .cu files are, compiled by g++ into a shared object, loaded and
// launched on the emulated GPU.
#include <cuda.h>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lens/library/gpu.hpp"
#include "lens/own/copies.hpp"
#include "lens/own/tool.hpp"
#include "upsweep/error.hpp"

namespace upsweep::lens::own {

namespace {

namespace fs = std::filesystem;

// ---- the shared object's description of itself, under the names that follow the unit in its source

struct entry {
  const char* name;
  int (*launch)(const upsweep_lens::launch_shape*, const char* name, void** arguments);  // of a kernel
  const void* number;                                                                    // of cuda/jit/jit_number.cuh
};

// A kernel's parameters are copied from the addresses in the driver call.
constexpr const char* entries = R"(
#line 1 "the lens"
namespace upsweep_lens {
struct source_entry {
  const char* name;
  int (*launch)(const launch_shape*, const char*, void**);
  const void* number;
};
template <auto* what>
struct entry_of;
template <class... P, void (*kernel)(P...)>
struct entry_of<kernel> {
  template <size_t... i>
  static int launch(const launch_shape* s, const char* name, void** a, std::index_sequence<i...>) {
    std::tuple<std::decay_t<P>...> all(*(std::decay_t<P>*)a[i]...);
    const launch_body body{name, nullptr, [](void* p) {
      std::apply(kernel, *static_cast<std::tuple<std::decay_t<P>...>*>(p));
    }, &all, sizeof all};
    return upsweep_launch(s, &body);
  }
  static int from_all(const launch_shape* s, const char* name, void** a) {
    return launch(s, name, a, std::index_sequence_for<P...>());
  }
  static constexpr source_entry of(const char* name) { return {name, from_all, nullptr}; }
};
template <char* number>
struct entry_of<number> {
  static constexpr source_entry of(const char* name) { return {name, nullptr, number}; }
};
}
)";

// "reduce_tiles" of "upsweep::cuda::reduce_tiles<upsweep::jit::element, 256>".
std::string short_name(const std::string& expression) {
  const std::string name = expression.substr(0, expression.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

// ---- loaded code

void* load(const void* image, std::size_t bytes, std::string& file) {
  const int memory = memfd_create("upsweep-lens-source", MFD_CLOEXEC);
  if (memory < 0) return nullptr;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = write(memory, static_cast<const char*>(image) + done, bytes - done);
    if (n <= 0) return close(memory), nullptr;
    done += static_cast<std::size_t>(n);
  }
  file =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory);  // stays open: lines are looked up in it
  return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <class F>
F find(void* loaded, const char* name) {
  return reinterpret_cast<F>(dlsym(loaded, name));
}

// As large as its headers say, which are its last part: an image comes without its length.
std::size_t bytes_of(const void* image) {
  Elf64_Ehdr h;
  if (std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) != 0) return 0;
  std::memcpy(&h, image, sizeof h);
  return h.e_type == ET_DYN ? h.e_shoff + std::size_t{h.e_shnum} * h.e_shentsize : 0;
}

// ---- what g++ says, as NVRTC would say it

// FILE:LINE:CHARACTER: error: MESSAGE becomes FILE(LINE): error: MESSAGE, a line without its contents, and a caret.
std::string as_nvrtc_says(const std::string& said, const std::string& given) {
  static const std::regex about("(.*?):([0-9]+):([0-9]+): (fatal error|error): (.*)");
  static const std::regex undeclared("'([^']*)' (was not declared|has not been declared).*");
  static const std::regex no_arguments("there are no arguments to '([^']*)'.*");
  std::istringstream lines(said);
  std::string log;
  std::smatch m;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, m, about)) continue;
    std::string file = m[1], message = m[5];
    if (file.starts_with(given)) file.erase(0, given.size());
    std::smatch w;
    if (std::regex_match(message, w, undeclared) || std::regex_match(message, w, no_arguments))
      message = "identifier \"" + w[1].str() + "\" is undefined";
    log += file + "(" + m[2].str() + "): error: " + message + "\n\n" + std::string(1 + std::stoul(m[3]), ' ') + "^\n\n";
  }
  return log.empty() ? said : log;
}

struct folder {
  fs::path path;
  folder() {
    std::string pattern = (fs::temp_directory_path() / "upsweep-lens-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw error(fault::unsupported, "lens", "no folder can be made in " + fs::temp_directory_path().string(),
                  "set TMPDIR to another one");
    path = pattern;
  }
  folder(const folder&) = delete;
  ~folder() {
    std::error_code none;
    if (std::getenv("UPSWEEP_LENS_KEEPS") == nullptr) fs::remove_all(path, none);
  }
};

}  // namespace

}  // namespace upsweep::lens::own

// ---- NVRTC's calls, with its numbers

struct nvrtc_program {
  std::string unit, log, image;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> names, lowered;
};

namespace {

using namespace upsweep::lens::own;
using upsweep::lens::own::find;  // not the standard's

constexpr int success = 0, compilation = 6, no_such_name = 10;

constexpr std::string_view standard = "upsweep/cuda/jit/jit_standard_headers.cuh";

int version(int* major, int* minor) {
  // Of what rewrites and compiles: the cache tells code by it.
  return *major = 12, *minor = UPSWEEP_LENS_SOURCES, success;
}
int count_architectures(int* count) { return *count = 1, success; }
int architectures(int* all) { return *all = UPSWEEP_LENS_CAPABILITY, success; }

int create(nvrtc_program** to, const char* source, const char*, int headers, const char* const* sources,
           const char* const* names) {
  *to = new nvrtc_program;
  (*to)->unit = source;
  // The standard's headers are the host compiler's own here.
  for (int i = 0; i < headers; ++i)
    if (std::string_view(sources[i]).find(standard) == std::string_view::npos && standard != names[i])
      (*to)->headers.emplace_back(names[i], sources[i]);
  return success;
}
int destroy(nvrtc_program** p) { return delete *p, *p = nullptr, success; }
int add_name(nvrtc_program* p, const char* expression) { return p->names.emplace_back(expression), success; }

// The names as the object has them, which is loaded for that: a number's, which holds the number, is the compiler's.
bool lower_names(nvrtc_program& p) {
  std::string file;
  void* const loaded = load(p.image.data(), p.image.size(), file);
  if (loaded == nullptr) return p.log = "upsweep(1): error: " + std::string(dlerror()) + "\n", false;
  const auto* e = find<const entry*>(loaded, "upsweep_lens_entries");
  for (const std::string& name : p.names) {
    Dl_info info{};
    const bool is_number = e->number != nullptr;
    if (is_number && (dladdr(e->number, &info) == 0 || info.dli_sname == nullptr))
      return p.log = "upsweep(1): error: " + name + " has no name\n", false;
    p.lowered.emplace_back(is_number ? info.dli_sname : e->name);
    ++e;
  }
  dlclose(loaded);
  close(std::atoi(file.substr(file.rfind('/') + 1).c_str()));
  return true;
}

int compile(nvrtc_program* p, int count, const char* const* options) try {
  const folder here;
  const fs::path given = here.path / "given";
  for (const auto& [name, source] : p->headers) write_whole(given / name, source);
  // Kernels have names of their own, which tell one from another.
  std::string unit = p->unit + entries +
                     "extern \"C\" {\nextern const upsweep_lens::source_entry upsweep_lens_entries[];\n"
                     "const upsweep_lens::source_entry upsweep_lens_entries[]{\n";
  for (std::size_t i = 0; i < p->names.size(); ++i)
    unit += "  upsweep_lens::entry_of<(" + p->names[i] + ")>::of(\"" + std::to_string(i) + " " +
            short_name(p->names[i]) + "\"),\n";
  write_whole(given / "unit.cu", unit + "};\n}\n");

  copies files(here.path / "rewritten", {given});
  const fs::path source = here.path / "source.cpp", object = here.path / "source.o", whole = here.path / "source.so",
                 said = here.path / "said";
  files.add(given / "unit.cu", source);
  for (const refused_word& r : files.refused)
    p->log += fs::relative(r.file, given).string() + "(" + std::to_string(r.line) + "): error: " + r.what +
              " is not understood by the lens\n";
  if (!p->log.empty()) return compilation;

  const char* chosen = std::getenv("UPSWEEP_LENS_CXX");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "g++";
  // As cmake/OnLens.cmake has it; and one object's static variables are not another's.
  std::vector<std::string> words{"env",
                                 "LC_ALL=C",
                                 compiler,
                                 "-c",
                                 "-x",
                                 "c++",
                                 source,
                                 "-o",
                                 object,
                                 "-std=c++20",
                                 "-w",
                                 "-fPIC",
                                 "-fno-gnu-unique",
                                 "-fmax-errors=5",
                                 "-fdiagnostics-color=never",
                                 "-fno-diagnostics-show-caret",
                                 "-ftabstop=1",
                                 "-O1",
                                 "-g1",
                                 "-gdwarf-4",
                                 "-fsanitize=thread",
                                 "--param=tsan-distinguish-volatile=1",
                                 "-fno-thread-jumps",
                                 "-fno-tree-sra",
                                 "-fno-strict-aliasing",
                                 "-ffp-contract=off",
                                 "-I" UPSWEEP_LENS_WORDS,
                                 "-include",
                                 "cuda_runtime.h",
                                 "-include",
                                 "upsweep_lens/standard.h",
                                 "-D__CUDACC_RTC__",
                                 "-D__CUDA_ARCH__=" + std::to_string(UPSWEEP_LENS_CAPABILITY * 10),
                                 "-DUPSWEEP_LENS_CAPABILITY=" + std::to_string(UPSWEEP_LENS_CAPABILITY)};
  for (int i = 0; i < count; ++i)
    if (std::string_view(options[i]).starts_with("-D")) words.emplace_back(options[i]);
  int status = run_tool(words, said);
  if (status == 0)
    status = run_tool({"env", "LC_ALL=C", compiler, "-shared", "-Wl,-Bsymbolic", "-Wl,-z,relro", "-o", whole, object,
                       UPSWEEP_LENS_OBJECT},
                      said);
  if (status == 127) p->log = "there is no " + compiler + ", which is to compile it";
  if (status != 0) return p->log += as_nvrtc_says(read_whole(said), given.string() + "/"), compilation;
  p->image = read_whole(whole);
  return lower_names(*p) ? success : compilation;
} catch (const std::exception& e) {
  p->log = "upsweep(1): error: " + std::string(e.what()) + "\n";
  return compilation;
}

int log_bytes(nvrtc_program* p, std::size_t* bytes) { return *bytes = p->log.size() + 1, success; }
int read_log(nvrtc_program* p, char* to) { return std::memcpy(to, p->log.c_str(), p->log.size() + 1), success; }
int image_bytes(nvrtc_program* p, std::size_t* bytes) { return *bytes = p->image.size(), success; }
int image(nvrtc_program* p, char* to) { return std::memcpy(to, p->image.data(), p->image.size()), success; }
int lowered_name(nvrtc_program* p, const char* expression, const char** to) {
  for (std::size_t i = 0; i < p->lowered.size(); ++i)
    if (p->names[i] == expression) return *to = p->lowered[i].c_str(), success;
  return no_such_name;
}

}  // namespace

extern "C" void* upsweep_lens_compiler(const char* call) {
  static const std::map<std::string_view, void*> all{
      {"nvrtcVersion", reinterpret_cast<void*>(&version)},
      {"nvrtcGetNumSupportedArchs", reinterpret_cast<void*>(&count_architectures)},
      {"nvrtcGetSupportedArchs", reinterpret_cast<void*>(&architectures)},
      {"nvrtcCreateProgram", reinterpret_cast<void*>(&create)},
      {"nvrtcDestroyProgram", reinterpret_cast<void*>(&destroy)},
      {"nvrtcCompileProgram", reinterpret_cast<void*>(&compile)},
      {"nvrtcGetProgramLogSize", reinterpret_cast<void*>(&log_bytes)},
      {"nvrtcGetProgramLog", reinterpret_cast<void*>(&read_log)},
      {"nvrtcAddNameExpression", reinterpret_cast<void*>(&add_name)},
      {"nvrtcGetLoweredName", reinterpret_cast<void*>(&lowered_name)},
      {"nvrtcGetCUBINSize", reinterpret_cast<void*>(&image_bytes)},
      {"nvrtcGetCUBIN", reinterpret_cast<void*>(&image)},
      {"nvrtcGetPTXSize", reinterpret_cast<void*>(&image_bytes)},
      {"nvrtcGetPTX", reinterpret_cast<void*>(&image)},
  };
  const auto at = all.find(call);
  return at == all.end() ? nullptr : at->second;
}

// ---- the driver's calls

struct upsweep_function {
  const entry* e;
  std::string name;
  std::size_t most_shared = 48 << 10;  // dynamic, unless a larger size is set
};
struct upsweep_module {
  const entry* entries = nullptr;
  void* loaded = nullptr;
  std::map<std::string, upsweep_function> functions;
};

extern "C" {

CUresult cuModuleLoadData(CUmodule* to, const void* data) {
  const std::size_t bytes = bytes_of(data);
  if (bytes == 0) return CUDA_ERROR_INVALID_IMAGE;
  std::string file;
  void* const loaded = load(data, bytes, file);
  if (loaded == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  const auto attach = find<void (*)(const upsweep_lens::table*)>(loaded, "upsweep_lens_attach");
  const auto symbols = find<void (*)()>(loaded, "upsweep_lens_symbols");
  const auto* entries = find<const entry*>(loaded, "upsweep_lens_entries");
  if (attach == nullptr || symbols == nullptr || entries == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  join(entries, file, attach, symbols);
  *to = new upsweep_module{entries, loaded, {}};
  return CUDA_SUCCESS;
}

// The code stays loaded, since reports name it, but its functions can no longer be launched.
CUresult cuModuleUnload(CUmodule module) {
  for (auto& [name, f] : module->functions) f.e = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* to, CUmodule module, const char* name) {
  // The name begins with the number of the entry, which is its index in `entries`.
  char* end = nullptr;
  const entry* const e = module->entries + std::strtoul(name, &end, 10);
  if (end == name || *end != ' ' || e->launch == nullptr || std::strcmp(e->name, name) != 0)
    return CUDA_ERROR_NOT_FOUND;
  *to = &module->functions.try_emplace(name, upsweep_function{e, end + 1}).first->second;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* to, size_t* bytes, CUmodule module, const char* name) {
  // The size is in the object's symbol table.
  void* const at = dlsym(module->loaded, name);
  Dl_info info{};
  void* symbol = nullptr;
  if (at == nullptr || dladdr1(at, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr)
    return CUDA_ERROR_NOT_FOUND;
  *to = reinterpret_cast<CUdeviceptr>(at), *bytes = static_cast<const Elf64_Sym*>(symbol)->st_size;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute what, int value) {
  if (what != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      static_cast<std::size_t>(value) > upsweep_lens::shared_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  f->most_shared = static_cast<std::size_t>(value);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** arguments, void**) {
  if (f->e == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  upsweep_lens::launch_shape s{
      {c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, false};
  for (unsigned i = 0; i < c->numAttrs; ++i) {
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return CUDA_ERROR_NOT_SUPPORTED;
    if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) s.together = c->attrs[i].value.cooperative != 0;
  }
  if (c->sharedMemBytes > f->most_shared) return CUDA_ERROR_INVALID_VALUE;
  return static_cast<CUresult>(f->e->launch(&s, f->name.c_str(), arguments));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads, size_t shared) {
  return static_cast<CUresult>(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared));
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction, const CUlaunchConfig*) {
  *clusters = 0;
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuGetErrorString(CUresult status, const char** words) {
  *words = cudaGetErrorString(static_cast<cudaError_t>(status));
  return CUDA_SUCCESS;
}

void* upsweep_lens_driver(const char* call) {
  static const std::map<std::string_view, void*> all{
      {"cuModuleLoadData", reinterpret_cast<void*>(&cuModuleLoadData)},
      {"cuModuleUnload", reinterpret_cast<void*>(&cuModuleUnload)},
      {"cuModuleGetFunction", reinterpret_cast<void*>(&cuModuleGetFunction)},
      {"cuModuleGetGlobal", reinterpret_cast<void*>(&cuModuleGetGlobal)},
      {"cuLaunchKernelEx", reinterpret_cast<void*>(&cuLaunchKernelEx)},
      {"cuFuncSetAttribute", reinterpret_cast<void*>(&cuFuncSetAttribute)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor",
       reinterpret_cast<void*>(&cuOccupancyMaxActiveBlocksPerMultiprocessor)},
      {"cuOccupancyMaxActiveClusters", reinterpret_cast<void*>(&cuOccupancyMaxActiveClusters)},
      {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
  };
  const auto at = all.find(call);
  return at == all.end() ? nullptr : at->second;
}

}  // extern "C"
