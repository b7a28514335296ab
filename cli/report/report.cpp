#include "cli/report/report.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/report/html.hpp"
#include "cli/report/sections.hpp"
#include "upsweep/error.hpp"

using nlohmann::json;

namespace report {

std::string table_section(const source& s) {
  const json& t = s.json.at("table");
  std::string html = "<h2>" + html_escape(t.at("title").get<std::string>()) + "</h2>\n<p>" +
                     html_escape(t.at("source").get<std::string>()) + ". Theirs: " +
                     html_escape(t.at("machine").get<std::string>() + "; " + t.at("method").get<std::string>()) +
                     ". Ours: " + html_escape(t.at("our_method").get<std::string>()) + "</p>\n" +
                     provenance_facts(s.json.at("provenance"), s.name);
  const std::string unit = t.at("time_unit");
  const double unit_seconds = t.at("time_unit_s");
  std::vector<std::string> head{"row"};
  for (const json& c : s.json.at("columns")) {
    const std::string title = c.at("title"), column_unit = c.at("unit");
    head.push_back(c.at("who").get<std::string>() + ": " +
                   (title.empty()        ? column_unit
                    : column_unit == "×" ? title
                                         : title + ", " + column_unit));
  }
  std::vector<std::vector<cell>> rows;
  for (const json& r : s.json.at("rows")) {
    std::vector<cell> line{{r.at("label").get<std::string>(), false, {}, r.at("variant").get<std::string>()}};
    for (const json& c : s.json.at("columns")) {
      const json value = r.at("cells").value(c.at("key").get<std::string>(), json(nullptr));
      const std::string column_unit = c.at("unit");
      const std::string own = c.at("who") == "published" ? "" : "ours";
      if (value.is_null()) {
        line.push_back({"–"});
      } else if (column_unit == "×") {
        line.push_back({fmt::format("{:.2f}×", value.get<double>()), true, own});
      } else if (column_unit == unit) {
        line.push_back(
            {fmt::format("{:.{}f}", value.get<double>() / unit_seconds, unit_seconds < 1e-3 ? 1 : 4), true, own});
      } else {
        line.push_back({fmt::format("{:.2f}", value.get<double>()), true, own});
      }
    }
    rows.push_back(std::move(line));
  }
  html += html_table(head, rows);
  for (const json& note : s.json.at("notes"))
    html += "<p class=\"soft\">" + html_escape(note.get<std::string>()) + "</p>\n";
  return html;
}

std::string check_section(const source& s) {
  std::uint64_t cases = 0, failed = 0;
  std::vector<std::vector<cell>> rows, failures;
  for (const json& r : s.json.at("results")) {
    cases += whole_number(r, "cases");
    failed += whole_number(r, "failed");
    const bool ok = r.at("ok");
    rows.push_back(
        {{r.at("variant").get<std::string>(), false},
         {r.at("device").get<std::string>(), false},
         {std::to_string(whole_number(r, "cases"))},
         {ok ? "all right" : std::to_string(whole_number(r, "failed")) + " wrong", false, ok ? "win" : "loss"}});
    for (const json& f : r.at("failures"))
      failures.push_back({{r.at("variant").get<std::string>(), false},
                          {f.at("what").get<std::string>(), false, "wrap"},
                          {f.at("wrong").get<std::string>(), false, "wrap"}});
  }
  std::string html = "<h2>Checks against the reference</h2>\n<p>" +
                     html_escape(fmt::format("{} variants, {} cases, {}.", rows.size(), cases,
                                             failed ? std::to_string(failed) + " wrong" : "all right")) +
                     "</p>\n" + provenance_facts(s.json.at("provenance"), s.name);
  if (!failures.empty()) html += html_table({"variant", "case", "what is wrong"}, failures);
  return html + "<details" + (failures.empty() ? "" : " open") + "><summary>Every variant</summary>" +
         html_table({"variant", "device", "cases", "result"}, rows) + "</details>\n";
}

std::string render(const std::vector<source>& all, const std::string& title, const std::string& introduction) {
  std::string body = "<h1>" + html_escape(title) + "</h1>\n" + introduction;
  for (const source& s : all) {
    const auto refused = [&] {
      return upsweep::error(upsweep::fault::bad_argument, s.name, "it is JSON, but not as upsweep writes it",
                            "give it the JSON of bench, bench --table or check");
    };
    try {
      const std::string kind = s.json.at("kind");
      if (kind == "bench") {
        body += bench_section(s);
      } else if (kind == "table") {
        body += table_section(s);
      } else if (kind == "check") {
        body += check_section(s);
      } else {
        throw upsweep::error(upsweep::fault::bad_argument, s.name, "it is of the kind '" + kind + "'",
                             "give it the JSON of bench, bench --table or check");
      }
    } catch (const json::exception&) {
      throw refused();
    } catch (const no_whole_number&) {
      throw refused();
    }
  }
  return page(title, body);
}

source read_source(const std::string& path) {
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof())
    throw upsweep::error(upsweep::fault::bad_argument, path, file.is_open() ? "it is empty" : "it cannot be read",
                         "name a JSON file that upsweep wrote");
  try {
    return {path, json::parse(file)};
  } catch (const json::parse_error& e) {
    throw upsweep::error(upsweep::fault::bad_argument, path,
                         "it is not JSON: byte " + std::to_string(e.byte) + " does not fit",
                         "name a JSON file that upsweep wrote");
  } catch (const json::exception&) {
    throw upsweep::error(upsweep::fault::bad_argument, path, "it is JSON with a number that no f64 holds",
                         "name a JSON file that upsweep wrote");
  }
}

}  // namespace report

void add_report(CLI::App& app) {
  struct options {
    std::vector<std::string> files;
    std::string out, title = "Upsweep: measurements";
  };
  auto o = std::make_shared<options>();
  CLI::App* command = app.add_subcommand("report", "Draw a page from the JSON of bench, bench --table and check");
  command->add_option("FILE", o->files, "JSON files, in the order they shall appear")->required();
  command->add_option("-o,--output", o->out, "The page")->required();
  command->add_option("--title", o->title, "Its heading");
  command->footer("The page is one file: no script, nothing fetched, light or dark as the reader's system is.");
  command->callback([o] {
    std::vector<file_named> inputs;
    for (const std::string& file : o->files) inputs.push_back({"FILE", file});
    require_no_overlap({{"-o", o->out}}, inputs);
    std::vector<report::source> all;
    for (const std::string& file : o->files) all.push_back(report::read_source(file));
    write_whole_file(o->out, report::render(all, o->title));
  });
}
