// Runs a command on the ranks of a communicator: on the processes started by mpirun, each with a slice of the file, or
// on the devices of --device.
//
// MPI support is a separate library that is loaded only if mpirun's environment variables are set; linked, it would add
// a tenth of a second to every start.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/io/elements.hpp"
#include "cli/options.hpp"
#include "upsweep/communicator/communicator_ranks.hpp"

// The devices of a rank's calls, by name.
struct command_group {
  upsweep::communicator all;
  std::vector<std::string> names;  // of this process's ranks

  // The options with the rank's own device.
  device_options of(const device_options&, const upsweep::communicator_rank&) const;
  bool speaks() const { return all.first() == 0; }  // true for one process
};

// std::nullopt for one process with one device. Throws if `variant` is given: each rank selects its own.
std::optional<command_group> group_asked_for(const device_options&);

// Limits the source to the rank's even slice; returns the index of its first element.
std::uint64_t take_slice(element_source&, const upsweep::communicator_rank&);

// A file written by all ranks, each at its own position, atomically.
class shared_output {
 public:
  // The first rank creates the file with a temporary name and reserves the disk space; the others open it by that name.
  shared_output(const upsweep::communicator_rank&, const output_options&, const element_source&, upsweep::dtype,
                bool truth, std::uint64_t elements);
  ~shared_output();
  shared_output(const shared_output&) = delete;
  shared_output& operator=(const shared_output&) = delete;

  void write(std::uint64_t element, const void* from, std::uint64_t n);
  // All ranks have written: gives the file its name.
  void commit();

 private:
  void write_bytes(std::uint64_t at, const void* from, std::uint64_t bytes) const;

  const upsweep::communicator_rank& m_;
  std::string path_;
  std::unique_ptr<class whole_file> file_;                  // the first rank's
  std::unique_ptr<class unfinished_name> name_until_then_;  // of another process's file
  int fd_ = -1;
  std::uint64_t size_, begins_ = 0;
};
