// A program of another project that probes drivers: in a process with threads that ignores SIGCHLD and has no standard
// input. Prints why it cannot probe, the devices, and the best one.
#include <unistd.h>
#include <csignal>
#include <iostream>
#include <thread>

#include "upsweep/context.hpp"
#include "upsweep/driver_probe.hpp"

int main(int argc, char**) {
  std::signal(SIGCHLD, SIG_IGN);
  close(0);
  std::thread other([] { pause(); });
  other.detach();
  if (argc == 1) std::cout << upsweep::probe_drivers() << '\n';
  for (const upsweep::device_listing& d : upsweep::list_devices()) std::cout << d.name << ": " << d.description << '\n';
  std::cout << "best: " << upsweep::context::best().name() << std::endl;
  std::_Exit(0);
}
