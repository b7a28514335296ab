// Small tables of the host's that calls on device memory read: masks, weights. They stay on the device from call to
// call, so that calls like the last one do not wait.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "upsweep/core/device.hpp"

namespace upsweep::core {

// The bytes in scratch of the calling thread's that nothing else writes, by a name of their own. Sent, and waited for,
// where that thread's last ones of that name on that device were others.
memory kept_on(device&, std::string_view name, std::span<const std::byte> bytes);

}  // namespace upsweep::core
