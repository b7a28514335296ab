#include "cli/commands.hpp"

int main(int argc, char** argv) { return run_command(argc, argv); }
