// Small tables of the host's that calls on device memory read: masks, weights. They stay on the device from call to
// call, so that calls like the last one do not wait.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "upsweep/core/device.hpp"

namespace upsweep::core {

// The bytes in the calling thread's scratch of that name, which nothing else writes. Sent, and waited for, where that
// thread's last ones of that name on that device were others.
memory kept_on(device&, std::string_view name, std::span<const std::byte> bytes);

}  // namespace upsweep::core
