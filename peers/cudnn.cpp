// cuDNN's forward convolution, where its library is found when the program runs. Its headers need not be there: the few
// declarations that matter are these.
#include <dlfcn.h>

#include <memory>
#include <string>

#include "peers/peers.hpp"
#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cuda/cuda_device.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::convolve_impl::problem;
using primitive = detail::convolve_impl::primitive;
using prepared = prepared_for<problem>;

using object = void*;                         // a handle or a descriptor
enum : int { nchw = 0, of_floats = 0 };       // CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT
enum : int { turned = 0, as_it_stands = 1 };  // CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION
enum : int { no_tensor_cores = 3 };           // CUDNN_FMA_MATH: products in f32, as ours
struct algorithm_time {                       // cudnnConvolutionFwdAlgoPerf_t
  int algorithm, status;
  float milliseconds;
  std::size_t workspace;
  int determinism, math, reserved[3];
};

struct cudnn_calls {
  std::size_t (*version)();
  int (*create)(object*), (*destroy)(object), (*set_stream)(object, cudaStream_t);
  int (*create_tensor)(object*), (*destroy_tensor)(object);
  int (*set_tensor)(object, int type, int n, int c, int h, int w, int n_stride, int c_stride, int h_stride,
                    int w_stride);
  int (*create_filter)(object*), (*destroy_filter)(object),
      (*set_filter)(object, int type, int order, int k, int c, int h, int w);
  int (*create_convolution)(object*), (*destroy_convolution)(object);
  int (*set_convolution)(object, int pad_h, int pad_w, int step_h, int step_w, int far_h, int far_w, int mode,
                         int type);
  int (*set_math)(object, int);
  int (*find)(object, object x_is, const void* x, object w_is, const void* w, object convolution, object y_is, void* y,
              int wanted, int* found, algorithm_time*, void* workspace, std::size_t bytes);
  int (*forward)(object, const void* alpha, object x_is, const void* x, object w_is, const void* w, object convolution,
                 int algorithm, void* workspace, std::size_t bytes, const void* beta, object y_is, void* y);
};

const cudnn_calls* cudnn() {
  static const cudnn_calls* const found = []() -> const cudnn_calls* {
    void* library = nullptr;
    for (const char* name : {"libcudnn.so.9", "libcudnn.so.8"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return nullptr;
    static cudnn_calls calls;
    bool all = true;
    const auto look_up = [&]<class F>(F& call, const char* name) {
      call = reinterpret_cast<F>(dlsym(library, name));
      all = all && call;
    };
    look_up(calls.version, "cudnnGetVersion");
    look_up(calls.create, "cudnnCreate"), look_up(calls.destroy, "cudnnDestroy"),
        look_up(calls.set_stream, "cudnnSetStream");
    look_up(calls.create_tensor, "cudnnCreateTensorDescriptor"),
        look_up(calls.destroy_tensor, "cudnnDestroyTensorDescriptor");
    look_up(calls.set_tensor, "cudnnSetTensor4dDescriptorEx");
    look_up(calls.create_filter, "cudnnCreateFilterDescriptor"),
        look_up(calls.destroy_filter, "cudnnDestroyFilterDescriptor");
    look_up(calls.set_filter, "cudnnSetFilter4dDescriptor");
    look_up(calls.create_convolution, "cudnnCreateConvolutionDescriptor");
    look_up(calls.destroy_convolution, "cudnnDestroyConvolutionDescriptor");
    look_up(calls.set_convolution, "cudnnSetConvolution2dDescriptor"),
        look_up(calls.set_math, "cudnnSetConvolutionMathType");
    look_up(calls.find, "cudnnFindConvolutionForwardAlgorithmEx"), look_up(calls.forward, "cudnnConvolutionForward");
    return all ? &calls : nullptr;
  }();
  return found;
}

void require(int status, const char* call) {
  if (status != 0)
    throw error(fault::device_failure, call, "cuDNN's status " + std::to_string(status), "leave this peer out");
}

// One channel of f32 under an odd mask about its middle; it pads with zeros, and knows no other border. Its strides are
// ints.
bool takes(const problem& p) {
  return cudnn() && p.type == dtype::f32 && p.mask_type == dtype::f32 && p.out_type == dtype::f32 &&
         p.edge == border::zero && p.channels == 1 && p.size.z == 1 && p.mask.z == 1 && p.mask.x % 2 == 1 &&
         p.mask.y % 2 == 1 && p.anchor == extent{p.mask.x / 2, p.mask.y / 2, 0} && p.n < (1u << 31);
}

// Descriptors of one problem's shape, and the algorithm that was the fastest for it.
class forward_call {
 public:
  forward_call(cuda::device& d, const problem& p) : calls_(*cudnn()) {
    const auto g = detail::convolve_impl::geometry_of(p);
    const auto whole = [](std::uint64_t x) { return static_cast<int>(x); };
    const int width = whole(g.in.x), height = whole(g.in.y), mask_x = whole(g.mask.x), mask_y = whole(g.mask.y);
    make(handle_, calls_.create(&handle_.is), calls_.destroy, "cudnnCreate");
    require(calls_.set_stream(handle_.is, d.stream()), "cudnnSetStream");
    make(in_, calls_.create_tensor(&in_.is), calls_.destroy_tensor, "cudnnCreateTensorDescriptor");
    make(out_, calls_.create_tensor(&out_.is), calls_.destroy_tensor, "cudnnCreateTensorDescriptor");
    make(mask_, calls_.create_filter(&mask_.is), calls_.destroy_filter, "cudnnCreateFilterDescriptor");
    make(how_, calls_.create_convolution(&how_.is), calls_.destroy_convolution, "cudnnCreateConvolutionDescriptor");
    const auto lay_out = [&](object tensor, std::uint64_t pitch) {
      const int slice = whole(pitch * g.in.y);
      require(calls_.set_tensor(tensor, of_floats, 1, 1, height, width, slice, slice, whole(pitch), 1),
              "cudnnSetTensor4dDescriptorEx");
    };
    lay_out(in_.is, g.in_pitch), lay_out(out_.is, g.out_pitch);
    require(calls_.set_filter(mask_.is, of_floats, nchw, 1, 1, mask_y, mask_x), "cudnnSetFilter4dDescriptor");
    require(calls_.set_convolution(how_.is, mask_y / 2, mask_x / 2, 1, 1, 1, 1, p.flipped ? turned : as_it_stands,
                                   of_floats),
            "cudnnSetConvolution2dDescriptor");
    require(calls_.set_math(how_.is, no_tensor_cores), "cudnnSetConvolutionMathType");
    bytes_ = std::min<std::uint64_t>(d.free_memory() / 4, std::uint64_t{8} << 30);
    workspace_ = d.scratch("peers/cudnn", bytes_).as<unsigned char>();
    choose(p);
  }
  forward_call(const forward_call&) = delete;
  forward_call& operator=(const forward_call&) = delete;

  void operator()(const problem& p) const {
    const float one = 1, zero = 0;
    require(calls_.forward(handle_.is, &one, in_.is, p.in.as<const float>(), mask_.is, p.in2.as<const float>(), how_.is,
                           algorithm_, workspace_, bytes_, &zero, out_.is, p.out.as<float>()),
            "cudnnConvolutionForward");
  }

 private:
  struct owned {
    object is = nullptr;
    int (*destroy)(object) = nullptr;
    owned() = default;
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned() {
      if (destroy) destroy(is);
    }
  };
  static void make(owned& o, int status, int (*destroy)(object), const char* call) {
    require(status, call);
    o.destroy = destroy;
  }

  // By its own measurement of all it has, the fastest first.
  void choose(const problem& p) {
    algorithm_time all[8] = {};
    int found = 0;
    require(calls_.find(handle_.is, in_.is, p.in.as<const float>(), mask_.is, p.in2.as<const float>(), how_.is, out_.is,
                        p.out.as<float>(), 8, &found, all, workspace_, bytes_),
            "cudnnFindConvolutionForwardAlgorithmEx");
    if (found == 0)
      throw error(fault::device_failure, "cuDNN", "it has no algorithm for this shape", "leave this peer out");
    require(all[0].status, "cudnnFindConvolutionForwardAlgorithmEx");
    algorithm_ = all[0].algorithm;
  }

  const cudnn_calls& calls_;
  owned handle_, in_, out_, mask_, how_;
  unsigned char* workspace_ = nullptr;
  std::uint64_t bytes_ = 0;
  int algorithm_ = 0;
};

prepared prepare(device& any, const problem& p) {
  cuda::device& d = cuda::of(any);
  d.make_current();
  const auto call = std::make_shared<const forward_call>(d, p);
  return [call](const problem& p) { (*call)(p); };
}

}  // namespace

void add_cudnn(std::vector<peer>& list, std::vector<std::string>& absent) {
  if (!cudnn()) {
    absent.push_back("cuDNN: libcudnn was not found");
    return;
  }
  const std::size_t v = cudnn()->version();
  list.push_back(peer_for<problem>{
      "cudnn",
      "cuDNN " + std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100),
      "its fastest forward algorithm by its own measurement, without tensor cores", backend::cuda, primitive::convolve,
      takes, prepare});
}

}  // namespace upsweep::peers
