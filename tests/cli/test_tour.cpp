// The tour: its output and files, and that it detects a wrong answer.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/report/figures.hpp"
#include "cli/tour/text.hpp"
#include "cli/tour/tour.hpp"
#include "command.hpp"
#include "upsweep/error.hpp"

namespace {

using nlohmann::json;
using upsweep::context;

class tour_command : public command_test {};

TEST_F(tour_command, every_answer_agrees_and_all_that_is_named_is_there) {
  const ran r = run({"tour", "--quick", "-o", "out"});
  ASSERT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_TRUE(r.err.empty()) << r.err;
  EXPECT_EQ(r.out.find("WRONG"), std::string::npos) << r.out;
  std::istringstream lines(r.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(figures::columns_of(line), 100u) << line;
  EXPECT_LE(count, 70);

  const json j = json::parse(read("out/tour.json"));
  EXPECT_EQ(j["kind"], "tour");
  EXPECT_TRUE(j["wrong"].empty()) << j["wrong"];
  EXPECT_TRUE(j["provenance"].contains("commit"));
  EXPECT_GE(j["tasks"].size(), 10u);
  const std::string page = read("out/index.html");
  for (const json& t : j["tasks"]) {
    EXPECT_NE(r.out.find(t["name"].get<std::string>()), std::string::npos) << t["name"];
    EXPECT_NE(page.find(t["name"].get<std::string>()), std::string::npos) << t["name"];
    ASSERT_EQ(t["rows"].size(), 3u);
    for (const json& row : t["rows"]) {
      EXPECT_FALSE(row["theirs"].empty());
      for (const json& one : row["theirs"]) EXPECT_TRUE(one["agrees"]) << t["name"] << one;
      for (const json& one : row["ours"]) {
        if (one.value("missing", false)) continue;
        EXPECT_TRUE(one["agrees"]) << t["name"] << one;
        EXPECT_GT(one["times_as_fast"].get<double>(), 0) << t["name"] << one;
        EXPECT_GE(one["samples"].get<int>(), 3) << t["name"] << one;
      }
      EXPECT_EQ(row["ours"].back()["device"], "cpu");
      EXPECT_FALSE(row["ours"].back().value("missing", false)) << t["name"];
    }
  }
  EXPECT_NE(page.find("<svg"), std::string::npos);
  for (const char* fetched : {"<script", "src=", "href=", "http"})
    EXPECT_EQ(page.find(fetched), std::string::npos) << fetched;
  for (const char* name : {"out/index.html", "out/tour.json"}) {
    EXPECT_NE(r.out.find(name), std::string::npos);
    EXPECT_TRUE(exists(name));
  }
  const std::filesystem::directory_iterator inside(path("out"));
  EXPECT_EQ(std::distance(begin(inside), end(inside)), 2);
}

TEST_F(tour_command, a_folder_that_cannot_be_is_said_at_once) {
  write("file", "x");
  for (const char* folder : {"file", "file/below", "/proc/none"}) {
    expect_refusal({"tour", "-o", folder}, {folder, "folder"});
    EXPECT_TRUE(run({"tour", "-o", folder}).out.empty());
  }
  expect_refusal({"tour", "-o", "out", "--device", "abacus"}, {"abacus"});
}

TEST(tour, counts_and_times) {
  EXPECT_EQ(tour::count_text(999), "999");
  EXPECT_EQ(tour::count_text(10'000), "10 000");
  EXPECT_EQ(tour::count_text(20'000'000), "20 million");
  EXPECT_EQ(tour::count_text(16'777'216), "16.8 million");
  EXPECT_EQ(tour::times_text(0.0051), "0.005×");
  EXPECT_EQ(tour::times_text(0.5), "0.50×");
  EXPECT_EQ(tour::times_text(12.34), "12.3×");
  EXPECT_EQ(tour::times_text(140.2), "140×");
}

// The check of every task detects a wrong answer: here the check runs before the task has run.
TEST(tour, the_checks_see_what_is_wrong) {
  std::vector<tour::task> all = tour::array_tasks();
  for (tour::task& t : tour::shaped_tasks()) all.push_back(std::move(t));
  for (const tour::task& t : all) {
    if (t.name == "n-body step") continue;  // has no state before its first run
    const tour::instance i = t.make(t.fitted ? t.fitted(10'000) : 10'000);
    const tour::way ours = i.ours(context::cpu(), false);
    EXPECT_FALSE(ours.wrong().empty()) << t.name;
    if (ours.ready) ours.ready();
    ours.run();
    EXPECT_EQ(ours.wrong(), "") << t.name;
  }
}

TEST(tour, a_wrong_answer_a_failure_and_a_lack_are_told_apart) {
  const auto nothing = [] {};
  const auto right = [] { return std::string(); };
  const auto measured = [&](const tour::way& ours) {
    tour::instance i{{{"theirs", {}, nothing, right}}, [=](const context&, bool) { return ours; }};
    return tour::measure(i, 1, {context::cpu()}, {0, 3, 3, {1, 1, 1}}, nullptr).ours.at(0);
  };
  EXPECT_TRUE(measured({"", {}, nothing, right}).wrong.empty());
  EXPECT_EQ(measured({"", {}, nothing, [] { return std::string("two is three"); }}).wrong, "two is three");
  // Right at first, wrong at last.
  const auto asked = std::make_shared<int>();
  EXPECT_EQ(measured({"", {}, nothing, [=] { return std::string((*asked)++ ? "later" : ""); }}).wrong, "later");
  const auto throwing = [](upsweep::fault why) { return [why] { throw upsweep::error(why, "here", "no"); }; };
  EXPECT_EQ(measured({"", {}, throwing(upsweep::fault::device_failure), right}).wrong, "here: no");
  EXPECT_TRUE(measured({"", {}, throwing(upsweep::fault::unsupported), right}).missing);
  EXPECT_TRUE(measured({}).missing);
}

}  // namespace
