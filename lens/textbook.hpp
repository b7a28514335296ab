// The sources of the textbook variants, embedded in the command, which shows their lines next to the steps.
#pragma once

namespace upsweep::lens {

struct textbook_file {
  const char *name, *text;  // from the repository's root, as a place's path has it
};
extern const textbook_file textbook_files[];  // the last has no name

}  // namespace upsweep::lens
