// The player's script and style, which are compiled into the command; the site uses the same files.
#pragma once

namespace lens_player {

struct part {
  const char *name, *text;
};
extern const part parts[];  // the last has no name

}  // namespace lens_player
