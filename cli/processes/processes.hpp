// A command's work by the members of a group: by the processes that mpirun started, a slice of the file each, or by the
// devices that --device lists.
//
// MPI is a library of its own beside the command, loaded where mpirun's words are in the environment: linked, it would
// cost every start a tenth of a second.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/io/elements.hpp"
#include "cli/options.hpp"
#include "upsweep/group/members.hpp"

// The devices of a member's calls, by name.
struct command_group {
  upsweep::group all;
  std::vector<std::string> names;  // of this process's members

  // The options with the member's own device.
  device_options of(const device_options&, const upsweep::member&) const;
  bool speaks() const { return all.first() == 0; }  // one process does
};

// Nothing where one process works with one device. `variant` is refused: each member chooses its own.
std::optional<command_group> group_asked_for(const device_options&);

// The member's even slice of the source is all that it reads from now on; returns where it begins.
std::uint64_t take_slice(element_source&, const upsweep::member&);

// Every byte of a file, written by all members, each at its place; it appears whole or not at all.
class shared_output {
 public:
  // The first member opens it beside its place and claims the disk, the others find it by the name it has until then.
  shared_output(const upsweep::member&, const output_options&, const element_source&, upsweep::dtype, bool truth,
                std::uint64_t elements);
  ~shared_output();
  shared_output(const shared_output&) = delete;
  shared_output& operator=(const shared_output&) = delete;

  void write(std::uint64_t element, const void* from, std::uint64_t n);
  // All have written: it takes its place.
  void commit();

 private:
  void write_bytes(std::uint64_t at, const void* from, std::uint64_t bytes) const;

  const upsweep::member& m_;
  std::string path_;
  std::unique_ptr<class whole_file> file_;                  // the first member's
  std::unique_ptr<class unfinished_name> name_until_then_;  // of another process's file
  int fd_ = -1;
  std::uint64_t size_, begins_ = 0;
};
