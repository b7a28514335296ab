// A stream beside a device's own, for what is under way while the device works.
#pragma once

#include "upsweep/cuda/device.hpp"

namespace upsweep::cuda {

class stream_beside {
 public:
  explicit stream_beside(const device& d) : stream_(made(d)), device_(d, {.stream = stream_.get()}) {}
  ~stream_beside() { drain(); }

  device& on() { return device_; }
  void drain() noexcept {
    cudaSetDevice(device_.index());
    cudaStreamSynchronize(stream_.get());
  }

 private:
  struct destroyed {
    void operator()(cudaStream_t s) const { cudaStreamDestroy(s); }
  };
  using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroyed>;
  static owned_stream made(const device& d) {
    d.make_current();
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "a stream beside the device's own");
    return owned_stream(s);
  }

  owned_stream stream_;
  device device_;
};

}  // namespace upsweep::cuda
