// The standard's headers that device source has under NVRTC (upsweep/cuda/jit/jit_standard_headers.cuh); here they are the
// compiler's own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
