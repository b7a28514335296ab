// Reserves memory for destructors of thread_local variables.
#pragma once

#include <new>

namespace upsweep::core {

// glibc allocates memory to register the destructor of a thread_local variable, and aborts the process if the
// allocation fails. This function allocates and frees that memory first, so that a lack of memory is a std::bad_alloc:
//
//   static thread_local const bool reserved = core::reserve_thread_exit_hook();
//   static thread_local std::vector<float> kept;
inline bool reserve_thread_exit_hook() {
  void* volatile asked = ::operator new(1024);
  ::operator delete(asked);
  return true;
}

}  // namespace upsweep::core
