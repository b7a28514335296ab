// The subcommands. Each adds itself to the app and runs in its callback. A failure is an upsweep::error, which
// run_command() prints as one sentence; a command that has printed its failure throws `CLI::RuntimeError(1)`.
#pragma once

namespace CLI {
class App;
}

// Runs the command; returns its exit status.
int run_command(int argc, char** argv);

// Adds the textbook variants to the catalog if this build has them.
void open_textbook();

void add_tour(CLI::App&);
void add_devices(CLI::App&);
void add_list(CLI::App&);
void add_cache(CLI::App&);
void add_reduce(CLI::App&);
void add_scan(CLI::App&);
void add_sort(CLI::App&);
void add_select(CLI::App&);
void add_unique(CLI::App&);
void add_rle(CLI::App&);
void add_group(CLI::App&);
void add_histogram(CLI::App&);
void add_range_count(CLI::App&);
void add_convolve(CLI::App&);
void add_image(CLI::App&);
void add_recurrence(CLI::App&);
void add_lex(CLI::App&);
void add_compare(CLI::App&);
void add_nbody(CLI::App&);
void add_check(CLI::App&);
void add_bench(CLI::App&);
void add_report(CLI::App&);
void add_lens(CLI::App&);
