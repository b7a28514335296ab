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
#include "cli/process/help.hpp"
#include "cli/process/report_error.hpp"
#include "cli/report/provenance.hpp"

namespace {

// Where a standard stream is closed, the first file opened would take its place and what is printed would go there.
void keep_standard_streams() {
  for (int fd = 0; fd < 3; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) std::_Exit(failed);
}

// Running out of memory in a noexcept function or on another thread is not a defect and is reported as elsewhere; so is
// a thread that oneTBB could not start. Any other exception here is a defect and aborts.
[[noreturn]] void terminated() {
  static std::atomic_flag said;
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    const bool memory = dynamic_cast<const std::bad_alloc*>(&e);
    if (memory || out_of_threads(e)) {
      while (said.test_and_set()) pause();  // another thread says it, and ends all
      memory ? report_out_of_memory(failed) : report_error(error_sentence(e), failed);
      std::fflush(stderr);
      std::_Exit(failed);
    }
  } catch (...) {
  }
  std::abort();
}

// An empty argument is usually a script variable that was not set. Returns the error, or an empty string.
std::string empty_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], before = i > 1 ? argv[i - 1] : "";
    const bool assigned = word.starts_with("--") && word.ends_with('=');
    if (word == "--") break;
    if (!word.empty() && !assigned) continue;
    if (!assigned && !before.starts_with("-"))
      return fmt::format("argument {} of the command line is empty; leave it out, or give a value", i);
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
      "--json", [name] { answer::want(name); }, "Print the result as one JSON object; messages go to standard error");
}

// Every command, its options and its help.
void describe(CLI::App& app) {
  app.set_version_flag("--version", upsweep_version());
  app.require_subcommand(0, 1);
  app.footer(
      "Examples:\n"
      "  upsweep devices                                list the devices of this machine\n"
      "  upsweep reduce prices.npy --op maximum         print one value\n"
      "  upsweep scan prices.npy -o running.npy         running sums, as numpy.cumsum\n"
      "  upsweep scan t.csv --column price -o out.csv   one column of a table\n"
      "  upsweep sort t.csv --by price -o sorted.csv    sort rows of a file of any length\n"
      "  upsweep select t.csv --where 'price > 100'     rows that meet a condition\n"
      "  upsweep group t.csv --by city --sum price      one row for each city\n"
      "  upsweep histogram x.npy --bins 20              bars in the terminal, or counts in a file\n"
      "  upsweep nbody --scene collision --view         simulate colliding galaxies, shown in a browser\n"
      "  upsweep list                                   list all variants, with source and costs\n"
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
    if (const std::string wrong = empty_word(argc, argv); !wrong.empty()) return report_error(wrong, failed);
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
    return report_error(error_sentence(wrong, app), misused);
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
        "Parallel reduce, scan, sort, select, histogram, convolution and n-body on multicore CPUs, CUDA GPUs and "
        "OpenCL devices; each published algorithm can be selected by name.",
        "upsweep");
    describe(app);
    status = run(app, argc, argv);
  } catch (const std::exception& e) {
    status = report_error(error_sentence(e), failed);
  }
  // Output may be lost when the buffer is flushed here, or was lost before.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && status == 0)
    return report_error(std::string("standard output: cannot write it: ") + std::strerror(errno), failed);
  return status;
} catch (const std::bad_alloc&) {  // of the sentence
  return report_out_of_memory(failed);
}
