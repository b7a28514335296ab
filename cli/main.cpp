// The command `upsweep`: data-parallel primitives on files, and the bench, the checks and the tour of the library.
#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "cli/report/provenance.hpp"
#include "upsweep/error.hpp"

namespace {

constexpr int failed = 1, misused = 2;

int complain(const std::string& sentence, int status) {
  std::string line = sentence;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (std::size_t at; (at = line.find('\n')) != std::string::npos;) line.replace(at, 1, "; ");
  fmt::print(stderr, "upsweep: {}\n", line);
  return status;
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    if (argc == 1) fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::RuntimeError& said) {  // a command that has reported its failure itself
    return said.get_exit_code();
  } catch (const CLI::ParseError& wrong) {
    std::string where = "upsweep";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      where += " " + at->get_name();
    }
    return complain(std::string(wrong.what()) + " (see `" + where + " --help`)", misused);
  } catch (const upsweep::error& e) {
    return complain(e.what(), failed);
  } catch (const std::bad_alloc&) {
    return complain("the host is out of memory", failed);
  } catch (const std::exception& e) {
    return complain(e.what(), failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_textbook();
  CLI::App app(
      "Reduce, scan, sort, select, count, convolve, and bodies that attract each other, on multicore CPUs, CUDA GPUs "
      "and OpenCL devices; every published algorithm by name.",
      "upsweep");
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
      "`upsweep COMMAND --help` explains each command.");
  add_tour(app);
  add_devices(app);
  add_list(app);
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
  for (const char* name : {"reduce", "scan", "sort", "select", "unique", "rle", "group", "histogram", "range-count",
                           "convolve", "image", "recurrence", "lex", "cmp", "nbody"})
    app.get_subcommand(name)->group("Work on files");
  for (const char* name : {"tour", "devices", "list", "check", "bench", "report", "lens"})
    app.get_subcommand(name)->group("The library itself");
  const int status = run(app, argc, argv);
  // What was printed may be lost only now, when the buffer goes out.
  if (std::fflush(stdout) != 0 && status == 0)
    return complain(std::string("standard output: cannot write it: ") + std::strerror(errno), failed);
  return status;
}
