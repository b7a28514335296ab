// Whether another process is still there, where that can be known.
#pragma once

#include <cstdint>
#include <type_traits>

namespace upsweep {

// A process by its number, and by what no later one of that number shares with it.
struct running_process {
  std::uint64_t number = 0, began = 0;  // began: in the system's ticks since it started
  std::uint64_t host = 0;               // of this start of the system, and of its space of numbers
};
static_assert(std::is_trivially_copyable_v<running_process>);

running_process this_process();

// False where it runs no more: it has ended, or is only waiting for whoever started it to ask how. True where it runs,
// and where that cannot be seen from here: on another host, or in another space of numbers.
bool is_there(const running_process&);

}  // namespace upsweep
