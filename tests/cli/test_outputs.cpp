// Outputs: no output overwrites another, none is lost, and a failed output leaves no file.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.hpp"

namespace {

class outputs : public command_test {
 protected:
  void SetUp() override {
    write_npy<double>("x.npy", {3, 3, 1, 2});
    write_npy<std::uint8_t>("f.npy", {1, 0, 1, 0});
    write("text.json", "{\"a\": 1}\n");
    write("bench.json", "{\"kind\": \"check\", \"provenance\": {}, \"results\": []}\n");
  }
  // Refused before anything is read or written.
  void expect_same(const std::vector<std::string>& arguments) const {
    expect_refusal(arguments, {}, {}, 1);
    const std::string said = run(arguments).err;
    EXPECT_TRUE(said.find("same file") != std::string::npos || said.find("would be lost") != std::string::npos) << said;
  }
};

TEST_F(outputs, two_of_one_command_are_two_files) {
  std::filesystem::create_directory(path("d"));
  std::filesystem::create_symlink("r.npy", path("link.npy"));  // to a file that does not exist yet
  write("there.npy", "old");
  std::filesystem::create_symlink("there.npy", path("soft.npy"));
  std::filesystem::create_hard_link(path("there.npy"), path("hard.npy"));
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"r.npy", "r.npy"},        {"r.npy", "./r.npy"},         {"r.npy", "d/../r.npy"},   {"r.npy", path("r.npy")},
      {"r.npy", "link.npy"},     {"there.npy", "soft.npy"},    {"there.npy", "hard.npy"}, {"hard.npy", "soft.npy"},
      {"./d//r.npy", "d/r.npy"}, {"link.npy", "d/../link.npy"}};
  for (const auto& [a, b] : pairs) {
    expect_same({"rle", "x.npy", "-o", a, "--lengths", b});
    expect_same({"nbody", "--steps", "1", "--trajectory", a, "--checkpoint", b});
  }
  EXPECT_EQ(read("there.npy"), "old");
  expect_same({"nbody", "--steps", "1", "--video", "a.mp4", "--checkpoint", "./a.mp4"});
  EXPECT_EQ(run({"rle", "x.npy", "-o", "/dev/null", "--lengths", "/dev/null"}).status, 0);
  EXPECT_EQ(run({"rle", "x.npy", "-o", "v.npy", "--lengths", "d/v.npy"}).status, 0);
}

TEST_F(outputs, no_input_is_lost) {
  std::filesystem::create_symlink("text.json", path("soft.json"));
  std::filesystem::create_hard_link(path("x.npy"), path("hard.npy"));
  ASSERT_EQ(run({"nbody", "--scene", "figure-eight", "--steps", "1", "--trajectory", "s.npy", "--checkpoint", "c.npy"})
                .status,
            0);
  const std::string before = read("x.npy"), text = read("text.json");
  expect_same({"report", "bench.json", "-o", "./bench.json"});
  expect_same({"rle", "x.npy", "-o", "v.npy", "--lengths", "hard.npy"});
  expect_same({"rle", "--decode", "x.npy", "--lengths", "f.npy", "-o", "./f.npy"});
  expect_same({"select", "x.npy", "--flags", "f.npy", "-o", "./f.npy"});
  expect_same({"histogram", "x.npy", "-o", "hard.npy"});
  expect_same({"histogram", "x.npy", "--weights", "f.npy", "-o", "f.npy"});
  expect_same({"range-count", "x.npy", "0,1", "-o", "hard.npy"});
  expect_same({"convolve", "x.npy", "--mask", "f.npy", "-o", "./f.npy"});
  expect_same({"recurrence", "x.npy", "--factor", "hard.npy", "-o", "./x.npy"});
  expect_same({"lex", "text.json", "--grammar", "json", "-o", "soft.json"});
  expect_same({"nbody", "--scene", "./s.npy", "--trajectory", "s.npy"});
  expect_same({"nbody", "--scene", "./s.npy", "--checkpoint", "s.npy"});
  expect_same({"nbody", "--resume", "c.npy", "--trajectory", "./c.npy"});
  EXPECT_EQ(read("x.npy"), before);
  EXPECT_EQ(read("text.json"), text);
  // Documented uses: elements into their own file, a run into its own checkpoint.
  EXPECT_EQ(run({"sort", "x.npy", "-o", "./x.npy"}).status, 0);
  EXPECT_EQ(run({"nbody", "--resume", "c.npy", "--steps", "1", "--checkpoint", "./c.npy"}).status, 0);
}

TEST_F(outputs, nothing_is_left_of_a_command_that_was_killed) {
  for (const bool replaces : {false, true}) {
    if (replaces) write("y.raw", "old");
    const auto before = files();
    const int status = ended_at_work(SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    // Where the file system has no nameless files, the next command clears it away.
    ASSERT_EQ(run({"scan", "x.npy", "-o", "z.npy"}).status, 0);
    std::filesystem::remove(path("z.npy"));
    EXPECT_EQ(files(), before);
    if (replaces) {
      EXPECT_EQ(read("y.raw"), "old");
    }
  }
}

TEST_F(outputs, what_a_dead_process_left_is_cleared) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  const std::string dead = "y.npy.upsweep-" + std::to_string(child) + "-0",
                    alive = "y.npy.upsweep-" + std::to_string(getpid()) + "-0", other = "y.npy.upsweep-notes";
  for (const std::string& name : {dead, alive, other}) write(name, "x");
  ASSERT_EQ(run({"sort", "x.npy", "-o", "y.npy"}).status, 0);
  EXPECT_FALSE(exists(dead));
  EXPECT_TRUE(exists(alive));
  EXPECT_TRUE(exists(other));
}

TEST_F(outputs, names_may_be_as_long_as_the_system_has_them) {
  for (const std::size_t length : {200u, 240u, 252u, 253u, 254u, 255u})
    for (int turn = 0; turn < 2; ++turn) {  // and once more over an existing file
      const std::string name = std::string(length - 4, 'y') + ".npy";
      const ran r = run({"sort", "x.npy", "-o", name});
      EXPECT_EQ(r.status, 0) << length << r.err;
      EXPECT_EQ(read_npy<double>(name), (std::vector<double>{1, 2, 3, 3}));
    }
  expect_refusal({"sort", "x.npy", "-o", std::string(252, 'y') + ".npy"}, {"name too long"});
}

TEST_F(outputs, a_link_that_leads_nowhere_is_followed) {
  std::filesystem::create_directory(path("d"));
  std::filesystem::create_symlink("d/second", path("first"));
  std::filesystem::create_symlink("y.npy", path("d/second"));
  std::filesystem::create_symlink("nowhere/y.npy", path("lost"));
  std::filesystem::create_symlink("round", path("round"));
  ASSERT_EQ(run({"sort", "x.npy", "--output-format", "npy", "-o", "first"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("d/second")));
  EXPECT_EQ(read_npy<double>("d/y.npy"), (std::vector<double>{1, 2, 3, 3}));
  expect_refusal({"sort", "x.npy", "-o", "lost"}, {"lost", "No such file"});
  expect_refusal({"sort", "x.npy", "-o", "round"}, {"round"});
}

TEST_F(outputs, a_file_that_may_not_grow_is_one_sentence) {
  std::string csv = "a,b\n";
  for (int i = 0; i < 20000; ++i) csv += std::to_string(i) + ",text\n";
  write("t.csv", csv);
  write_npy("big.npy", std::vector<double>(20000, 1.5));
  for (const std::string line :
       {"scan big.npy -o y.npy", "scan big.npy -o y.csv", "sort t.csv --by a -o y.csv",
        "sort big.npy --argsort -o y.raw", "lex t.csv --grammar csv --tokens -o y.txt", "image test-picture y.ppm",
        "image test-picture --size 2000x2000 y.png", "nbody --scene plummer --bodies 2000 --steps 5 --trajectory y.h5",
        "nbody --scene plummer --bodies 2000 --steps 5 --trajectory y.npy",
        "nbody --scene plummer --bodies 2000 --steps 5 --trajectory y.json",
        "nbody --scene plummer --bodies 2000 --steps 1 --checkpoint y.ckpt"}) {
    const auto before = files();
    const ran r = shell("ulimit -f 8; $upsweep " + line);  // 4 KiB
    if (r.err.find("is off in this build") != std::string::npos) continue;
    EXPECT_EQ(r.status, 1) << line << r.err;
    EXPECT_NE(r.err.find("File too large"), std::string::npos) << line << ": " << r.err;
    EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << line << ": " << r.err;
    EXPECT_EQ(files(), before) << line;
  }
}

TEST_F(outputs, what_could_not_be_printed_is_no_success) {
  write("t.csv", "a,b\n1,2\n");
  write("u.csv", "a,b\n1,3\n");
  for (const std::string line : {"",
                                 "--version",
                                 "--help",
                                 "sort --help",
                                 "help sort",
                                 "devices",
                                 "devices --json",
                                 "list",
                                 "list --json scan",
                                 "reduce x.npy",
                                 "reduce x.npy --json",
                                 "scan x.npy -o -",
                                 "sort x.npy --output-format csv",
                                 "sort t.csv --by a",
                                 "select x.npy --where 'x > 1' --count",
                                 "select t.csv --where 'a > 0'",
                                 "unique x.npy --count",
                                 "rle x.npy --output-format csv",
                                 "histogram x.npy",
                                 "range-count x.npy 0,1",
                                 "range-count x.npy 0,1 --json",
                                 "cmp t.csv u.csv",
                                 "lex text.json --grammar json",
                                 "lex text.json --grammar json --tokens",
                                 "recurrence x.npy --factor 1 --output-format csv",
                                 "convolve x.npy --mask 1 --output-format csv",
                                 "image test-picture t.ppm --json",
                                 "nbody --scene figure-eight --steps 1",

                                 "check reduce/sequential --quick --max-n 100 --device cpu",
                                 "bench reduce --sizes 2^10 --type u32 --repeats 1 --modes hot --device cpu --quick"}) {
    const ran full = shell("$upsweep " + line + " > /dev/full");
    EXPECT_NE(full.status, 0) << line;
    EXPECT_NE(full.err.find("standard output"), std::string::npos) << line << ": " << full.err;
    const ran closed = shell("$upsweep " + line + " >&-");
    EXPECT_NE(closed.status, 0) << line;
  }
  // A closed standard output is not the first file that is opened.
  shell("$upsweep sort x.npy -o y.npy >&-");
  EXPECT_EQ(read_npy<double>("y.npy"), (std::vector<double>{1, 2, 3, 3}));
}

}  // namespace
