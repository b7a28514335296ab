#include "upsweep/textbook.hpp"

#include <utility>
#include <vector>

#include "upsweep/core/catalog.hpp"
#include "upsweep/core/rooms.hpp"

namespace upsweep {

#define UPSWEEP_ROOM(name)        \
  namespace name##_room {         \
    std::vector<variant> rungs(); \
  }
UPSWEEP_TEXTBOOKS(UPSWEEP_ROOM)
#undef UPSWEEP_ROOM

void textbook::open() {
  // All rooms or none. Not std::call_once: where no memory is left, glibc ends the process at what is thrown there.
  static const bool opened = [] {
    std::vector<variant> all;
#define UPSWEEP_ROOM(name) \
  for (variant & v : name##_room::rungs()) all.push_back(std::move(v));
    UPSWEEP_TEXTBOOKS(UPSWEEP_ROOM)
#undef UPSWEEP_ROOM
    add_to_catalog(std::move(all));
    return true;
  }();
  static_cast<void>(opened);
}

}  // namespace upsweep
