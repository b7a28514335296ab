#include "cli/commands.hpp"
#include "upsweep/driver_probe.hpp"

int main(int argc, char** argv) {
  upsweep::probe_drivers_by_this_program(argc, argv);
  return run_command(argc, argv);
}
