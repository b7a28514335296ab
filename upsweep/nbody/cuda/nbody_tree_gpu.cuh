// The functions that nbody_cuda_tree.cuh needs apart from its own kernels, on a GPU.
#pragma once

#include "upsweep/nbody/cuda/nbody_cuda_tree.cuh"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::nbody_impl {

// The tree's work on a device: kernels on its stream, and the library's own sort and scan.
struct tree_machine {
  upsweep::cuda::device& device;
  textbook::stream_grid grid;

  template <class T>
  T* scratch(const char* name, std::uint64_t count) {
    return device.scratch(std::string("nbody/tree ") + name, count * sizeof(T)).template as<T>();
  }
  template <class T>
  void download(T* to, const T* from, std::uint64_t count) {
    device.download(to, {const_cast<T*>(from), 0}, count * sizeof(T));
  }
  void sort(std::uint64_t* keys, std::uint32_t* order, std::uint64_t n) {
    detail::sort_impl::problem p;
    p.type = dtype::u64, p.n = n;
    p.in = p.out = {keys, 0}, p.out2 = {order, 0}, p.indices = true, p.value_bytes = sizeof *order;
    detail::sort_impl::run(device, p);
  }
  void scan(std::uint32_t* counts, std::uint64_t n) {
    detail::scan_impl::problem p;
    p.type = dtype::u32, p.op = op_kind::plus, p.n = n;
    p.in = p.out = {counts, 0}, p.init = identity_scalar(op_kind::plus, dtype::u32);
    detail::scan_impl::run(device, p);
  }
  void done(detail::nbody_impl::tree_part part) { detail::nbody_impl::tree_part_done(device, part); }
};

}  // namespace upsweep::detail::nbody_impl
