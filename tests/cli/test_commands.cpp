// devices, list, check, help and version.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "command.hpp"
#include "upsweep/core/catalog.hpp"

namespace {

using nlohmann::json;

class commands : public command_test {};

TEST_F(commands, help_names_every_command) {
  const ran alone = run({}), asked = run({"--help"});
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(alone.out, asked.out);
  for (const char* name :
       {"devices", "list", "reduce", "scan", "sort", "select", "unique", "rle", "histogram", "range-count", "check"}) {
    EXPECT_NE(asked.out.find(name), std::string::npos) << name;
    const ran help = run({name, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_GT(help.out.size(), 200u) << name;
  }
}

// Of a folder of the test's own.
TEST_F(commands, cache_is_shown_and_cleared) {
  const std::string with = "XDG_CACHE_HOME=\"$PWD\" $upsweep cache ";
  EXPECT_EQ(shell(with).out.substr(0, 4), "0 B ");
  shell("mkdir upsweep && printf 12345 > upsweep/a.code && printf 678 > upsweep/notes");
  EXPECT_NE(shell(with + "--size").out.find("5 B in 1 entry, "), std::string::npos);
  EXPECT_EQ(json::parse(shell(with + "--json").out)["bytes"], 5);
  EXPECT_NE(shell(with + "--clear").out.find("cleared: 5 B in 1 entry"), std::string::npos);
  EXPECT_FALSE(exists("upsweep/a.code"));
  EXPECT_TRUE(exists("upsweep/notes"));
  EXPECT_EQ(json::parse(shell(with + "--json").out)["entries"], 0);
  EXPECT_EQ(shell(with + "--size --clear").status, 2);
}

TEST_F(commands, version) {
  const ran r = run({"--version"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(std::isdigit(r.out[0])) << r.out;
}

TEST_F(commands, devices_shows_every_backend) {
  const ran r = run({"devices"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* name : {"cpu", "cuda", "opencl"})
    EXPECT_NE(r.out.find(std::string("\n") + name), std::string::npos) << r.out;
  for (const json& d : json::parse(run({"devices", "--json"}).out))
    EXPECT_EQ(run({"check", "--quick", "--device", d["name"], "no/such"}).status, 1);
}

// The choice among them depends on the device, so the test names none.
TEST_F(commands, list_has_the_rows_of_tuning_on_cuda) {
  for (const json& v : json::parse(run({"list", "--json"}).out)) {
    EXPECT_TRUE(v["backend"] == "cuda" || !v.contains("tuning")) << v["name"];
    if (v["backend"] != "cuda" || v["name"] != "scan/look-ahead") continue;
    ASSERT_EQ(v["tuning"].size(), 4u);
    for (const json& row : v["tuning"]) {
      EXPECT_EQ(row["shared_bytes"] <= 48 << 10, row["row"] == "small") << row;
      EXPECT_TRUE(row["taken"].is_null());
    }
  }
}

TEST_F(commands, list_is_the_catalog) {
  const ran text = run({"list"});
  const json all = json::parse(run({"list", "--json"}).out);
  std::multiset<std::pair<std::string, std::string>> listed, expected;
  for (const json& v : all) {
    if (v["built"]) listed.emplace(v["name"], v["backend"]);
    for (const char* field : {"source", "teaches", "work", "span", "launches", "traffic"})
      EXPECT_NE(v[field], "") << v["name"] << field;
    EXPECT_GT(v["year"], 1800);  // the histogram is of 1895
    EXPECT_FALSE(v["takes"].empty());
    EXPECT_NE(text.out.find(std::string(v["name"]) + " on " + std::string(v["backend"])), std::string::npos);
  }
  for (const upsweep::variant& v : upsweep::catalog()) expected.emplace(v.name, name_of(v.where));
  EXPECT_EQ(listed, expected);
  for (const json& v : json::parse(run({"list", "--json", "--device", "cpu", "scan"}).out)) {
    EXPECT_EQ(v["backend"], "cpu");
    EXPECT_EQ(v["primitive"], "scan");
  }
}

// A build without CUDA lists the variants that its lens runs, and says so wherever one is named.
TEST_F(commands, cuda_variants_of_the_lens_are_listed_without_cuda) {
  const auto catalog = upsweep::catalog();
  const auto in_catalog = [&](const std::string& name, auto where) {
    return std::ranges::any_of(catalog, [&](const upsweep::variant& v) { return v.name == name && where(v); });
  };
  const ran listed = run({"lens", "--list"});
  if (listed.status != 0) GTEST_SKIP() << "no lens";
  EXPECT_EQ(listed.out.find("2^2-5"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("  any  "), std::string::npos) << listed.out;
  const bool cuda =
      std::ranges::any_of(catalog, [](const upsweep::variant& v) { return v.where == upsweep::backend::cuda; });
  const std::string text = run({"list"}).out, note = "needs a CUDA build; runs on the lens";
  std::string alone;  // a name that no other backend has
  std::size_t noted = 0;
  for (const json& v : json::parse(run({"list", "--json"}).out)) {
    if (v["built"]) continue;
    ++noted;
    EXPECT_EQ(v["backend"], "cuda");
    EXPECT_EQ(v["note"], note);
    const std::string name = v["name"];
    EXPECT_NE(listed.out.find("\n" + name + " "), std::string::npos) << name;
    EXPECT_NE(text.find(name + " on cuda (" + note), std::string::npos) << name;
    if (!in_catalog(name, [](const upsweep::variant&) { return true; })) alone = name;
  }
  EXPECT_EQ(text.find(note) == std::string::npos, cuda);
  if (cuda) {
    EXPECT_EQ(noted, 0u);
    return;
  }
  EXPECT_EQ(noted, static_cast<std::size_t>(std::ranges::count(listed.out, '\n')) - 1);
  EXPECT_EQ(json::parse(run({"list", "--json", "--device", "cuda"}).out).size(), noted);
  ASSERT_NE(alone, "");
  EXPECT_EQ(json::parse(run({"list", "--json", alone}).out).size(), 1u);
  const std::vector<std::string> words{"'" + alone + "'", note, "`upsweep lens " + alone + "`"};
  expect_refusal({"check", alone}, words);
  expect_refusal({"bench", alone}, words);
  write_npy<float>("x.npy", {1, 2});
  const std::string verb = alone.substr(0, alone.find('/'));
  if (verb == "scan" || verb == "sort" || verb == "reduce") expect_refusal({verb, "x.npy", "--variant", alone}, words);
}

TEST_F(commands, check_runs_what_is_named) {
  const ran r = run({"check", "scan/sequential", "--device", "cpu,cpu:1", "--max-n", "1000", "--quick", "--seed", "5",
                     "--json", "c.json"});
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_NE(r.out.find("2 of 2 variants passed"), std::string::npos) << r.out;
  const json report = json::parse(read("c.json"));
  ASSERT_EQ(report["results"].size(), 2u);
  for (const json& v : report["results"]) {
    EXPECT_EQ(v["variant"], "scan/sequential");
    EXPECT_EQ(v["ok"], true);
    EXPECT_GT(v["cases"], 10);
  }
  EXPECT_EQ(report["options"]["seed"], 5);
  for (const char* field : {"commit", "compiler", "flags", "date", "cpu", "cores", "os", "devices"})
    EXPECT_TRUE(report["provenance"].contains(field)) << field;
  const json alone = json::parse(run({"check", "--quick", "--max-n", "100", "--device", "cpu", "--json", "scan"}).out);
  for (const json& v : alone["results"]) EXPECT_NE(std::string(v["variant"]).find("scan"), std::string::npos);
}

}  // namespace
