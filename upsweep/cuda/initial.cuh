// What a fold begins with: a value that the call was given, or an element of device memory that is read as it runs.
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
