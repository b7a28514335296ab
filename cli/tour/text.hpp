// Output of the tour: on the terminal, at most 100 columns and 70 lines, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/report/figures.hpp"
#include "cli/tour/tour.hpp"

namespace tour {

// A device of which only the answers were looked at.
struct seen {
  std::string name, description;
  std::vector<std::string> tasks;
  std::string wrong;
  double seconds;
};

class showing {
 public:
  showing(const std::vector<upsweep::context>& measured, const effort&);
  void beginning(const std::string& version, const std::vector<upsweep::device_listing>&) const;
  void working(const task&, std::uint64_t n) const;
  // A row of the first device's table; the other tables follow at the end.
  void measured(const result&) const;
  void end(const std::vector<result>&, const std::vector<seen>& others, const std::vector<std::string>& wrong,
           const std::string& folder, double seconds) const;

 private:
  void head(const upsweep::context&) const;
  void line(const upsweep::context&, const result&) const;
  void summary(const upsweep::context&, const std::vector<result>&) const;

  std::vector<upsweep::context> devices_;
  effort effort_;
  mutable figures::progress_line progress_;
};

nlohmann::ordered_json to_json(const std::vector<result>&, const std::vector<seen>& others,
                               const std::vector<std::string>& wrong, const effort&, double seconds);

// "20 million", "10 000".
std::string count_text(std::uint64_t);
// "1.27×", "12.3×", "140×".
std::string times_text(double);

}  // namespace tour
