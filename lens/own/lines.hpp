// Which line of the user's a machine address belongs to, as the program's debug information says.
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::lens::own {

struct source_line {
  std::string file, function;
  unsigned line = 0;  // 0: unknown
};

// Asks one addr2line for all addresses.
class line_finder {
 public:
  line_finder() = default;
  ~line_finder();
  line_finder(const line_finder&) = delete;
  line_finder& operator=(const line_finder&) = delete;

  // False where there is no addr2line. Lines of files below `ours` are passed over for those they were inlined into.
  bool open(const std::string& object, std::string ours);
  source_line find(std::uint64_t offset);  // nothing while another is being looked for

 private:
  std::string read_line();
  int to_ = -1, from_ = -1;
  int child_ = -1;
  std::string ours_, unread_;
  bool asking_ = false;  // a signal may come meanwhile, whose handler asks too
};

}  // namespace upsweep::lens::own
