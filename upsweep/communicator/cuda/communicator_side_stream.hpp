// A stream separate from the device's own, for copies that overlap with the device's work.
#pragma once

#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::cuda {

class side_stream {
 public:
  explicit side_stream(const device& d) : stream_(made(d)), device_(d, {.stream = stream_.get()}) {}
  ~side_stream() { drain(); }

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
