#include "cli/process/answer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "upsweep/error.hpp"

namespace answer {

namespace {

struct state {
  std::FILE* out = nullptr;  // what standard output was
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  bool begun = false;
};
state& now() {
  static state one;
  return one;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), now().out) == text.size()) return;
  throw upsweep::error(upsweep::fault::bad_argument, "standard output",
                       std::string("cannot write it: ") + std::strerror(errno));
}

// A file's name may be no UTF-8.
std::string text_of(const nlohmann::ordered_json& j) {
  return j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void want(const std::string& command) {
  std::fflush(stdout);
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || !(now().out = fdopen(out, "w")) || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw upsweep::error(upsweep::fault::bad_argument, "standard output",
                         std::string("cannot write it: ") + std::strerror(errno));
  now().fields["command"] = command;
}

bool wanted() { return now().out; }

nlohmann::ordered_json& fields() { return now().fields; }

void wrote(const std::string& path, std::uint64_t bytes) {
  if (!wanted()) return;
  nlohmann::ordered_json& all = fields()["outputs"];
  for (auto& one : all)
    if (one["path"] == path) return void(one["bytes"] = bytes);
  all.push_back({{"path", path}, {"bytes", bytes}});
}

nlohmann::ordered_json number(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
}

long_array::long_array(const char* field) {
  const std::string before = text_of(fields());
  print(before.substr(0, before.size() - 1) + ",\"" + field + "\":[");
  fields().clear();
  now().begun = true;
}

void long_array::add(std::string_view items, std::uint64_t count) {
  if (count == 0) return;
  if (count_ > 0) print(",");
  print(items);
  count_ += count;
}

void long_array::end() { print("]"); }

void finish() {
  if (!wanted()) return;
  const std::string text = text_of(fields());
  print(now().begun ? (fields().empty() ? "}" : "," + text.substr(1)) : text);
  print("\n");
  if (std::fflush(now().out) != 0)
    throw upsweep::error(upsweep::fault::bad_argument, "standard output",
                         std::string("cannot write it: ") + std::strerror(errno));
}

}  // namespace answer
