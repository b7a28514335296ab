// The command line: help for everything, errors for invalid input, suggestions for misspelled words, answers as JSON.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.hpp"

namespace {

class command_line : public command_test {
 protected:
  // Every command, including image's filters, as listed by the help itself.
  std::vector<std::vector<std::string>> commands() const {
    std::vector<std::vector<std::string>> all;
    for (const std::string& name : listed({"--help"})) {
      all.push_back({name});
      if (name == "image")
        for (const std::string& filter : listed({"image", "--help"})) all.push_back({"image", filter});
    }
    return all;
  }
  nlohmann::json answer(std::vector<std::string> words, int status = 0) const {
    words.push_back("--json");
    const ran r = run(words);
    EXPECT_EQ(r.status, status) << words[0] << r.err;
    const nlohmann::json j = nlohmann::json::parse(r.out, nullptr, false);
    EXPECT_TRUE(j.is_object()) << words[0] << ": " << r.out;
    return j;
  }

 private:
  // Names at the beginning of lines that are indented by two, below a heading; those of options begin with "-".
  std::vector<std::string> listed(const std::vector<std::string>& words) const {
    std::istringstream lines(run(words).out);
    std::vector<std::string> names;
    bool heading = false;
    for (std::string line; std::getline(lines, line);) {
      if (line == "Work on files:" || line == "The library itself:" || line == "Subcommands:")
        heading = true;
      else if (!line.starts_with(" "))
        heading = false;
      else if (heading && line.size() > 2 && line[2] != ' ' && line[2] != '-')
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }
};

TEST_F(command_line, every_help_is_100_columns_wide_and_tells_the_exit_status) {
  auto all = commands();
  EXPECT_GT(all.size(), 30u);
  all.push_back({});
  for (std::vector<std::string> words : all) {
    words.push_back("--help");
    const ran r = run(words);
    EXPECT_EQ(r.status, 0);
    EXPECT_NE(r.out.find("Exit status: 0"), std::string::npos) << words[0];
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }), 100) << line;
  }
}

TEST_F(command_line, help_explains_a_command) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "sort"}).out, run({"sort", "--help"}).out);
  EXPECT_EQ(run({"help", "image", "gaussian"}).out, run({"image", "gaussian", "--help"}).out);
  expect_refusal({"help", "srot"}, {"srot", "did you mean sort?"});
}

TEST_F(command_line, says_what_may_have_been_meant) {
  write_npy<double>("x.npy", {1});
  expect_refusal({"redcue", "x.npy"}, {"redcue", "did you mean reduce?"}, {}, 2);
  expect_refusal({"hist", "x.npy"}, {"did you mean histogram?"}, {}, 2);
  expect_refusal({"sort", "x.npy", "--dsecending"}, {"--dsecending", "did you mean --descending?"}, {}, 2);
  expect_refusal({"sort", "x.npy", "--colum=3"}, {"--colum", "did you mean --column?"}, {}, 2);
  expect_refusal({"nbody", "--trajektory", "x"}, {"did you mean --trajectory?"}, {}, 2);
  expect_refusal({"image", "gausian", "a.png", "b.png"}, {"gausian", "did you mean gaussian?"}, {}, 2);
  expect_refusal({"reduce", "x.npy", "--variant", "reduce/sequental"}, {"reduce/sequential"});
  expect_refusal({"reduce", "x.npy", "--qqqqqqqqqqq"}, {"there is no option --qqqqqqqqqqq (see"}, {}, 2);
  expect_refusal({"reduce", "x.npy", "y.npy"}, {"y.npy", "too many"}, {}, 2);
}

TEST_F(command_line, nonsense_is_refused) {
  write_npy<double>("x.npy", {1, 2});
  const std::string bodies = "nbody --steps 1 --bodies 10 ";
  for (const std::string& line : {std::string("sort x.npy -o y.npy --top=-1"),
                                  std::string("sort x.npy -o y.npy --top 1.5"),
                                  std::string("sort x.npy -o y.npy --top 010"),
                                  std::string("sort x.npy -o y.npy --top 99999999999999999999"),
                                  std::string("sort x.npy -o y.npy --memory abc"),
                                  std::string("sort x.npy -o y.npy --memory 5iB"),
                                  std::string("sort x.npy -o y.npy --memory inf"),
                                  std::string("sort x.npy -o y.npy --device-memory 1Q"),
                                  std::string("reduce x.npy --init ''"),
                                  std::string("reduce x.npy --device ''"),
                                  std::string("reduce x.npy --device="),
                                  std::string("reduce ''"),
                                  std::string("reduce x.npy --op sum --op max"),
                                  std::string("reduce x.npy --init 1 --init 2"),
                                  std::string("check --seed -1"),
                                  std::string("check --seed=-1"),
                                  std::string("check --max-n 0"),
                                  std::string("bench --seed=-1 reduce"),
                                  std::string("bench reduce --longest nan"),
                                  std::string("bench reduce --longest inf"),
                                  std::string("bench reduce --longest 0"),
                                  std::string("lens scan/blelloch --withhold=-1"),
                                  std::string("lens scan/blelloch --seed=-1"),
                                  std::string("lens scan/blelloch --block 0"),
                                  std::string("convolve x.npy --mask 1 --memory 1KK"),
                                  std::string("lex x.npy --grammar c --memory abc"),
                                  std::string("image sobel a.png b.png --memory abc"),
                                  bodies + "--memory abc",
                                  bodies + "--queue abc",
                                  bodies + "--seed=-1",
                                  std::string("nbody --bodies=0"),
                                  std::string("nbody --bodies=-1"),
                                  bodies + "--dt nan",
                                  bodies + "--dt 0",
                                  bodies + "--theta nan",
                                  bodies + "--theta inf",
                                  bodies + "--softening nan",
                                  bodies + "--gravity inf",
                                  bodies + "--criterion nan",
                                  bodies + "--adaptive nan",
                                  bodies + "--turn nan",
                                  bodies + "--sample 0",
                                  bodies + "--every 0 --checkpoint c",
                                  bodies + "--view --port 0",
                                  std::string("nbody --errors --thetas nan --bodies 10")})
    if (const ran r = shell("$upsweep " + line); r.err.find("no command") == std::string::npos) {
      EXPECT_TRUE(r.status == 1 || r.status == 2) << line << ": " << r.err;
      EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << line << ": " << r.err;
      EXPECT_EQ(r.err.find("Range"), std::string::npos);
      EXPECT_LT(r.err.size(), 250u) << line << ": " << r.err;  // no number of 309 digits
      EXPECT_EQ(files(), (std::vector<std::string>{"x.npy"})) << line;
    }
  for (const std::string camera : {"1,2,3,4", "1,2,", "nan,2", "1,2,0", "1,2,-3", "1;2"})
    expect_refusal({"nbody", "--scene", "figure-eight", "--steps", "1", "--frames", "d", "--camera", camera},
                   {"--camera"});
  for (const std::string filters : {"gaussian:sigma=2,sigma=3", "gaussian:2,sigma=3"})
    expect_refusal({"image", "pipeline", filters, "a.png", "b.png"}, {"sigma", "twice"});
  ASSERT_EQ(run({"nbody", "--scene", "figure-eight", "--steps", "1", "--checkpoint", "c"}).status, 0);
  write("longer", read("c") + "x");
  expect_refusal({"nbody", "--resume", "longer", "--steps", "1"}, {"longer", "data follows"});
}

TEST_F(command_line, every_answer_is_one_object) {
  write_npy<double>("x.npy", {1, 1, 2.5});
  write_npy<double>("inf.npy", {1, INFINITY, std::nan("")});
  write("a.txt", "one\ntwo\n");
  write("b.txt", "one\ntwi\n");
  write("a.json", "{\"a\": 1}");
  write("t.csv", "a,b\n2,x\n1,y\n");
  for (const auto& words : commands()) {
    if (words[0] == "help" || (words[0] == "image" && words.size() == 1)) continue;
    auto asked = words;
    asked.push_back("--help");
    EXPECT_NE(run(asked).out.find("--json"), std::string::npos) << words.back();
  }
  EXPECT_EQ(answer({"reduce", "x.npy"})["value"], 4.5);
  auto j = answer({"scan", "x.npy", "-o", "-"});
  EXPECT_EQ(j["values"], (std::vector<double>{1, 2, 4.5}));
  EXPECT_EQ(j["count"], 3);
  EXPECT_EQ(j["command"], "scan");
  EXPECT_EQ(answer({"sort", "inf.npy"})["values"], nlohmann::json::parse("[1.0,\"inf\",\"nan\"]"));
  j = answer({"scan", "x.npy", "-o", "y.npy"});
  EXPECT_EQ(j["outputs"][0]["path"], "y.npy");
  EXPECT_EQ(j["outputs"][0]["count"], 3);
  EXPECT_EQ(j["outputs"][0]["bytes"], read("y.npy").size());
  EXPECT_EQ(answer({"select", "x.npy", "--where", "x > 1", "--count"})["count"], 1);
  EXPECT_EQ(answer({"select", "x.npy", "--where", "x > 9"})["values"], nlohmann::json::array());
  EXPECT_EQ(answer({"unique", "x.npy", "--count"})["count"], 2);
  EXPECT_EQ(answer({"range-count", "x.npy", "0,2", "2,3"})["values"], (std::vector<int>{2, 1}));
  EXPECT_EQ(answer({"rle", "x.npy", "-o", "v.npy", "--lengths", "l.npy"})["outputs"].size(), 2u);
  EXPECT_EQ(answer({"sort", "t.csv", "--by", "a", "-o", "s.csv"})["outputs"][0]["path"], "s.csv");
  expect_refusal({"sort", "t.csv", "--by", "a", "--json"}, {"--json", "-o"});
  EXPECT_EQ(answer({"cmp", "a.txt", "a.txt"})["same"], true);
  j = answer({"cmp", "a.txt", "b.txt"}, 1);
  EXPECT_EQ(j["same"], false);
  EXPECT_EQ(j["byte"], 7);
  EXPECT_EQ(answer({"lex", "a.json", "--grammar", "json"})["tokens"]["string"], 1);
  EXPECT_EQ(answer({"lex", "t.csv", "--grammar", "csv"})["records"], 3);
  EXPECT_EQ(answer({"recurrence", "x.npy", "--factor", "1"})["values"], (std::vector<double>{1, 2, 4.5}));
  EXPECT_EQ(answer({"convolve", "x.npy", "--mask", "2"})["values"], (std::vector<double>{2, 2, 5}));
  EXPECT_EQ(answer({"image", "test-picture", "p.ppm"})["outputs"][0]["path"], "p.ppm");
  j = answer({"nbody", "--scene", "figure-eight", "--steps", "3", "--trajectory", "t.npy"});
  EXPECT_EQ(j["bodies"], 3);
  EXPECT_EQ(j["steps"], 3);
  EXPECT_EQ(j["outputs"][0]["path"], "t.npy");
  EXPECT_EQ(answer({"histogram", "x.npy", "--bins", "2"})["bins"][0]["count"], 2);
}

TEST_F(command_line, nothing_in_a_name_reaches_the_terminal) {
  const std::string name = "evil\x1b]0;title\x07\x1b[31m\xc2\x9b.npy";
  write(name, "no npy");
  write("other", "something else");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"reduce", name},
                                             {"reduce", name + "x"},
                                             {"sort", name, "-o", "y"},
                                             {"cmp", name, "other"},
                                             {"cmp", name, "/dev/null"},
                                             {"lex", name, "--grammar", "json"},
                                             {"image", "sobel", name, "y.png"},
                                             {"image", "pipeline", name, "x.png", "y.png"},
                                             {"nbody", "--scene", "./" + name},
                                             {"report", name, "-o", "y"},
                                             {"select", "other", "--where", name},
                                             {"nbody", "--scene", "figure-eight", "--steps", "1", "--trajectory", name},
                                             {"check", name},
                                             {name},
                                             {"reduce", "--" + name}}) {
    const ran r = run(words);
    for (const std::string& said : {r.out, r.err}) {
      EXPECT_EQ(said.find('\x1b'), std::string::npos) << words[0] << said;
      EXPECT_EQ(said.find('\x07'), std::string::npos) << words[0] << said;
      EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos) << words[0] << said;
    }
  }
}

TEST_F(command_line, no_library_speaks) {
  write_npy<double>("x.npy", {1});
  for (const char* device : {"cuda:7", "opencl:77", "cpu:99999"})
    EXPECT_EQ(run({"reduce", "x.npy", "--device", device}).err.find("::"), std::string::npos);
  write("bench.json", "{\"kind\": \"bench\", \"provenance\": {}, \"rows\": [{\"n\": 1e400}]}");
  write("deep.json", std::string(100000, '['));
  expect_refusal({"report", "bench.json", "-o", "y.html"}, {"bench.json"});
  expect_refusal({"report", "deep.json", "-o", "y.html"}, {"deep.json"});
  for (const char* file : {"bench.json", "deep.json"})
    EXPECT_EQ(run({"report", file, "-o", "y.html"}).err.find("exception"), std::string::npos);
  if (geteuid() != 0 || shell("command -v setpriv prlimit").status != 0) return;
  write_npy("x.npy", std::vector<double>(100000, 1.5));
  shell("chmod 755 . && chmod 644 x.npy");
  const ran r =
      shell("exec setpriv --reuid 54321 --clear-groups prlimit --nproc=1 $upsweep scan x.npy --chunk 100 -o -");
  EXPECT_EQ(r.err.find("Resource temporarily unavailable"), std::string::npos) << r.err;
  if (r.status != 0) {
    EXPECT_NE(r.err.find("no more threads can be started"), std::string::npos) << r.err;
  }
}

// Runs with a terminal as standard error, and returns what was written to it.
std::string said_on_a_terminal(const std::filesystem::path& in, std::vector<std::string> words) {
  int end = -1;
  const pid_t child = forkpty(&end, nullptr, nullptr, nullptr);
  if (child == 0) {
    words.insert(words.begin(), "upsweep");
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    if (chdir(in.c_str()) == 0) execv(UPSWEEP_COMMAND, argv.data());
    _exit(126);
  }
  std::string said;
  char block[4096];
  for (ssize_t some; (some = ::read(end, block, sizeof block)) > 0;) said.append(block, static_cast<std::size_t>(some));
  close(end);
  int status = 0;
  waitpid(child, &status, 0);
  return said;
}

TEST_F(command_line, long_work_tells_how_far_it_is) {
  ASSERT_EQ(run({"image", "test-picture", "--size", "200x200", "p.ppm"}).status, 0);
  const std::string image = said_on_a_terminal(
      path(""), {"image", "pipeline", "bilateral:space=40 | sobel", "p.ppm", "q.ppm", "--device", "cpu:1"});
  EXPECT_NE(image.find("image: "), std::string::npos) << image;
  std::string text = "[0";
  for (int i = 0; i < 6000000; ++i) text += ",1";
  write("long.json", text + "]");
  const std::string lex = said_on_a_terminal(
      path(""), {"lex", "long.json", "--grammar", "json", "--tokens", "--device", "cpu:1", "-o", "tokens.txt"});
  EXPECT_NE(lex.find("lex: "), std::string::npos) << lex;
}

}  // namespace
