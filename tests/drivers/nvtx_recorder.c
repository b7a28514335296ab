/* Stands in for a profiler: NVTX loads it through NVTX_INJECTION64_PATH. Writes each range to standard error. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

static int depth;

static nvtxDomainHandle_t NVTX_API create(const char* name) {
  return strcmp(name, "upsweep") == 0 ? (nvtxDomainHandle_t)&depth : NULL;
}
static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
  if (domain == (nvtxDomainHandle_t)&depth) fprintf(stderr, "nvtx: begin %s\n", range->message.ascii);
  return depth++;
}
static int NVTX_API pop(nvtxDomainHandle_t domain) {
  if (domain == (nvtxDomainHandle_t)&depth) fprintf(stderr, "nvtx: end, %d open\n", depth - 1);
  return --depth;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  const NvtxExportTableCallbacks* callbacks = (const NvtxExportTableCallbacks*)table_of(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable functions = NULL;
  unsigned int count = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &count)) return 0;
  if (count <= NVTX_CBID_CORE2_DomainCreateA) return 0;
  *functions[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
  *functions[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
  *functions[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
