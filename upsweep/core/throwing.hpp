// Templates of the headers throw and catch through functions of the library, because a caller's file may be compiled
// without exceptions. core::throw_error of upsweep/error.hpp is one more of them.
#pragma once

#include <type_traits>

namespace upsweep::core {

[[noreturn]] void throw_bad_alloc();

// False where call(with) threw std::bad_alloc. Other exceptions pass.
bool has_memory_for(void (*call)(void*), void* with);
template <class Call>
bool has_memory_for(Call&& call) {
  return core::has_memory_for([](void* f) { (*static_cast<std::remove_reference_t<Call>*>(f))(); }, &call);
}

}  // namespace upsweep::core
