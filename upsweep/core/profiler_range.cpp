#include "upsweep/core/profiler_range.hpp"

#if UPSWEEP_WITH_NVTX
#include <nvtx3/nvToolsExt.h>

#include <string>
#endif

namespace upsweep::core {

#if UPSWEEP_WITH_NVTX

namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t upsweep = nvtxDomainCreateA("upsweep");  // null if no profiler is attached
  return upsweep;
}

}  // namespace

bool begin_range(std::string_view name) {
  if (!domain()) return false;
  const std::string text = "upsweep::" + std::string(name);
  nvtxEventAttributes_t range{};
  range.version = NVTX_VERSION;
  range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  range.messageType = NVTX_MESSAGE_TYPE_ASCII;
  range.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain(), &range);
  return true;
}

void end_range() { nvtxDomainRangePop(domain()); }

#else

bool begin_range(std::string_view) { return false; }
void end_range() {}

#endif

}  // namespace upsweep::core
