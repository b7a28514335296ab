// driver_probe: queries the drivers of CUDA and OpenCL in a child process before the program calls them. A driver that
// aborts, crashes or hangs there is off for the program, which goes on with the other devices.
//
//   upsweep::probe_drivers();
//   for (const auto& d : upsweep::list_devices()) std::cout << d.name << ": " << d.description << '\n';
//   auto any = upsweep::context::best();
//
// Call it before the first call that looks for devices: the result of a probe is kept as long as the process runs. Such
// a device is listed as off, with the signal and the last words of its driver, and opening it throws fault::no_device.
//
// Child process  A program cannot be forked safely once it has threads, so the child executes a program of its own:
//                upsweep-probe, installed in lib/upsweep. It is found next to the library or to the program, in
//                upsweep/, ../upsweep/ or ../lib/upsweep/ from there, or under the name in UPSWEEP_PROBE_PROGRAM. A
//                program whose main() begins with probe_drivers_by_this_program(argc, argv) needs no such file. The
//                command upsweep is one. The child inherits no descriptors, and is killed if its parent ends.
// Cost           The start of a driver, once more: a few milliseconds without one, some tenths of a second with PoCL.
//
// UPSWEEP_PROBE_DRIVERS    1: as if every program called probe_drivers(); 0: no program probes, not even the command
// UPSWEEP_PROBE_SECONDS    the time after which a driver counts as hanging and its process is killed; default: 8
#pragma once

#include <string>

namespace upsweep {

// Returns the reason if no child process can be started for want of a program; drivers are then called directly.
// Otherwise returns an empty string.
std::string probe_drivers(bool on = true);

// As probe_drivers(), with the running program as the program of the child process, which ends inside this call. Make
// it the first statement of main(). Output of a driver during queries goes to standard error, also in the parent.
void probe_drivers_by_this_program(int argc, char** argv);

}  // namespace upsweep
