// What tests on a CUDA GPU share: they are skipped where there is none; streams, and work recorded in graphs.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/devices.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::tests {

struct on_cuda : testing::Test {
  void SetUp() override {
    const auto names = device_names();
    if (std::find(names.begin(), names.end(), "cuda:0") == names.end()) GTEST_SKIP() << "there is no CUDA GPU";
  }
};

// A stream of the test's own; contexts on it go first.
class cuda_stream {
 public:
  cuda_stream() {
    cuda::check(cudaSetDevice(0), "a stream");  // of the device that the tests' contexts are on, whichever was last
    cuda::check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "a stream");
  }
  cuda_stream(const cuda_stream&) = delete;
  cuda_stream& operator=(const cuda_stream&) = delete;
  ~cuda_stream() { cudaStreamDestroy(handle_); }
  cudaStream_t handle() const { return handle_; }

 private:
  cudaStream_t handle_{};
};

// What `enqueue` puts on a stream, to be run again and again. It has waited for nothing: a wait inside a capture is an
// error.
class recording {
 public:
  template <class Enqueue>
  recording(const cuda_stream& stream, const Enqueue& enqueue,
            cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal)
      : recording(stream.handle()) {
    cuda::check(cudaStreamBeginCapture(stream_, mode), "begin capture");
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph_);
      cudaGetLastError();
      throw;
    }
    cuda::check(cudaStreamEndCapture(stream_, &graph_), "end capture");
    cuda::check(cudaGraphInstantiate(&ready_, graph_, 0), "instantiate");
  }
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  ~recording() {
    if (ready_) cudaGraphExecDestroy(ready_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  // ... and waits for its end.
  void run() const {
    launch(stream_);
    cuda::check(cudaStreamSynchronize(stream_), "synchronize");
  }
  void launch(cudaStream_t stream) const { cuda::check(cudaGraphLaunch(ready_, stream), "launch"); }
  // How many of the graph's nodes allocate or free memory.
  std::size_t memory_nodes() const {
    std::size_t count = 0, found = 0;
    cuda::check(cudaGraphGetNodes(graph_, nullptr, &count), "nodes");
    std::vector<cudaGraphNode_t> nodes(count);
    cuda::check(cudaGraphGetNodes(graph_, nodes.data(), &count), "nodes");
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      cuda::check(cudaGraphNodeGetType(node, &type), "nodes");
      found += type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree;
    }
    return found;
  }

 private:
  explicit recording(cudaStream_t stream) : stream_(stream) {}

  cudaStream_t stream_{};
  cudaGraph_t graph_{};
  cudaGraphExec_t ready_{};
};

}  // namespace upsweep::tests
