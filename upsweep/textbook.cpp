#include "upsweep/textbook.hpp"

#include <mutex>

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
  static std::once_flag opened;
  std::call_once(opened, [] {
#define UPSWEEP_ROOM(name) add_to_catalog(name##_room::rungs());
    UPSWEEP_TEXTBOOKS(UPSWEEP_ROOM)
#undef UPSWEEP_ROOM
  });
}

}  // namespace upsweep
