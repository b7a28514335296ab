// What a thread keeps until it ends.
#pragma once

#include <new>

namespace upsweep::core {

// glibc notes what is to be destroyed with a thread in memory that it asks for, and ends the process where there is
// none. Asked for beforehand, and given back, its lack is a std::bad_alloc as any other's:
//
//   static thread_local const bool room = core::room_for_thread_end();
//   static thread_local std::vector<float> kept;
inline bool room_for_thread_end() {
  void* volatile asked = ::operator new(1024);
  ::operator delete(asked);
  return true;
}

}  // namespace upsweep::core
