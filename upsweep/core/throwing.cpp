#include "upsweep/core/throwing.hpp"

#include <new>
#include <utility>

#include "upsweep/error.hpp"

namespace upsweep::core {

void throw_error(error&& what) { throw std::move(what); }
void throw_bad_alloc() { throw std::bad_alloc(); }

bool has_memory_for(void (*call)(void*), void* with) {
  try {
    call(with);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

}  // namespace upsweep::core
