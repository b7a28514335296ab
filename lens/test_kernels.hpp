// What the lens's tests share: kernels of their own, run on a machine of their own.
#pragma once

#include <gtest/gtest.h>

#include "lens/cuda.hpp"
#include "upsweep/cuda/textbook_definitions.cuh"

namespace upsweep::lens {

// Global memory whose elements are 0, 1, 2, …
template <class T>
pointer<T> counting(machine& m, std::string name, std::size_t n) {
  memory_block& block = m.global_memory(std::move(name), n, layout<T>::size, layout<T>::traced);
  for (std::size_t i = 0; i < n; ++i) block.put<T>(i, static_cast<T>(i));
  return {&block, 0};
}
template <class T>
pointer<T> unwritten(machine& m, std::string name, std::size_t n) {
  return {&m.global_memory(std::move(name), n, layout<T>::size, layout<T>::traced), 0};
}
template <class T>
T value(pointer<T> p, std::size_t i) {
  return p.memory().template get<T>(i);
}

inline std::size_t found(const machine& m, fault_kind what) {
  std::size_t times = 0;
  for (const finding& f : m.findings()) times += f.what == what;
  return times;
}
inline std::string said(const machine& m) {
  std::string all;
  for (const finding& f : m.findings()) all += std::string(name_of(f.what)) + ": " + f.text + "\n";
  return all;
}

}  // namespace upsweep::lens
