// Help within 100 columns for every command, with its exit status.
#pragma once

namespace CLI {
class App;
}

constexpr int help_columns = 100;

// Call it after all commands are added.
void set_help(CLI::App&);
// `upsweep help`, `upsweep help sort`, `upsweep help image gaussian`.
void add_help(CLI::App&);
