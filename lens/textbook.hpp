// The rungs' sources, which travel inside the command: what draws their steps shows their lines.
#pragma once

namespace upsweep::lens {

struct textbook_file {
  const char *name, *text;  // from the repository's root, as a place's path has it
};
extern const textbook_file textbook_files[];  // the last has no name

}  // namespace upsweep::lens
