// The files of page/, inside the program.
#pragma once

struct nbody_page_part {
  const char *name, *text;
};
extern const nbody_page_part nbody_page_parts[];  // the last has no name
