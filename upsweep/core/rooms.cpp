#include "upsweep/core/rooms.hpp"

#include "upsweep/core/catalog.hpp"

namespace upsweep {

#define UPSWEEP_ROOM(name) \
  namespace name##_room {  \
    room listing();        \
  }
UPSWEEP_ROOMS(UPSWEEP_ROOM)
#undef UPSWEEP_ROOM

const std::vector<room>& rooms() {
#define UPSWEEP_ROOM(name) name##_room::listing(),
  static const std::vector<room> all{UPSWEEP_ROOMS(UPSWEEP_ROOM)};
#undef UPSWEEP_ROOM
  return all;
}

}  // namespace upsweep
