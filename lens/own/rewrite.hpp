// A user's .cu file, read as nvcc would, and written as the host compiler wants it: launches as calls, shared memory
// as a block's own, device variables told to the lens. Lines stay where they are.
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

// What an #include names, and whether it stands in quotes; the answer is what is to be included instead, or nothing.
class inclusions {
 public:
  virtual ~inclusions() = default;
  virtual std::string instead_of(const std::string& name, bool quoted, const std::string& from) = 0;
  std::vector<kernel_seen> kernels;  // of all files so far
};

rewritten rewrite(const std::string& file, const std::string& text, inclusions&);

}  // namespace upsweep::lens::own
