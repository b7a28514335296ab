// A user's .cu file, read as nvcc would, and written as the host compiler needs it: launches as calls, shared memory as
// references to the memory of the block, device variables registered with the lens. Line numbers do not change.
#pragma once

#include <string>
#include <vector>

namespace upsweep::lens::own {

struct kernel_seen {
  std::string name;
  std::vector<std::string> parameters;  // their names, as far as they have any
  bool is_template = false, has_defaults = false;
  std::string clusters;  // what __cluster_dims__ says
  unsigned line = 0;
};

struct refused_word {
  std::string file;
  unsigned line = 0;
  std::string what;  // "inline assembly"
};

struct rewritten {
  std::string text;
  std::vector<refused_word> refused;
  bool has_main = false;
  bool dynamic_shared = false;  // an extern __shared__ array is declared
};

// The name in an #include, and whether it is in quotes. Returns the name to include instead, or nothing.
class inclusions {
 public:
  virtual ~inclusions() = default;
  virtual std::string instead_of(const std::string& name, bool quoted, const std::string& from) = 0;
  std::vector<kernel_seen> kernels;  // of all files so far
};

rewritten rewrite(const std::string& file, const std::string& text, inclusions&);

}  // namespace upsweep::lens::own
