// Caches small host tables (masks, weights) on the device from call to call, so that a call with the same table as the
// call before does not wait for a copy.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "upsweep/core/device.hpp"

namespace upsweep::core {

// The bytes in named scratch of the calling thread that nothing else writes. They are copied, and the call waits for
// the copy, if the thread's last bytes with that name on that device were different.
memory kept_on(device&, std::string_view name, std::span<const std::byte> bytes);

}  // namespace upsweep::core
