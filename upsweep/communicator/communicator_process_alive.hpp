// Whether another process still runs, where that can be known.
#pragma once

#include <cstdint>
#include <type_traits>

namespace upsweep {

// A process: its number, and data that tell it from a later process of the same number.
struct running_process {
  std::uint64_t number = 0, began = 0;  // began: its start time in ticks of the system clock
  std::uint64_t host = 0;               // identifies this boot of the system, and its PID namespace
};
static_assert(std::is_trivially_copyable_v<running_process>);

running_process this_process();

// False where it no longer runs: it has ended, or is a zombie that its parent has not waited for. True where it runs,
// and where that cannot be seen from here: on another host, or in another PID namespace.
bool is_there(const running_process&);

}  // namespace upsweep
