#include "upsweep/cuda/graph_memory.hpp"

#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

namespace {

cudaError_t captured_graph(cudaStream_t captured, cudaGraph_t& graph) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  return cudaStreamGetCaptureInfo(captured, &status, &id, &graph);
}

}  // namespace

void keep_with_graph(cudaStream_t captured, std::shared_ptr<const void> what) {
  const char* const where = "cuda: giving code to a graph";
  cudaGraph_t graph{};
  check(captured_graph(captured, graph), where);
  using held = std::shared_ptr<const void>;
  auto it = std::make_unique<held>(std::move(what));
  cudaUserObject_t claim{};
  check(cudaUserObjectCreate(
            &claim, it.get(), [](void* at) { delete static_cast<held*>(at); }, 1, cudaUserObjectNoDestructorSync),
        where);
  it.release();  // the user object's from here on
  const cudaError_t refused = cudaGraphRetainUserObject(graph, claim, 1, cudaGraphUserObjectMove);
  if (refused != cudaSuccess) cudaUserObjectRelease(claim, 1);
  check(refused, where);
}

graph_memory& graph_memory::of(int gpu) {
  // Never destroyed: graphs may be destroyed after all static objects.
  static std::mutex& lock = *new std::mutex;
  static auto& all = *new std::unordered_map<int, std::unique_ptr<graph_memory>>;
  const std::scoped_lock held(lock);
  std::unique_ptr<graph_memory>& its = all[gpu];
  if (!its) its.reset(new graph_memory(gpu));
  return *its;
}

graph_memory::graph_memory(int gpu) : gpu_(gpu) {
  const outside_of_captures guard;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cuda");
  most_idle_ = total / 16;
}

void graph_memory::give_back(void* it) {
  owned* const block = static_cast<owned*>(it);
  graph_memory& home = *block->home;
  const std::scoped_lock held(home.lock_);
  home.held_ -= block->bytes;
  home.idle_bytes_ += block->bytes;
  block->next = std::exchange(home.idle_, block);
}

std::uint64_t graph_memory::free_idle(bool all) noexcept {
  std::uint64_t freed = 0;
  for (;;) {
    owned* last = nullptr;
    {
      const std::scoped_lock held(lock_);
      if (!idle_ || (!all && idle_bytes_ <= most_idle_)) return freed;
      last = std::exchange(idle_, idle_->next);
      idle_bytes_ -= last->bytes;
    }
    const outside_of_captures guard;
    if (cudaFree(last->base) != cudaSuccess) cudaGetLastError();
    freed += last->bytes;
    delete last;
  }
}

std::uint64_t graph_memory::held() const {
  const std::scoped_lock held(lock_);
  return held_ + idle_bytes_;
}

// The smallest idle block that is large enough and at most half wasted; otherwise new memory.
void* graph_memory::idle_or_new(std::uint64_t bytes, std::uint64_t& has) {
  {
    const std::scoped_lock held(lock_);
    owned** best = nullptr;
    for (owned** at = &idle_; *at; at = &(*at)->next)
      if ((*at)->bytes >= bytes && (*at)->bytes / 2 <= bytes && (!best || (*at)->bytes < (*best)->bytes)) best = at;
    if (best) {
      owned* const found = *best;
      *best = found->next;
      idle_bytes_ -= found->bytes;
      has = found->bytes;
      void* const base = found->base;
      delete found;
      return base;
    }
  }
  void* base = nullptr;
  const outside_of_captures guard;
  const cudaError_t status = cudaMalloc(&base, bytes);
  has = bytes;
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "cuda: allocating memory for a graph");
  return base;
}

void graph_memory::enqueue_and_wait(cudaError_t (*what)(void*, const void*, std::size_t, cudaStream_t), void* to,
                                    const void* from, std::uint64_t bytes) {
  const outside_of_captures guard;
  const std::scoped_lock held(helper_lock_);
  if (!helper_) check(cudaStreamCreateWithFlags(&helper_, cudaStreamNonBlocking), "cuda");
  check(what(to, from, bytes, helper_), "cuda: preparing memory for a graph");
  check(cudaStreamSynchronize(helper_), "cuda: preparing memory for a graph");
}

graph_memory::block graph_memory::bound_to(cudaStream_t captured, void* base, std::uint64_t bytes, bool with_claim) {
  const auto give_up = [&](cudaError_t status) {
    const outside_of_captures guard;
    cudaFree(base);
    check(status, "cuda: giving memory to a graph");
  };
  cudaGraph_t graph{};
  if (const cudaError_t asked = captured_graph(captured, graph); asked != cudaSuccess) give_up(asked);
  std::unique_ptr<owned> it(new (std::nothrow) owned{this, base, bytes, nullptr});
  if (!it) give_up(cudaErrorMemoryAllocation);
  block made{base, {}};
  cudaUserObject_t claim{};
  if (const cudaError_t refused =
          cudaUserObjectCreate(&claim, it.get(), &give_back, with_claim ? 2 : 1, cudaUserObjectNoDestructorSync);
      refused != cudaSuccess)
    give_up(refused);
  {
    const std::scoped_lock held(lock_);
    held_ += bytes;
  }
  it.release();  // the user object's from here on
  if (const cudaError_t refused = cudaGraphRetainUserObject(graph, claim, 1, cudaGraphUserObjectMove);
      refused != cudaSuccess) {
    cudaUserObjectRelease(claim, with_claim ? 2 : 1);  // the block is idle now
    check(refused, "cuda: giving memory to a graph");
  }
  if (with_claim) made.claim = claim;
  return made;
}

graph_memory::block graph_memory::take(cudaStream_t captured, std::uint64_t bytes, bool zeroed, bool with_claim) {
  std::uint64_t has = 0;
  void* const base = idle_or_new(bytes, has);
  if (!base) return {};
  const block made = bound_to(captured, base, has, with_claim);
  if (zeroed)
    enqueue_and_wait([](void* to, const void*, std::size_t n, cudaStream_t s) { return cudaMemsetAsync(to, 0, n, s); },
                     base, nullptr, bytes);
  return made;
}

graph_memory::block graph_memory::take(cudaStream_t captured, std::span<const std::byte> contents) {
  std::uint64_t has = 0;
  void* const base = idle_or_new(contents.size(), has);
  if (!base) return {};
  const block made = bound_to(captured, base, has, false);
  enqueue_and_wait([](void* to, const void* from, std::size_t n,
                      cudaStream_t s) { return cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, s); },
                   base, contents.data(), contents.size());
  return made;
}

}  // namespace upsweep::cuda
