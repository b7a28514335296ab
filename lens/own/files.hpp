// The headers and sources that a program of the user's is compiled with, which travel inside the command.
#pragma once

namespace upsweep::lens::own {

struct embedded_file {
  const char *name, *text;
};
extern const embedded_file embedded_files[];  // the last has no name

}  // namespace upsweep::lens::own
