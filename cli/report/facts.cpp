#include "cli/report/facts.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "cli/report/html.hpp"

namespace report {

namespace {

std::string facts(const std::vector<std::pair<std::string, std::string>>& all) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : all)
    if (!value.empty()) html += "<dt>" + html_escape(name) + "</dt><dd>" + html_escape(value) + "</dd>\n";
  return html + "</dl>\n";
}

}  // namespace

std::uint64_t whole_number(const nlohmann::json& of, const char* key) {
  const nlohmann::json& value = of.at(key);
  if (!value.is_number_unsigned()) throw no_whole_number{};
  return value;
}

std::string provenance_facts(const nlohmann::json& p, const std::string& file) {
  std::string devices;
  for (const nlohmann::json& d : p.at("devices"))
    devices +=
        (devices.empty() ? "" : "; ") + d.at("name").get<std::string>() + ": " + d.at("description").get<std::string>();
  const std::string commit = p.at("commit").get<std::string>().substr(0, 12) +
                             (p.value("uncommitted_changes", false) ? ", with changes since" : "");
  const std::string cuda = p.at("cuda_compiler");
  return facts({{"Date", p.at("date")},
                {"Machine", p.at("cpu").get<std::string>() + ", " + std::to_string(whole_number(p, "cores")) +
                                " cores; " + p.at("os").get<std::string>()},
                {"Devices", devices},
                {"upsweep", p.at("version").get<std::string>() + ", commit " + commit},
                {"Compilers", p.at("compiler").get<std::string>() + " (" + p.at("flags").get<std::string>() + ")" +
                                  (cuda == "none" ? "" : "; " + cuda)},
                {"From", std::filesystem::path(file).filename().string()}});
}

}  // namespace report
