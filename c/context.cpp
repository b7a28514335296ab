// Errors, devices, contexts and their memory.
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "c/call.hpp"
#include "upsweep/cancellation.hpp"
#include "upsweep/context.hpp"
#include "upsweep/core/host_limits.hpp"

using namespace upsweep;
using c::call;
using c::guarded;

namespace {

constexpr int types = static_cast<int>(all_dtypes.size());
thread_local char last_message[1024] = "";
thread_local std::optional<cancellation_scope> cancellation;

void keep(const char* message) noexcept { std::snprintf(last_message, sizeof last_message, "%s", message); }

// With the limit that left no memory, where the sentence still finds some.
void keep_lack_of_memory() noexcept {
  constexpr std::uint64_t little = std::uint64_t{64} << 20;  // what is left where a limit was the reason
  try {
    keep(("host memory ran out" + core::said_of_host_limit(little) + "; give the call less").c_str());
  } catch (...) {
    keep("host memory ran out; give the call less");
  }
}

template <std::size_t Capacity>
void write_text(char (&to)[Capacity], const std::string& text) {
  std::snprintf(to, Capacity, "%s", text.c_str());
}

upsweep_context* opened(context where) {
  std::string name = where.name();
  return new upsweep_context{std::move(where), std::move(name)};
}

}  // namespace

namespace upsweep::c {

upsweep_status failed() noexcept {
  try {
    throw;
  } catch (const error& e) {
    keep(e.what());
    switch (e.why()) {
      case fault::bad_argument: return UPSWEEP_BAD_ARGUMENT;
      case fault::unsupported: return UPSWEEP_UNSUPPORTED;
      case fault::no_device: return UPSWEEP_NO_DEVICE;
      case fault::out_of_memory: return UPSWEEP_OUT_OF_MEMORY;
      case fault::device_failure: return UPSWEEP_DEVICE_FAILURE;
    }
    return UPSWEEP_INTERNAL;
  } catch (const operation_cancelled& e) {
    keep(e.what());
    return UPSWEEP_CANCELLED;
  } catch (const std::bad_alloc&) {
    keep_lack_of_memory();
    return UPSWEEP_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    keep(e.what());
    return UPSWEEP_INTERNAL;
  } catch (...) {
    keep("an exception of no known type was thrown; this is a defect of the library");
    return UPSWEEP_INTERNAL;
  }
}

void require_given(const char* call, const char* what, const void* pointer) {
  if (!pointer) throw error(fault::bad_argument, call, std::string(what) + " is null", "give it");
}

namespace {

// What upsweep_allocate gave, by its address or handle, so that a call can refuse memory of another device. Never
// destroyed: programs may release memory while they end.
struct allocated_memory {
  struct block {
    std::uint64_t bytes;
    memory_owner owner;
  };
  std::shared_mutex lock;
  std::map<std::uintptr_t, block> all;
};
allocated_memory& allocated() {
  static allocated_memory* const it = new allocated_memory;
  return *it;
}

void remember(memory m, std::uint64_t bytes) {
  if (!m.base) return;
  const std::unique_lock held(allocated().lock);
  allocated().all[reinterpret_cast<std::uintptr_t>(m.base)] = {bytes, m.owner};
}
void forget(const void* base) {
  const std::unique_lock held(allocated().lock);
  allocated().all.erase(reinterpret_cast<std::uintptr_t>(base));
}

// 0 where upsweep_allocate did not give it. An OpenCL handle is no address, so it is compared whole.
memory_owner owner_of(const void* pointer) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const std::shared_lock held(allocated().lock);
  auto after = allocated().all.upper_bound(at);
  if (after == allocated().all.begin()) return 0;
  const auto& [begin, block] = *--after;
  const bool handle = core::is_owned_by_opencl(block.owner);
  return at == begin || (!handle && at - begin < block.bytes) ? block.owner : 0;
}

}  // namespace

std::uint64_t call::host_bytes(const char* what, const void* pointer, std::uint64_t n, std::uint64_t size) const {
  if (n == 0 || size == 0) return 0;
  if (!pointer)
    throw error(fault::bad_argument, name, std::string(what) + " is null and has " + std::to_string(n) + " elements",
                "give memory of the context's");
  if (n > std::numeric_limits<std::uint64_t>::max() / size)
    throw error(fault::bad_argument, name,
                std::string(what) + " has " + std::to_string(n) + " elements, more than memory can hold",
                "give the number of elements, not of anything else");
  return n * size;
}
std::uint64_t call::bytes(const char* what, const void* pointer, std::uint64_t n, std::uint64_t size) const {
  const std::uint64_t all = host_bytes(what, pointer, n, size);
  if (const memory_owner owner = all ? owner_of(pointer) : 0; !where.device().can_read({nullptr, 0, owner}))
    where.device().refuse(owner, name, what);
  return all;
}

memory call::aside(operand<const std::byte> from, operand<std::byte> to, const char* scratch) const {
  if (from.size() == 0 || from.where().base != to.where().base) return from.where();
  const memory copy = where.device().scratch(scratch, std::max<std::uint64_t>(from.size(), 16));
  where.device().copy(copy, from.where(), from.size());
  return copy;
}

dtype bitwise_type(const char* call, std::uint32_t element_bytes) {
  switch (element_bytes) {
    case 1: return dtype::u8;
    case 2: return dtype::u16;
    case 4: return dtype::u32;
    case 8: return dtype::u64;
    default:
      throw error(fault::unsupported, call, "elements of " + std::to_string(element_bytes) + " bytes do not move",
                  "give elements of 1, 2, 4 or 8 bytes");
  }
}

}  // namespace upsweep::c

const char* upsweep_last_message(void) { return last_message; }
const char* upsweep_version(void) { return UPSWEEP_VERSION; }

upsweep_status upsweep_set_cancel_callback(int (*is_cancelled)(void*), void* data) {
  return guarded([&] {
    cancellation.reset();
    if (is_cancelled) cancellation.emplace([is_cancelled, data] { return is_cancelled(data) != 0; });
  });
}

size_t upsweep_type_bytes(upsweep_type t) { return t < 0 || t >= types ? 0 : size_of(static_cast<dtype>(t)); }
const char* upsweep_type_name(upsweep_type t) {
  return t < 0 || t >= types ? nullptr : name_of(static_cast<dtype>(t)).data();
}

upsweep_status upsweep_devices(upsweep_device* devices, size_t capacity, size_t* count) {
  return guarded([&] {
    c::require_given("upsweep_devices", "the count", count);
    if (capacity) c::require_given("upsweep_devices", "the place for devices", devices);
    const auto all = list_devices();
    *count = all.size();
    for (size_t i = 0; i < std::min(capacity, all.size()); ++i) {
      write_text(devices[i].name, all[i].name), write_text(devices[i].description, all[i].description);
      devices[i].usable = all[i].usable, devices[i].total_memory = all[i].total_memory;
    }
  });
}

upsweep_status upsweep_open(const char* name, upsweep_context** context) {
  return guarded([&] {
    c::require_given("upsweep_open", "the name", name);
    c::require_given("upsweep_open", "the place for the context", context);
    *context = nullptr;
    *context = opened(upsweep::context::named(name).with({.checked_positions = true}));
  });
}
void upsweep_close(upsweep_context* context) { delete context; }

upsweep_status upsweep_with(const upsweep_context* context, const upsweep_options* options, upsweep_context** other) {
  return guarded([&] {
    const call k("upsweep_with", context);
    c::require_given(k.name, "the options", options);
    c::require_given(k.name, "the place for the context", other);
    *other = nullptr;
    if (options->bytes < sizeof(upsweep_options))
      throw error(fault::bad_argument, k.name, "the options' bytes are " + std::to_string(options->bytes),
                  "set them to sizeof(upsweep_options)");
    call_options o;
    if (options->variant) o.variant = options->variant;
    if (options->deterministic) o.deterministic = determinism::across_devices;
    if (options->checked) o.checked = o.checked_positions = options->checked > 0;
    if (options->has_stream) o.stream = options->stream;
    *other = opened(k.where.with(o));
  });
}

const char* upsweep_backend(const upsweep_context* context) {
  return context ? name_of(context->where.kind()).data() : nullptr;
}
const char* upsweep_name(const upsweep_context* context) { return context ? context->name.c_str() : nullptr; }
upsweep_status upsweep_last_algorithm(const upsweep_context* context, char* name, size_t bytes) {
  return guarded([&] {
    const call k("upsweep_last_algorithm", context);
    if (!bytes) return;
    c::require_given(k.name, "the name", name);
    std::snprintf(name, bytes, "%s", std::string(k.where.last_algorithm()).c_str());
  });
}
upsweep_status upsweep_synchronize(const upsweep_context* context) {
  return guarded([&] { call("upsweep_synchronize", context).where.synchronize(); });
}
upsweep_status upsweep_free_memory(const upsweep_context* context, uint64_t* bytes) {
  return guarded([&] {
    const call k("upsweep_free_memory", context);
    c::require_given(k.name, "the place for bytes", bytes);
    *bytes = k.where.free_memory();
  });
}

upsweep_status upsweep_trim(const upsweep_context* context) {
  try {  // not guarded(): in a call the calling thread's own scratch would stay
    call("upsweep_trim", context).where.trim();
    return UPSWEEP_OK;
  } catch (...) {
    return c::failed();
  }
}

upsweep_status upsweep_allocate(const upsweep_context* context, uint64_t bytes, void** memory) {
  return guarded([&] {
    const call k("upsweep_allocate", context);
    c::require_given(k.name, "the place for the memory", memory);
    *memory = nullptr;
    // A base without an offset is what a pointer can stand for.
    const upsweep::memory made = k.where.device().allocate(bytes);
    try {
      c::remember(made, bytes);
    } catch (...) {
      k.where.device().deallocate(made);
      throw;
    }
    *memory = made.base;
  });
}
upsweep_status upsweep_deallocate(const upsweep_context* context, void* memory) {
  return guarded([&] {
    const call k("upsweep_deallocate", context);
    if (!memory) return;
    c::forget(memory);
    k.where.device().deallocate({memory, 0});
  });
}
upsweep_status upsweep_upload(const upsweep_context* context, void* to, const void* host, uint64_t bytes) {
  return guarded([&] {
    const call k("upsweep_upload", context);
    const auto device_range = k.out("the context's memory", to, bytes, 1);
    k.host_bytes("the host memory", host, bytes, 1);
    if (bytes) k.where.device().upload_or_capture(device_range.where(), host, bytes);
  });
}
upsweep_status upsweep_download(const upsweep_context* context, void* host, const void* from, uint64_t bytes) {
  return guarded([&] {
    const call k("upsweep_download", context);
    k.host_bytes("the host memory", host, bytes, 1);
    const auto device_range = k.in("the context's memory", from, bytes, 1);
    if (bytes) k.where.device().download(host, device_range.where(), bytes);
  });
}
