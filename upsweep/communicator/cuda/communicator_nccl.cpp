#include "upsweep/communicator/cuda/communicator_nccl.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "upsweep/communicator/communicator_gpu_transport.hpp"
#include "upsweep/communicator/cuda/communicator_side_stream.hpp"

namespace upsweep {

namespace cuda {

const nccl_calls* nccl() {
  static const nccl_calls* const found = []() -> const nccl_calls* {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static nccl_calls calls;
    bool all = true;
    const auto look_up = [&]<class F>(F& call, const char* name) {
      call = reinterpret_cast<F>(dlsym(library, name));
      all = all && call;
    };
    look_up(calls.get_version, "ncclGetVersion"), look_up(calls.get_unique_id, "ncclGetUniqueId");
    look_up(calls.comm_init, "ncclCommInitRankConfig"), look_up(calls.comm_finalize, "ncclCommFinalize");
    look_up(calls.comm_destroy, "ncclCommDestroy"), look_up(calls.comm_abort, "ncclCommAbort");
    look_up(calls.async_error, "ncclCommGetAsyncError");
    look_up(calls.send, "ncclSend"), look_up(calls.receive, "ncclRecv");
    look_up(calls.group_start, "ncclGroupStart"), look_up(calls.group_end, "ncclGroupEnd");
    look_up(calls.error_text, "ncclGetErrorString");
    return all ? &calls : nullptr;
  }();
  return found;
}

namespace {

class nccl_link final : public gpu_link {
 public:
  nccl_link(device& d, const nccl_id& id, int rank, int size, std::function<void()> look)
      : device_(d), beside_(d), rank_(rank), size_(size), look_(std::move(look)) {
    device_.make_current();
    nccl_config config;
    sure(nccl()->comm_init(&comm_, size, id, rank, &config), "joining");
    wait_for([] { return true; }, "joining");
  }
  ~nccl_link() override {
    if (!comm_) return;
    beside_.drain();
    try {
      sure(nccl()->comm_finalize(comm_), "leaving");
      wait_for([] { return true; }, "leaving");
      nccl()->comm_destroy(comm_);
    } catch (const error&) {
      // The link has been aborted.
    }
  }

  std::vector<std::shared_ptr<moment>> all_to_all(std::span<const moved_memory> what, std::span<const share> sent,
                                                  std::span<const share> received) override {
    if (!comm_)
      throw message_route::ended(fault::device_failure, "NCCL", "the link between the GPUs was closed",
                                 "start the processes again");
    device_.make_current();
    if (const auto before = device_.record()) beside_.on().wait_for(*before);
    const auto ranks = static_cast<std::size_t>(size_), me = static_cast<std::size_t>(rank_);
    std::vector<std::shared_ptr<moment>> came;
    for (std::size_t s = 0; s < sent.size() / ranks; ++s) {
      const std::size_t row = s * ranks;
      for (const moved_memory& w : what)
        if (const share &from = sent[row + me], &to = received[row + me]; to.count)
          beside_.on().copy(w.to.plus_bytes(to.first * w.bytes), w.from.plus_bytes(from.first * w.bytes),
                            to.count * w.bytes);
      sure(nccl()->group_start(), "sending");
      // A failure within a group of NCCL calls ends the link only after the group's end: no later link of this thread
      // may begin inside the group.
      auto first_wrong = nccl_result::success;
      const auto take = [&](nccl_result answer) {
        if (first_wrong == nccl_result::success && answer != nccl_result::in_progress) first_wrong = answer;
      };
      for (std::size_t shift = 1; shift < ranks; ++shift) {
        const std::size_t next = (me + shift) % ranks, before = (me + ranks - shift) % ranks;
        for (const moved_memory& w : what) {
          if (const share& out = sent[row + next]; out.count && first_wrong == nccl_result::success)
            take(nccl()->send(w.from.plus_bytes(out.first * w.bytes).address(), out.count * w.bytes, nccl_bytes,
                              static_cast<int>(next), comm_, beside_.on().stream()));
          if (const share& in = received[row + before]; in.count && first_wrong == nccl_result::success)
            take(nccl()->receive(w.to.plus_bytes(in.first * w.bytes).address(), in.count * w.bytes, nccl_bytes,
                                 static_cast<int>(before), comm_, beside_.on().stream()));
        }
      }
      take(nccl()->group_end());
      sure(first_wrong, "sending");
      wait_for([] { return true; }, "sending");  // waits until it is enqueued
      came.push_back(beside_.on().record());
    }
    under_way_ = came.empty() ? nullptr : came.back();
    return came;
  }

  void settle() override {
    if (const auto last = std::exchange(under_way_, nullptr); last && comm_)
      wait_for([&] { return last->passed(); }, "exchanging elements");
  }

  // Ends copies in progress, so that work enqueued after them on the stream continues.
  void abandon() override {
    if (const auto gone = std::exchange(comm_, nullptr)) nccl()->comm_abort(gone);
  }

 private:
  [[noreturn]] void give_up(const std::string& what, const char* doing) {
    abandon();
    throw message_route::ended(fault::device_failure, "NCCL", std::string(doing) + ": " + what,
                               "check that all processes are running; NCCL_DEBUG=WARN reports details");
  }
  void sure(nccl_result answer, const char* doing) {
    if (answer != nccl_result::success && answer != nccl_result::in_progress)
      give_up(nccl()->error_text(answer), doing);
  }
  // Waits until NCCL has processed all calls, and `done` returns true.
  template <class Done>
  void wait_for(const Done& done, const char* doing) {
    const auto start = std::chrono::steady_clock::now();
    for (int asked = 0;; ++asked) {
      auto state = nccl_result::success;
      sure(nccl()->async_error(comm_, &state), doing);
      sure(state, doing);
      if (state == nccl_result::success && done()) return;
      if (asked < 2000) continue;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      try {
        look_();
      } catch (...) {
        abandon();
        throw;
      }
      if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > patience)
        give_up("it has not ended after " + std::to_string(static_cast<int>(patience)) + " seconds", doing);
    }
  }

  device& device_;
  side_stream beside_;
  int rank_, size_;
  std::function<void()> look_;
  nccl_comm comm_ = nullptr;
  std::shared_ptr<moment> under_way_;
};

int version_found() {
  int version = 0;
  if (!nccl() || nccl()->get_version(&version) != nccl_result::success) return 0;
  return version;
}

}  // namespace

}  // namespace cuda

linkable described_for_link(device& d, bool names_link) {
  linkable mine;
  if (d.kind() != backend::cuda || cuda::version_found() < 21400) return mine;
  cudaDeviceProp p;
  cuda::check(cudaGetDeviceProperties(&p, cuda::of(d).index()), "cuda");
  static_assert(sizeof p.uuid == sizeof mine.gpu && sizeof(cuda::nccl_id) == sizeof mine.name);
  std::memcpy(mine.gpu.data(), &p.uuid, sizeof p.uuid);
  if (names_link) {
    cuda::nccl_id id;
    if (cuda::nccl()->get_unique_id(&id) != cuda::nccl_result::success) return mine;
    std::memcpy(mine.name.data(), id.bytes, sizeof id.bytes);
  }
  mine.by_nccl = true;
  return mine;
}

std::unique_ptr<gpu_link> linked(device& d, const linkable& first, int rank, int size, std::function<void()> look) {
  cuda::nccl_id id;
  std::memcpy(id.bytes, first.name.data(), sizeof id.bytes);
  try {
    return std::make_unique<cuda::nccl_link>(cuda::of(d), id, rank, size, std::move(look));
  } catch (const error&) {
    return nullptr;
  }
}

nccl_listing nccl_found() {
  const int version = cuda::version_found();
  if (version == 0) return {false, "libnccl.so.2 was not found"};
  const std::string text =
      std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
  if (version < 21400) return {false, "libnccl.so.2 has version " + text + ", and 2.14 is needed"};
  return {true, text};
}

}  // namespace upsweep
