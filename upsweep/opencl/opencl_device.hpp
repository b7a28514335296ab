// An OpenCL device: its memory, an in-order queue, its programs (built once each), and a clock made of events.
//
// A memory's base is a cl_mem and its offset counts bytes; kernels take the cl_mem and the offset in elements:
//
//   const loaded_kernel k = d.kernel({"opencl/operators.cl", "reduce/opencl/reduce_opencl.cl"},
//                                    "-D TYPE_f32 -D OP_plus", "fold_chunks");
//   d.launch(k, groups, 128, operand{p.in, 4}, operand{p.out, 4}, cl_ulong(p.n));
//   // kernel void fold_chunks(global const T* in, ulong in_at, global T* out, ulong out_at, ulong n)
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/core/expression_literals.hpp"
#include "upsweep/core/recently_used.hpp"

namespace upsweep::opencl {

// Two kernel arguments: the cl_mem, and the position of the first element in it.
struct operand {
  memory where;
  std::size_t element_bytes;
};

// One kernel argument by value whose type is known only at run time.
struct value {
  const void* bytes;
  std::size_t size;
};

// Kernel arguments whose number is known only at run time, in their order.
using argument_list = std::vector<std::variant<operand, value>>;

// A kernel, and the literals of its user's expressions, which are its last arguments. It stays valid when the device
// drops its program.
struct loaded_kernel {
  cl::Kernel kernel;
  std::vector<core::literal> literals;
};

class device final : public upsweep::device {
 public:
  device(cl::Device hardware, int index);
  device(const device& opened, const stream_and_memory&);
  ~device() override;

  std::string name() const override { return "opencl:" + std::to_string(index_); }
  std::string description() const override { return description_; }
  std::uint64_t total_memory() const override { return total_; }
  // OpenCL does not report free memory: this is the device's memory minus the memory that this context holds.
  std::uint64_t free_memory() const override {
    const std::uint64_t held = shared_->held, free = held < total_ ? total_ - held : 0;
    return given().resource ? (std::min)(free, free_in_resource()) : free;
  }

  memory allocate(std::uint64_t bytes) override;
  void deallocate(memory) noexcept override;
  void upload(memory to, const void* from, std::uint64_t bytes) override;
  void download(void* to, memory from, std::uint64_t bytes) override;
  void copy(memory to, memory from, std::uint64_t bytes) override;
  void fill(memory to, unsigned char byte, std::uint64_t bytes) override;
  void synchronize() override;
  std::shared_ptr<moment> record() override;
  void wait_for(moment&) override;
  // The time from the start of the first to the end of the last command that `enqueue` enqueued.
  double seconds(const std::function<void()>& enqueue) override;

  // A kernel of the program that consists of `before` and then `files`, built with `options`, once per device.
  // Literals of expressions in `before` (core/expression_literals.hpp) are the kernel's last arguments, which launch()
  // sets: sources that differ only in literals share one program and its kernels. Of the programs with a `before`, the
  // device keeps the code_cache::most_programs() most recently used ones.
  loaded_kernel kernel(std::initializer_list<std::string_view> files, std::string_view options, std::string_view name,
                       std::string_view before = {}) const;

  template <class... Args>
  void launch(const loaded_kernel& k, std::uint64_t groups, std::uint64_t group_size, const Args&... args) {
    const std::scoped_lock held(shared_->guard);  // a kernel's arguments are the kernel's, whoever sets them
    cl::Kernel its = k.kernel;
    cl_uint at = 0;
    (set(its, at, args), ...);
    for (const core::literal& l : k.literals) set(its, at, value{l.bytes, core::size_of(l.type)});
    enqueue(its, groups, group_size);
  }

  // Selects the tuning. With UPSWEEP_OPENCL_AS_GPU in the environment, a CPU runs the kernels of GPUs. With
  // UPSWEEP_OPENCL_AS_CPU, Oclgrind runs the kernels of CPUs.
  bool is_cpu() const { return is_cpu_ && !as_gpu_; }
  // The size of the widest vectors in a CPU's kernels.
  int vector_bytes() const { return vector_bytes_; }
  bool is_nvidia() const { return is_nvidia_; }
  // Whether kernels may use opencl/warp.cl: the device is NVIDIA's and its driver accepts PTX. The driver is queried
  // once. With UPSWEEP_OPENCL_PORTABLE in the environment, such a device runs the portable kernels.
  bool speaks_ptx() const;
  int compute_units() const { return compute_units_; }
  std::uint64_t max_group_size() const { return max_group_size_; }
  std::uint64_t local_memory() const { return local_memory_; }
  // 64-bit atomics in global memory, with which look-back publishes a value and its tag in one word.
  bool has_int64_atomics() const { return has_int64_atomics_; }
  // Whether a work-group that has begun continues to run whatever the others do, so that one may wait for another
  // that has begun. CPU runtimes run a work-group on one thread of the system; for GPUs the vendor decides.
  bool begun_groups_progress() const { return begun_groups_progress_; }
  // Whether volatile 64-bit loads (stores) of global memory are not torn and reach other compute units, like atomic
  // ones. On a CPU atomics do the stores, since they also order later accesses.
  bool volatile_reads() const { return volatile_writes_ || is_cpu_; }
  bool volatile_writes() const { return volatile_writes_; }

  // A number that no earlier launch on this device has used: tags written under another one are stale. Never 0.
  std::uint32_t next_epoch();

 private:
  // State shared by the queues of one OpenCL context.
  struct in_context {
    ~in_context();
    std::recursive_mutex guard;  // of all below, and of setting a kernel's arguments and enqueuing it
    std::uint32_t epoch = 0;
    struct program {
      cl::Program built;
      bool refused = false;                                 // with literals as arguments
      std::unordered_map<std::string, cl::Kernel> kernels;  // by name
    };
    std::unordered_map<std::string, program> of_library;  // as many as the library has sources and options
    core::recently_used<program> of_users;
    std::unordered_map<void*, std::uint64_t> allocated;
    std::atomic<std::uint64_t> held{0};
    std::optional<bool> speaks_ptx;
  };

  std::shared_ptr<upsweep::device> make_with(const stream_and_memory&) override;
  cl::Program build(const std::string& where, const std::string& whole, std::string_view options, bool users) const;
  std::uint64_t free_in_resource() const;
  memory piece_of_resource(std::uint64_t bytes);
  void copy_bytes(memory to, memory from, std::uint64_t bytes);

  void set(cl::Kernel& k, cl_uint& at, const operand& o);
  void set(cl::Kernel& k, cl_uint& at, const value& v);
  void set(cl::Kernel& k, cl_uint& at, const argument_list& all) {
    for (const auto& one : all) std::visit([&](const auto& a) { set(k, at, a); }, one);
  }
  template <class T>
  void set(cl::Kernel& k, cl_uint& at, const T& plain) {
    static_assert(std::is_arithmetic_v<T>,
                  "upsweep: kernel arguments are operands, values and numbers of a fixed width");
    set(k, at, value{&plain, sizeof plain});
  }
  void enqueue(cl::Kernel& k, std::uint64_t groups, std::uint64_t group_size);
  // Throws for memory of another OpenCL context, or of no OpenCL device.
  cl::Buffer buffer_of(memory) const;
  cl::Event* timed();  // where the next command's event goes while seconds() listens

  cl::Device hardware_;
  cl::Context context_;
  cl::CommandQueue queue_;
  int index_;
  std::string description_;
  std::uint64_t total_ = 0, max_allocation_ = 0, max_group_size_ = 0, local_memory_ = 0;
  int compute_units_ = 1, vector_bytes_ = 64;
  bool is_cpu_ = false, as_gpu_ = false, is_nvidia_ = false, is_simulator_ = false, has_int64_atomics_ = false;
  bool begun_groups_progress_ = false, volatile_writes_ = false, takes_turns_ = false, unoptimised_ = false;
  std::shared_ptr<in_context> shared_ = std::make_shared<in_context>();
  std::unordered_map<void*, memory> pieces_;  // of a resource: the memory that each sub-buffer was created from
  std::vector<cl::Event> events_;
  bool timing_ = false;
};

// The OpenCL device behind a device of kind backend::opencl.
inline device& of(upsweep::device& d) { return static_cast<device&>(d); }
inline const device& of(const upsweep::device& d) { return static_cast<const device&>(d); }

std::shared_ptr<upsweep::device> open_device(int index);
std::vector<int> gpus();  // their indices
void list_devices(std::vector<device_listing>&);

}  // namespace upsweep::opencl
