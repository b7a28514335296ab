// The part of NCCL's interface that is used here; libnccl.so.2 is loaded at run time if found. It is declared here, so
// that building the library does not need NCCL; these declarations have been the same since NCCL 2.14.
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>

namespace upsweep::cuda {

struct nccl_id {
  char bytes[128];
};
using nccl_comm = struct ncclComm*;
enum class nccl_result : int { success = 0, in_progress = 7 };
inline constexpr int nccl_bytes = 0;  // ncclInt8
struct nccl_config {
  std::size_t size = sizeof(nccl_config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;  // calls return at once, and ncclCommGetAsyncError reports their state
};

struct nccl_calls {
  nccl_result (*get_version)(int*);
  nccl_result (*get_unique_id)(nccl_id*);
  nccl_result (*comm_init)(nccl_comm*, int size, nccl_id, int rank, nccl_config*);
  nccl_result (*comm_finalize)(nccl_comm);
  nccl_result (*comm_destroy)(nccl_comm);
  nccl_result (*comm_abort)(nccl_comm);
  nccl_result (*async_error)(nccl_comm, nccl_result*);
  nccl_result (*send)(const void*, std::size_t, int type, int peer, nccl_comm, cudaStream_t);
  nccl_result (*receive)(void*, std::size_t, int type, int peer, nccl_comm, cudaStream_t);
  nccl_result (*group_start)();
  nccl_result (*group_end)();
  const char* (*error_text)(nccl_result);
};

// Null where NCCL was not found, or is older than 2.14.
const nccl_calls* nccl();

}  // namespace upsweep::cuda
