#include "lens/own/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "lens/own/copies.hpp"
#include "lens/own/files.hpp"
#include "lens/own/tool.hpp"
#include "upsweep/error.hpp"

namespace upsweep::lens::own {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const source& s, const std::string& what, const std::string& remedy) {
  throw error(fault::bad_argument, "lens " + s.file, what, remedy);
}

std::string in_braces(const size3& s) {
  std::string text = std::to_string(s.x);
  return text.insert(0, 1, '{').append(", " + std::to_string(s.y) + ", " + std::to_string(s.z) + "}");
}

// A main for a file that has kernels alone.
std::string main_for(const source& s, const std::vector<kernel_seen>& kernels, bool dynamic_shared) {
  std::string names;
  const kernel_seen* chosen = nullptr;
  const std::string wanted = s.kernel.substr(0, s.kernel.find('<'));
  std::vector<std::string> different;
  for (const kernel_seen& k : kernels) {
    if (std::find(different.begin(), different.end(), k.name) == different.end()) different.push_back(k.name);
    if (s.kernel.empty() ? chosen == nullptr : k.name == wanted) chosen = &k;
  }
  for (const std::string& name : different) names += (names.empty() ? "" : ", ") + name;
  if (kernels.empty()) fail(s, "it has neither a main nor a __global__ function", "name a file with one of them");
  if (chosen == nullptr) fail(s, "it has no kernel " + wanted, "it has " + names);
  if (s.kernel.empty() && different.size() > 1)
    fail(s, "it has no main, and more than one kernel", "choose with --kernel one of " + names);
  if (chosen->is_template && s.kernel.find('<') == std::string::npos)
    fail(s, chosen->name + " is a template", "say of what: --kernel '" + chosen->name + "<float>'");
  if (!chosen->clusters.empty()) fail(s, chosen->name + " runs in clusters of blocks", "write a main that launches it");
  const std::string callee = s.kernel.empty() ? chosen->name : s.kernel;
  std::string parameters;
  for (const std::string& p : chosen->parameters) parameters += quoted(p) + ", ";
  size3 block = s.block;
  if (block.x == 0) block.x = 256;
  return "\n#line 1 \"the main that was made up\"\n#include \"upsweep_lens/made.h\"\nint main() { return "
         "upsweep_lens::run_made(" +
         quoted(callee) + ", " + callee + ", {" + parameters + "\"\"}, " + std::to_string(s.n) + "ull, dim3" +
         in_braces(s.grid) + ", dim3" + in_braces(block) + ", " +
         std::to_string(s.shared >= 0 || !dynamic_shared ? s.shared : -2) + ", " + std::to_string(s.seed) + "u); }\n";
}

std::vector<fs::path> places_in(const std::vector<std::string>& flags) {
  std::vector<fs::path> all;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-I" && i + 1 < flags.size()) {
      all.emplace_back(flags[++i]);
    } else if (flags[i].starts_with("-I")) {
      all.emplace_back(flags[i].substr(2));
    }
  }
  return all;
}

}  // namespace

program::program(const source& s) {
  std::error_code none;
  if (fs::is_directory(s.file, none)) fail(s, "it is a folder", "name a .cu file");
  if (!fs::is_regular_file(s.file, none) || access(s.file.c_str(), R_OK) != 0)
    fail(s, "there is no such file that can be read", "give a .cu file, or a variant of `upsweep lens --list`");
  std::string pattern = (fs::temp_directory_path(none) / "upsweep-lens-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    fail(s, "no folder can be made in " + fs::temp_directory_path(none).string(), "set TMPDIR to another one");
  folder_ = pattern;
  try {
    for (const embedded_file* f = embedded_files; f->name != nullptr; ++f) {
      const std::string name = f->name;
      write_whole(name == "table.hpp" ? folder_ / "include/upsweep_lens/table.hpp" : folder_ / name, f->text);
    }
    write_whole(folder_ / "include/table.hpp", "#include \"upsweep_lens/table.hpp\"\n");

    copies files(folder_ / "own", places_in(s.flags));
    std::vector<fs::path> compiled{files.add(s.file)};
    for (const std::string& other : s.others) compiled.push_back(files.add(other));
    if (!files.refused.empty()) {
      const refused_word& r = files.refused.front();
      const std::size_t more = files.refused.size() - 1;
      throw error(fault::unsupported, "lens",
                  fs::path(r.file).filename().string() + ":" + std::to_string(r.line) + ": " + r.what +
                      " is not understood" + (more > 0 ? ", nor " + std::to_string(more) + " more after it" : ""),
                  "see lens/README.md for what is");
    }
    made_main_ = !files.has_main;
    if (made_main_) {
      std::ofstream out(compiled.front(), std::ios::app | std::ios::binary);
      out << main_for(s, files.kernels, files.dynamic_shared);
    }

    const fs::path said = folder_ / "said";
    const int status = compile(s, compiled, said);
    if (status != 0) {
      const std::string text = read_whole(said);
      std::fwrite(text.data(), 1, text.size(), stderr);
      fail(s, "the host's compiler could not compile it", "its words are above");
    }
  } catch (...) {
    remove_files();
    throw;
  }
}

// The exit status of the first tool that failed, or 0.
int program::compile(const source& s, const std::vector<fs::path>& files, const fs::path& said) const {
  const char* chosen = std::getenv("UPSWEEP_LENS_CXX");
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : "g++";
  const std::vector<std::string> common{"-std=c++17", "-w", "-fPIC", "-I" + headers()};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<std::string> link{compiler, "-shared", "-Wl,-Bsymbolic", "-Wl,-z,relro", "-o", object()};
  const std::string ours = folder_ / "words.o";
  if (const int status = run_tool(with({compiler, "-c", folder_ / "words.cpp", "-O1", "-o", ours}, common), said)) {
    if (status != 127) return status;
    throw error(fault::unsupported, "lens " + s.file, "there is no " + compiler + ", which is to compile it",
                "install g++, or name one in UPSWEEP_LENS_CXX");
  }
  link.push_back(ours);
  for (const fs::path& copy : files) {
    const std::string compiled = copy.string() + ".o";
    std::vector<std::string> words{compiler, "-c", "-x", "c++", copy, "-o", compiled, "-include", "cuda_runtime.h"};
    words = with(words, common);
    // Optimised about as nvcc does it; but nothing that makes several instructions of one, or parts of a vector.
    words = with(words, {"-O1", "-gdwarf-4", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1",
                         "-fno-thread-jumps", "-fno-tree-sra", "-fno-strict-aliasing", "-fmax-errors=5"});
    words.push_back("-I" + fs::absolute(s.file).parent_path().string());
    if (const int status = run_tool(with(words, s.flags), said)) return status;
    link.push_back(compiled);
  }
  return run_tool(link, said);
}

program::~program() { remove_files(); }

void program::remove_files() {
  std::error_code none;
  if (!folder_.empty()) fs::remove_all(folder_, none);
}

}  // namespace upsweep::lens::own
