// The command `upsweep`: data-parallel primitives on files, and the bench, the checks and the tour of the library.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "cli/process/answer.hpp"
#include "cli/process/complaint.hpp"
#include "cli/process/help.hpp"
#include "cli/report/provenance.hpp"

namespace {

// Where a standard stream is closed, the first file opened would take its place and what is printed would go there.
void keep_standard_streams() {
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) std::_Exit(failed);
}

// Memory that runs out where nothing may be thrown, in a function that is noexcept or on another thread, is no defect:
// it is said as elsewhere. Nor is a thread that one of oneTBB's threads could not start. Anything else that comes here
// is one, and aborts.
[[noreturn]] void terminated() {
  static std::atomic_flag said;
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&e);
    if (memory || out_of_threads(e)) {
      while (said.test_and_set()) pause();  // another thread says it, and ends all
      memory ? complain_of_memory(failed) : complain(sentence_about(e), failed);
      std::fflush(stderr);
      std::_Exit(failed);
    }
  } catch (...) {
  }
  std::abort();
}

// An empty word is a script's variable that was never set. What is wrong, or nothing.
std::string empty_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], before = i > 1 ? argv[i - 1] : "";
    const bool assigned = word.starts_with("--") && word.ends_with('=');
    if (word == "--") break;
    if (!word.empty() && !assigned) continue;
    if (!assigned && !before.starts_with("-"))
      return fmt::format("word {} of the command line is empty; leave it out, or give what belongs there", i);
    return (assigned ? word.substr(0, word.size() - 1) : before) + ": its value is empty; leave it out, or give one";
  }
  return "";
}

// Every command has --json; some have one of their own that can do more.
void add_json(CLI::App& app, const std::string& name) {
  const auto below = app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
  for (CLI::App* sub : below) add_json(*sub, (name.empty() ? "" : name + " ") + sub->get_name());
  if (!below.empty() || app.get_name() == "help" || app.get_option_no_throw("--json")) return;
  app.add_flag_callback(
      "--json", [name] { answer::want(name); },
      "Print the answer as one JSON object; what is said for people goes to standard error");
}

// Every command, its options and its help.
void describe(CLI::App& app) {
  app.set_version_flag("--version", upsweep_version());
  app.require_subcommand(0, 1);
  app.footer(
      "Examples:\n"
      "  upsweep devices                                what this machine has, and what is off\n"
      "  upsweep reduce prices.npy --op maximum         one value\n"
      "  upsweep scan prices.npy -o running.npy         running sums, as numpy.cumsum\n"
      "  upsweep scan t.csv --column price -o out.csv   one column of a table\n"
      "  upsweep sort t.csv --by price -o sorted.csv    whole rows, of a file of any length\n"
      "  upsweep select t.csv --where 'price > 100'     the rows that meet a condition\n"
      "  upsweep group t.csv --by city --sum price      one row for each city\n"
      "  upsweep histogram x.npy --bins 20              bars in the terminal, or counts in a file\n"
      "  upsweep nbody --scene collision --view         galaxies that meet, live in a browser\n"
      "  upsweep list                                   every algorithm, with its source and its costs\n"
      "`upsweep help COMMAND` explains each command.");
  add_tour(app);
  add_devices(app);
  add_list(app);
  add_cache(app);
  add_reduce(app);
  add_scan(app);
  add_sort(app);
  add_select(app);
  add_unique(app);
  add_rle(app);
  add_group(app);
  add_histogram(app);
  add_range_count(app);
  add_convolve(app);
  add_image(app);
  add_recurrence(app);
  add_lex(app);
  add_compare(app);
  add_nbody(app);
  add_check(app);
  add_bench(app);
  add_report(app);
  add_lens(app);
  add_help(app);
  for (const char* name : {"reduce", "scan", "sort", "select", "unique", "rle", "group", "histogram", "range-count",
                           "convolve", "image", "recurrence", "lex", "cmp", "nbody"})
    app.get_subcommand(name)->group("Work on files");
  for (const char* name : {"tour", "devices", "list", "cache", "check", "bench", "report", "lens", "help"})
    app.get_subcommand(name)->group("The library itself");
  add_json(app, "");
  set_help(app);
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    if (const std::string wrong = empty_word(argc, argv); !wrong.empty()) return complain(wrong, failed);
    app.parse(argc, argv);
    if (argc == 1) fmt::print("{}", app.help());
    answer::finish();
    return 0;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return 0;
  } catch (const CLI::RuntimeError& said) {  // a command that has reported its failure itself
    answer::finish();
    return said.get_exit_code();
  } catch (const CLI::ParseError& wrong) {
    return complain(sentence_about(wrong, app), misused);
  }
}

}  // namespace

int run_command(int argc, char** argv) try {
  keep_standard_streams();
  std::set_terminate(terminated);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  int status = failed;
  try {
    open_textbook();
    CLI::App app(
        "Reduce, scan, sort, select, count, convolve, and bodies that attract each other, on multicore CPUs, CUDA GPUs "
        "and OpenCL devices; every published algorithm by name.",
        "upsweep");
    describe(app);
    status = run(app, argc, argv);
  } catch (const std::exception& e) {
    status = complain(sentence_about(e), failed);
  }
  // What was printed may be lost only now, when the buffer goes out, or was lost on the way.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && status == 0)
    return complain(std::string("standard output: cannot write it: ") + std::strerror(errno), failed);
  return status;
} catch (const std::bad_alloc&) {  // of the sentence
  return complain_of_memory(failed);
}
