#include "upsweep/opencl/opencl_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "upsweep/core/build_log.hpp"
#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/core/driver_query.hpp"
#include "upsweep/memory.hpp"
#include "upsweep/opencl/embedded_sources.hpp"
#include "upsweep/opencl/opencl_expression_literals.hpp"
#include "upsweep/opencl/queue_order.hpp"

namespace upsweep::opencl {

std::string_view source(std::string_view name) {
  for (const embedded_source* s = embedded_sources; s->name; ++s)
    if (name == s->name) return s->source;
  throw error(fault::device_failure, "opencl", "the library holds no OpenCL source " + std::string(name), "rebuild it");
}

namespace {

std::string meaning(cl_int code) {
  switch (code) {
    case CL_OUT_OF_RESOURCES: return "the device is out of resources (code -5)";
    case CL_OUT_OF_HOST_MEMORY: return "the host is out of memory (code -6)";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "the device could not allocate memory (code -4)";
    case CL_DEVICE_NOT_AVAILABLE: return "the device is not available (code -2)";
    case CL_INVALID_WORK_GROUP_SIZE: return "the kernel does not fit a work-group of that size (code -54)";
    default: return "the driver reported code " + std::to_string(code);
  }
}

// Runs `body` and turns an OpenCL exception into the library's own.
template <class Body>
decltype(auto) checked(const std::string& where, Body body) {
  try {
    return body();
  } catch (const cl::Error& e) {
    const bool memory = e.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE || e.err() == CL_OUT_OF_HOST_MEMORY;
    throw error(memory ? fault::out_of_memory : fault::device_failure, where,
                std::string(e.what()) + " failed: " + meaning(e.err()),
                memory ? "work on fewer elements at a time" : "");
  }
}

const core::driver_state& driver() { return core::state_of(core::driver::opencl); }

// All devices of all platforms, in the loader's order, which stays the same from run to run. Numbers that a driver
// reports are not trusted: no vector is made for more devices than a machine has, and no null handle is used.
std::vector<cl::Device> hardware() {
  std::vector<cl::Platform> platforms;
  std::vector<cl::Device> all;
  if (!driver().off.empty()) return all;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return all;  // the loader reports "no platform" as an error
  }
  for (const cl::Platform& p : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(p(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count > 4096) continue;
    std::vector<cl_device_id> here(count, nullptr);
    if (count == 0 || clGetDeviceIDs(p(), CL_DEVICE_TYPE_ALL, count, here.data(), nullptr) != CL_SUCCESS) continue;
    for (cl_device_id d : here) {
      try {
        if (d) all.emplace_back(d, true);
      } catch (const cl::Error&) {
        // A device that cannot be retained is none.
      }
    }
  }
  return all;
}

std::string nothing_there() { return driver().off.empty() ? "no OpenCL platform has a device" : driver().off; }
std::string remedy() {
  return driver().off.empty() ? "install a driver: pocl-opencl-icd for the CPU, or the GPU vendor's" : driver().remedy;
}

// Without control characters, which a terminal would obey.
std::string trimmed(std::string text) {
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, '?');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

device::device(cl::Device chosen, int index)
    : upsweep::device(backend::opencl), hardware_(std::move(chosen)), index_(index) {
  checked(name(), [&] {
    const auto type = hardware_.getInfo<CL_DEVICE_TYPE>();
    const std::string vendor = hardware_.getInfo<CL_DEVICE_VENDOR>();
    const std::string extensions = hardware_.getInfo<CL_DEVICE_EXTENSIONS>();
    const auto has = [](const std::string& text, const char* piece) { return text.find(piece) != std::string::npos; };
    const cl::Platform platform(hardware_.getInfo<CL_DEVICE_PLATFORM>());
    description_ = trimmed(hardware_.getInfo<CL_DEVICE_NAME>()) + ", " + trimmed(platform.getInfo<CL_PLATFORM_NAME>());
    const std::string release = platform.getInfo<CL_PLATFORM_VERSION>();
    takes_turns_ = wants_turns(release);
    unoptimised_ = loses_values(release);
    vector_bytes_ = opencl::vector_bytes(release);
    total_ = hardware_.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
    max_allocation_ = hardware_.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
    max_group_size_ = hardware_.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
    local_memory_ = hardware_.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
    compute_units_ = static_cast<int>(hardware_.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
    if (total_ == 0 || max_group_size_ == 0 || compute_units_ <= 0)
      throw error(fault::no_device, name(),
                  "its driver reports " + std::to_string(total_) + " bytes of memory, " +
                      std::to_string(compute_units_) + " compute units and work-groups of " +
                      std::to_string(max_group_size_) + " items",
                  "update the driver, or use another device");
    has_f64_ = hardware_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
    is_simulator_ = has(description_, "Oclgrind");
    // Oclgrind reports every device type. It is treated as a GPU unless UPSWEEP_OPENCL_AS_CPU is set.
    is_cpu_ = (type & CL_DEVICE_TYPE_CPU) != 0 && (!is_simulator_ || std::getenv("UPSWEEP_OPENCL_AS_CPU") != nullptr);
    as_gpu_ = std::getenv("UPSWEEP_OPENCL_AS_GPU") != nullptr;
    is_nvidia_ = has(vendor, "NVIDIA");
    has_int64_atomics_ = has(extensions, "cl_khr_int64_base_atomics");
    const bool amd = type == CL_DEVICE_TYPE_GPU && (has(vendor, "AMD") || has(vendor, "Advanced Micro Devices"));
    begun_groups_progress_ = is_cpu_ || is_nvidia_ || amd || is_simulator_;
    volatile_writes_ = is_nvidia_ || amd;
    context_ = cl::Context(hardware_);
    owner_ = core::owned_by_opencl(context_());
    queue_ = cl::CommandQueue(context_, hardware_, CL_QUEUE_PROFILING_ENABLE);
  });
}

device::device(const device& opened, const stream_and_memory& given)
    : upsweep::device(backend::opencl, given),
      hardware_(opened.hardware_),
      context_(opened.context_),
      queue_(opened.queue_),
      index_(opened.index_),
      description_(opened.description_),
      total_(opened.total_),
      max_allocation_(opened.max_allocation_),
      max_group_size_(opened.max_group_size_),
      local_memory_(opened.local_memory_),
      compute_units_(opened.compute_units_),
      is_cpu_(opened.is_cpu_),
      as_gpu_(opened.as_gpu_),
      is_nvidia_(opened.is_nvidia_),
      is_simulator_(opened.is_simulator_),
      has_int64_atomics_(opened.has_int64_atomics_),
      begun_groups_progress_(opened.begun_groups_progress_),
      volatile_writes_(opened.volatile_writes_),
      takes_turns_(opened.takes_turns_),
      unoptimised_(opened.unoptimised_),
      shared_(opened.shared_) {
  has_f64_ = opened.has_f64_;
  owner_ = opened.owner_;
  if (!given.stream) return;
  if (!*given.stream) throw error(fault::bad_argument, "context::with", "the queue is null", "give a cl_command_queue");
  checked(name(), [&] {
    queue_ = cl::CommandQueue(static_cast<cl_command_queue>(*given.stream), true);
    if (queue_.getInfo<CL_QUEUE_DEVICE>()() != hardware_())
      throw error(fault::bad_argument, "context::with", "the queue belongs to another device than " + name(),
                  "open the queue's own device");
    if ((queue_.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
      throw error(fault::bad_argument, "context::with", "the queue runs its commands out of order",
                  "give a queue that runs them in order");
    if (const auto its_own = queue_.getInfo<CL_QUEUE_CONTEXT>(); its_own() != context_()) {
      context_ = its_own;
      owner_ = core::owned_by_opencl(context_());
      shared_ = std::make_shared<in_context>();
    }
  });
}

std::shared_ptr<upsweep::device> device::make_with(const stream_and_memory& given) {
  return std::make_shared<device>(*this, given);
}

device::~device() {
  try {
    queue_.finish();
  } catch (const cl::Error&) {
    // A destructor cannot report the error, and commands that the driver lost cannot be waited for.
  }
  if (takes_turns_) leave_turns(queue_);
  release_scratch();
}

memory device::allocate(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (given().resource) return piece_of_resource(bytes);
  cl_int code = CL_SUCCESS;
  const auto attempt = [&]() -> cl_mem {
    code = bytes > free_memory() ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
    return code == CL_SUCCESS ? clCreateBuffer(context_(), CL_MEM_READ_WRITE, bytes, nullptr, &code) : nullptr;
  };
  cl_mem made = attempt();
  if (code != CL_SUCCESS && release_idle_scratch(false) != 0) made = attempt();
  if (code != CL_SUCCESS)
    throw error(fault::out_of_memory, name(),
                std::to_string(bytes) + " bytes were requested and " + std::to_string(free_memory()) +
                    " are free (the device has " + std::to_string(total_) + ", one allocation may have " +
                    std::to_string(max_allocation_) + ", and OpenCL does not report memory of other processes)",
                "work on fewer elements at a time");
  const std::scoped_lock held(shared_->guard);
  shared_->held += bytes;
  shared_->allocated[made] = bytes;
  return {made, 0, owner()};
}

std::uint64_t device::free_in_resource() const { return given().resource->free_bytes(); }

// Returns a sub-buffer, since kernels count offsets in elements. If the device cannot create one there, returns the
// whole buffer with its offset.
memory device::piece_of_resource(std::uint64_t bytes) {
  const memory whole = from_resource(bytes);
  if (whole.offset == 0) return whole;
  const cl_buffer_region region{whole.offset, bytes};
  cl_int code = CL_SUCCESS;
  cl_mem piece = clCreateSubBuffer(static_cast<cl_mem>(whole.base), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (code != CL_SUCCESS) return whole;
  const std::scoped_lock held(shared_->guard);
  pieces_[piece] = whole;
  return {piece, 0, owner()};
}

void device::deallocate(memory m) noexcept {
  const std::scoped_lock held(shared_->guard);
  if (given().resource) {
    if (const auto piece = pieces_.find(m.base); piece != pieces_.end()) {
      const memory whole = piece->second;
      clReleaseMemObject(static_cast<cl_mem>(m.base));
      pieces_.erase(piece);
      return to_resource(whole);
    }
    return to_resource(m);
  }
  const auto it = shared_->allocated.find(m.base);
  if (it == shared_->allocated.end()) return;
  shared_->held -= it->second;
  shared_->allocated.erase(it);
  clReleaseMemObject(static_cast<cl_mem>(m.base));  // the driver keeps it until enqueued work is done with it
}

cl::Buffer device::buffer_of(memory m) const {
  if (!can_read(m)) refuse(m.owner, name(), "the memory");
  return cl::Buffer(static_cast<cl_mem>(m.base), true);
}

// An event costs a command up to ten microseconds, so only the first command gets one.
cl::Event* device::timed() {
  const std::scoped_lock held(shared_->guard);
  if (!timing_) return nullptr;
  events_.emplace_back();
  return events_.size() == 1 ? &events_.front() : nullptr;
}

// A kernel instead of a copy command: the simulator does not track initialised memory across copy commands
// (opencl/copy_bytes.cl).
void device::copy_bytes(memory to, memory from, std::uint64_t bytes) {
  launch(kernel({"opencl/copy_bytes.cl"}, "", "copy_bytes"), (bytes + 255) / 256, 256, operand{from, 1}, operand{to, 1},
         cl_ulong(bytes));
}

void device::upload(memory to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (is_simulator_ && to.offset != 0) {
    const memory beginning = allocate(bytes);
    upload(beginning, from, bytes);
    copy_bytes(to, beginning, bytes);
    synchronize();
    return deallocate(beginning);
  }
  checked(name(), [&] { queue_.enqueueWriteBuffer(buffer_of(to), CL_TRUE, to.offset, bytes, from, nullptr, timed()); });
}

void device::download(void* to, memory from, std::uint64_t bytes) {
  if (bytes == 0) return;
  checked(name(),
          [&] { queue_.enqueueReadBuffer(buffer_of(from), CL_TRUE, from.offset, bytes, to, nullptr, timed()); });
}

void device::copy(memory to, memory from, std::uint64_t bytes) {
  if (bytes == 0 || (to.base == from.base && to.offset == from.offset)) return;
  if (is_simulator_) return copy_bytes(to, from, bytes);
  checked(name(), [&] {
    queue_.enqueueCopyBuffer(buffer_of(from), buffer_of(to), from.offset, to.offset, bytes, nullptr, timed());
  });
}

void device::fill(memory to, unsigned char byte, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (is_simulator_) {  // it takes memory that enqueueFillBuffer filled for uninitialised ever after
    const std::vector<unsigned char> filled(bytes, byte);
    return upload(to, filled.data(), bytes);
  }
  checked(name(), [&] { queue_.enqueueFillBuffer(buffer_of(to), byte, to.offset, bytes, nullptr, timed()); });
}

void device::synchronize() {
  checked(name(), [&] { queue_.finish(); });
}

namespace {

class recorded final : public moment {
 public:
  recorded(std::string device_name, cl::Event its_event)
      : name_(std::move(device_name)), event_(std::move(its_event)) {}
  bool passed() override {
    return checked(name_, [&] {
      const cl_int status = event_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
      if (status < 0) throw cl::Error(status, "the event");
      return status == CL_COMPLETE;
    });
  }
  void wait() override {
    checked(name_, [&] { event_.wait(); });
  }
  const cl::Event& event() const { return event_; }

 private:
  std::string name_;
  cl::Event event_;
};

}  // namespace

std::shared_ptr<moment> device::record() {
  return checked(name(), [&] {
    cl::Event now;
    queue_.enqueueMarkerWithWaitList(nullptr, &now);
    queue_.flush();  // else another queue might wait for what never starts
    return std::make_shared<recorded>(name(), now);
  });
}

void device::wait_for(moment& m) {
  auto* const of_opencl = dynamic_cast<recorded*>(&m);
  checked(name(), [&] {
    if (!of_opencl || of_opencl->event().getInfo<CL_EVENT_CONTEXT>()() != context_()) return m.wait();
    const std::vector<cl::Event> events{of_opencl->event()};
    queue_.enqueueBarrierWithWaitList(&events);
  });
}

double device::seconds(const std::function<void()>& enqueue) {
  synchronize();
  events_.clear();
  timing_ = true;
  const auto start = std::chrono::steady_clock::now();
  try {
    enqueue();
  } catch (...) {
    timing_ = false;
    throw;
  }
  timing_ = false;
  // With more than one command, the time ends at a marker that waits for all of them.
  if (events_.size() > 1) checked(name(), [&] { queue_.enqueueMarkerWithWaitList(nullptr, &events_.back()); });
  synchronize();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  try {
    if (!events_.empty())
      return 1e-9 * static_cast<double>(events_.back().getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                        events_.front().getProfilingInfo<CL_PROFILING_COMMAND_START>());
  } catch (const cl::Error&) {
    // A driver without profiling: uses the host's clock.
  }
  return wall.count();
}

// `users`: the source contains user-defined code.
cl::Program device::build(const std::string& where, const std::string& whole, std::string_view options,
                          bool users) const {
  cl::Program built = checked(where, [&] { return cl::Program(context_, whole); });
  code_cache::note_compilation();
  try {
    const std::string all = std::string("-cl-std=CL1.2 ") + (unoptimised_ ? "-cl-opt-disable " : "");
    built.build(hardware_, (all + std::string(options)).c_str());
  } catch (const cl::Error& e) {
    std::string log;
    if (e.err() == CL_BUILD_PROGRAM_FAILURE) log = built.getBuildInfo<CL_PROGRAM_BUILD_LOG>(hardware_);
    if (const auto theirs = users ? core::complaint_about_source(log, whole) : std::nullopt)
      throw error(fault::bad_argument, this->name() + ", " + theirs->place,
                  "the device's compiler reported errors: " + theirs->message, "write it in OpenCL C");
    throw error(users ? fault::bad_argument : fault::device_failure, where,
                "the device's compiler reported errors: " + (log.empty() ? meaning(e.err()) : core::first_error(log)),
                users ? "check the device source of your types and functions" : "report it with the driver's version");
  }
  return built;
}

device::in_context::~in_context() { code_cache::note_programs(-static_cast<std::int64_t>(of_users.size())); }

loaded_kernel device::kernel(std::initializer_list<std::string_view> files, std::string_view options,
                             std::string_view name, std::string_view before) const {
  const std::scoped_lock held(shared_->guard);
  const std::string where = this->name() + ", kernel " + std::string(name);
  core::hoisted_source own = core::hoist_literals(before);
  const auto program_of_source = [&]() -> in_context::program* {
    std::string key;
    for (std::string_view file : files) (key += file) += ' ';
    ((key += options) += '\n') += own.source;
    for (const core::literal& l : own.literals) (key += '\n') += core::name_of(l.type);
    if (before.empty()) {
      if (const auto it = shared_->of_library.find(key); it != shared_->of_library.end()) return &it->second;
    } else if (in_context::program* const known = shared_->of_users.find(key)) {
      return known->refused ? nullptr : known;
    }
    const std::size_t most = code_cache::most_programs();
    std::string whole = own.source;
    for (std::string_view file : files) (whole += '\n') += source(file);
    // Other characters occur only in comments, and some compilers reject them even there.
    std::replace_if(whole.begin(), whole.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }, '?');
    in_context::program p;
    if (own.literals.empty()) {
      p.built = build(where, whole, options, !before.empty());
    } else {
      try {
        p.built = build(where, pass_literals(whole, own.literals), options, true);
      } catch (const error&) {
        p.refused = true;
      }
    }
    if (before.empty()) return &shared_->of_library.emplace(std::move(key), std::move(p)).first->second;
    in_context::program& kept = shared_->of_users.add(std::move(key), std::move(p), 0);
    // The driver keeps what enqueued commands use.
    const std::size_t dropped = shared_->of_users.shrink(most, ~std::uint64_t{0}).size();
    code_cache::note_programs(1 - static_cast<std::int64_t>(dropped));
    return kept.refused ? nullptr : &kept;
  };
  in_context::program* program = program_of_source();
  if (!program) {  // the literals stay in the source, and so do the places in it that an error names
    own = {std::string(before), {}};
    program = program_of_source();
  }
  std::string kernel_name(name);
  if (const auto it = program->kernels.find(kernel_name); it != program->kernels.end())
    return {it->second, std::move(own.literals)};
  return checked(where, [&]() -> loaded_kernel {
    cl::Kernel made(program->built, kernel_name.c_str());
    program->kernels.emplace(std::move(kernel_name), made);
    return {std::move(made), std::move(own.literals)};
  });
}

bool device::speaks_ptx() const {
  if (!is_nvidia_) return false;
  const std::scoped_lock held(shared_->guard);
  if (!shared_->speaks_ptx) {
    shared_->speaks_ptx = false;
    cl_uint major = 0;  // CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, which not every CL/cl_ext.h has
    const bool told = clGetDeviceInfo(hardware_(), 0x4000, sizeof major, &major, nullptr) == CL_SUCCESS;
    if (told && major >= 7 && std::getenv("UPSWEEP_OPENCL_PORTABLE") == nullptr) {
      try {
        kernel({"opencl/warp.cl", "opencl/warp_probe.cl"}, "", "warp_probe");
        shared_->speaks_ptx = true;
      } catch (const error&) {
        // The driver rejects it: the portable kernels run.
      }
    }
  }
  return *shared_->speaks_ptx;
}

void device::set(cl::Kernel& k, cl_uint& at, const operand& o) {
  if (!can_read(o.where)) refuse(o.where.owner, name(), "an operand");
  const auto base = static_cast<cl_mem>(o.where.base);
  if (o.where.offset % o.element_bytes != 0)
    throw error(fault::bad_argument, name(),
                "an operand begins " + std::to_string(o.where.offset) +
                    " bytes into its memory, which is not a multiple of its elements' " +
                    std::to_string(o.element_bytes) + ", and OpenCL's kernels count elements",
                "begin the span at a whole element of its buffer");
  const cl_ulong first = o.where.offset / o.element_bytes;
  set(k, at, value{&base, sizeof base});
  set(k, at, value{&first, sizeof first});
}

void device::set(cl::Kernel& k, cl_uint& at, const value& v) {
  checked(name(), [&] { k.setArg(at++, v.size, v.bytes); });
}

void device::enqueue(cl::Kernel& k, std::uint64_t groups, std::uint64_t group_size) {
  if (groups == 0) return;
  checked(name(), [&] {
    std::optional<turn> its_turn;
    if (takes_turns_) its_turn.emplace(queue_);
    queue_.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(groups * group_size), cl::NDRange(group_size), nullptr,
                                timed());
  });
}

std::uint32_t device::next_epoch() {
  const std::scoped_lock held(shared_->guard);
  if (++shared_->epoch == 0) ++shared_->epoch;
  return shared_->epoch;
}

std::shared_ptr<upsweep::device> open_device(int index) {
  const auto all = hardware();
  const std::string where = "opencl:" + std::to_string(index);
  if (all.empty()) throw error(fault::no_device, where, nothing_there(), remedy());
  if (index < 0 || static_cast<std::size_t>(index) >= all.size())
    throw error(fault::no_device, where, "there is no such device",
                "the last is opencl:" + std::to_string(all.size() - 1));
  return std::make_shared<device>(all[static_cast<std::size_t>(index)], index);
}

std::vector<int> gpus() {
  const auto all = hardware();
  std::vector<int> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    cl_device_type type = 0;
    if (clGetDeviceInfo(all[i](), CL_DEVICE_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS &&
        type & CL_DEVICE_TYPE_GPU)
      found.push_back(static_cast<int>(i));
  }
  return found;
}

void list_devices(std::vector<device_listing>& list) {
  const auto all = hardware();
  if (all.empty()) list.push_back({backend::opencl, "opencl", "off: " + nothing_there() + "; " + remedy(), false, 0});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int index = static_cast<int>(i);
    try {
      const device d(all[i], index);
      list.push_back({backend::opencl, d.name(), d.description(), true, d.total_memory()});
    } catch (const error& e) {
      list.push_back({backend::opencl, "opencl:" + std::to_string(index), e.what(), false, 0});
    }
  }
}

}  // namespace upsweep::opencl
