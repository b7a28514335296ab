#include "cli/lens/own.hpp"

#include <fmt/core.h>

#include <charconv>

#include "cli/io/whole_file.hpp"
#include "cli/lens/json.hpp"
#include "cli/lens/text.hpp"
#include "cli/process/message.hpp"
#include "cli/report/provenance.hpp"
#include "cli/report/table.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;
using lens_text::grouped;

namespace {

std::string shape_text(const lens::index3& s) {
  std::string text = grouped(s.x);
  if (s.y > 1 || s.z > 1) text += fmt::format("x{}", s.y);
  if (s.z > 1) text += fmt::format("x{}", s.z);
  return text;
}

void print_launches(const lens::own::report& r) {
  lens_text::print_launches({"", "kernel", "grid × block"}, r.launches, r.total,
                            [](const std::string& name, const lens::launch_record* l, const lens::counts&) {
                              if (!l) return std::vector<std::string>{name, "", ""};
                              return std::vector{name, l->kernel,
                                                 fmt::format("{} × {}", shape_text(l->grid), shape_text(l->block))};
                            });
}

void print_report(const lens::own::report& r, bool lines) {
  fmt::print("{}: {} launch{} ({:.2f} s on this machine; not the time on a GPU)\n", r.file, grouped(r.launches.size()),
             r.launches.size() == 1 ? "" : "es", r.seconds);
  for (const std::string& said : r.said) fmt::print("Generated: {}\n", said);
  if (!r.launches.empty()) print_launches(r);
  if (lines && !r.launches.empty()) lens_text::print_lines(r.total);
  lens_text::print_findings(r.findings, r.raced);
  if (r.raced && !r.not_watched.empty())
    fmt::print("Too large to check for races (--races checks them): {}\n", r.not_watched);
  if (!r.cut_short.empty()) fmt::print("Stopped: {}\n", r.cut_short);
}

std::string failure(const lens::own::report& r) {
  const std::string who = "lens " + r.file + ": ";
  if (!r.findings.empty())
    return who + std::string(name_of(r.findings.front().what)) + ": " + r.findings.front().text +
           (r.findings.size() > 1 ? fmt::format(", and {} more", r.findings.size() - 1) : "");
  if (!r.cut_short.empty()) return who + r.cut_short;
  if (r.status != 0) return who + fmt::format("its main ended with status {}", r.status);
  return {};
}

}  // namespace

bool names_a_source(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string end = name.substr(dot);
  return end == ".cu" || end == ".cuh" || end == ".cpp" || end == ".cc" || end == ".h" || end == ".hpp";
}

lens::own::size3 parse_shape(const std::string& option, const std::string& text) {
  unsigned all[3]{1, 1, 1};
  const char *at = text.data(), *end = at + text.size();
  for (int k = 0; k < 3; ++k) {
    const auto [after, bad] = std::from_chars(at, end, all[k]);
    if (bad != std::errc{} || all[k] == 0) break;
    if (after == end) return {all[0], all[1], all[2]};
    if (*after != 'x') break;
    at = after + 1;
  }
  throw error(fault::bad_argument, option, "'" + text + "' is not a size", "write 256, 16x16 or 8x8x4");
}

int run_own(const lens::own::job& j, const own_output& out) {
  return lens::own::run(j, [&](const lens::own::report& r) {
    if (!out.json.empty()) {
      try {
        write_whole_file(
            out.json,
            nlohmann::json{{"kind", "lens"}, {"provenance", provenance()}, {"result", to_json(r)}}.dump(2) + "\n");
      } catch (const error& e) {
        print_message("upsweep: {}\n", e.what());
      }
    }
    if (out.json != "-") print_report(r, out.lines);
    std::fflush(stdout);
    if (const std::string why = failure(r); !why.empty()) print_message("upsweep: {}\n", why);
  });
}
