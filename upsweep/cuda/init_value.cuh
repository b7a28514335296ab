// The initial value of a fold: a value passed to the call, or an element of device memory that is read during the
// call.
#pragma once

namespace upsweep::cuda {

template <class T>
struct initial {
  T value;
  const T* there = nullptr;

  initial(const T& given) : value(given) {}
  initial(const T& nothing, const T* element) : value(nothing), there(element) {}
  __device__ T operator()() const { return there ? *there : value; }
};

}  // namespace upsweep::cuda
