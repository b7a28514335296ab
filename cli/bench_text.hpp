// Figures as people read them, and the bench's results as a printed table and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cli/bench_run.hpp"

namespace bench {

std::string time_text(double seconds);     // "8.31 µs"
std::string rate_text(double per_second);  // "393 G"
std::string ratio_text(double ratio);      // "1.27×"

void print_ceilings(const upsweep::device&, const std::vector<upsweep::peers::ceiling>&);
void print_head(const upsweep::device&, const upsweep::problem& shape, upsweep::input_kind, const plan&);
void print_rows(const std::vector<measurement>& of_one_size, const plan&);
void print_remarks(const results&);

nlohmann::ordered_json to_json(const upsweep::device&, const std::vector<upsweep::peers::ceiling>&);
// One row for each way a measurement was timed; peers' rows carry their ratio to ours.
void append_json(const std::vector<measurement>& of_one_size, nlohmann::ordered_json& rows);
nlohmann::ordered_json to_json(const std::vector<remark>&);

// The number of terminal columns a text takes.
std::size_t columns_of(const std::string& text);
std::string left(const std::string& text, std::size_t columns);
std::string right(const std::string& text, std::size_t columns);

// A line on the terminal that shows what is going on and goes away again; nothing when standard error is no terminal.
class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  void show(const std::string&);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace bench
