// upsweep-probe: the child process of upsweep::probe_drivers() for programs that do not probe by themselves. It makes
// the library's calls to one driver, and answers the process that started it.
#include <cstdio>

#include "upsweep/driver_probe.hpp"

int main(int argc, char** argv) {
  upsweep::probe_drivers_by_this_program(argc, argv);
  std::fputs(
      "upsweep-probe: programs that call upsweep::probe_drivers() start this program; see upsweep/driver_probe.hpp\n",
      stderr);
  return 2;
}
