#include "cli/processes/processes.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/io/npy.hpp"
#include "cli/io/packed.hpp"
#include "cli/io/same_file.hpp"
#include "cli/io/whole_file.hpp"
#include "cli/io/zip.hpp"
#include "cli/process/report_error.hpp"
#include "cli/processes/module.hpp"

using namespace upsweep;

namespace {

// How many processes were started together, by what Open MPI, and MPICH and its kin, say. A program that mpirun started
// may start commands that are to work alone.
int processes_started() {
  if (std::getenv("UPSWEEP_ALONE")) return 1;
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name)) return std::atoi(size);
  return 1;
}

void* load_module() {
  std::error_code none;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  std::string said = "it does not exist";
  for (const auto& folder : {command, command / "../lib/upsweep"}) {
    const auto path = folder / "upsweep_mpi.so";
    if (!std::filesystem::exists(path, none)) continue;
    // RTLD_GLOBAL because modules of Open MPI look for its symbols.
    if (void* const at = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return at;
    said = dlerror();
  }
  throw error(fault::unsupported, "upsweep_mpi.so", said,
              "install libopenmpi-dev and build again, or start one process only");
}

// MPI from the first call to the end of the process.
class processes {
 public:
  processes() {
    void* const module = load_module();
    const auto find = [&](const char* name) {
      void* const found = dlsym(module, name);
      if (!found)
        throw error(fault::unsupported, "upsweep_mpi.so", fmt::format("it has no {}", name), "build it again");
      return found;
    };
    end_ = reinterpret_cast<decltype(end_)>(find("upsweep_mpi_end"));
    auto* const way = reinterpret_cast<message_route* (*)()>(find("upsweep_mpi_begin"))();
    way_.reset(way);
  }
  ~processes() {
    way_.reset();
    all_.reset();
    end_();
  }

  const communicator& all(const std::string& device) {
    if (!all_) {
      speaks_ = way_.get();
      all_ = communicator::through(std::move(way_), context::named(device));
    }
    return *all_;
  }
  // Whether the first process, which speaks for all, is gone, and this is the one that speaks then.
  bool speaks_instead() const { return speaks_->gone() == 0 && speaks_->rank() == 1; }

 private:
  void (*end_)() = nullptr;
  std::unique_ptr<message_route> way_;
  const message_route* speaks_ = nullptr;
  std::optional<communicator> all_;
};

std::vector<std::string> parted_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == ',' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

}  // namespace

std::optional<command_group> group_asked_for(const device_options& o) {
  const bool listed = o.device.find(',') != std::string::npos || o.device == "cuda:all";
  const bool several = processes_started() > 1;
  if (!listed && !several) return std::nullopt;
  if (!o.variant.empty())
    throw error(fault::bad_argument, "--variant", "each device of a group selects its own variant", "leave it out");
  if (several) {
    if (listed)
      throw error(fault::bad_argument, "--device '" + o.device + "'", "each process has one device",
                  "give one device, and start one process for each");
    static processes started;
    const std::string device = o.device.empty() ? "cpu" : o.device;
    command_group g{started.all(device), {device}};
    if (!g.speaks()) report_nothing([] { return started.speaks_instead(); });
    return g;
  }
  command_group g{communicator::named(o.device), {}};
  const auto names = parted_at_commas(o.device);
  for (int i = 0; i < g.all.local_size(); ++i)
    g.names.push_back(o.device == "cuda:all" ? g.all.where(i).name() : names[static_cast<std::size_t>(i)]);
  return g;
}

device_options command_group::of(const device_options& o, const communicator_rank& m) const {
  device_options mine = o;
  mine.device = names[static_cast<std::size_t>(m.local_rank())];
  return mine;
}

std::uint64_t take_slice(element_source& source, const communicator_rank& m) {
  // A raw file of no bytes has no count: whether anything comes is to be seen.
  std::uint64_t more = 0;
  if (!source.count && source.format == file_format::raw && source.inode != 0 && source.read(&more, 1) == 0)
    source.count = 0;
  if (!source.count) source.take_slice(0, 0);  // throws
  const std::uint64_t n = *source.count, p = static_cast<std::uint64_t>(m.size()),
                      r = static_cast<std::uint64_t>(m.rank());
  const std::uint64_t first = n / p * r + std::min(r, n % p);
  source.take_slice(first, n / p + (r < n % p));
  return first;
}

shared_output::shared_output(const communicator_rank& m, const output_options& o, const element_source& source,
                             dtype type, bool truth, std::uint64_t elements)
    : m_(m), path_(o.path), size_(size_of(type)) {
  const file_format format = format_of_output(o.path, o.format, source.format);
  if (o.path == "-" || is_npz(o.path) || packing_of(o.path) != packing::none || format == file_format::csv)
    throw error(fault::unsupported, o.path == "-" ? "standard output" : o.path,
                "several devices write to disjoint parts of a file", "write .npy or raw elements with -o OUT");
  begins_ = format == file_format::npy ? npy_header_text(type, elements, truth).size() : 0;
  char temporary[PATH_MAX] = {};
  if (m.rank() == 0) {
    file_ = std::make_unique<whole_file>(o.path, true);
    file_->reserve(begins_ + elements * size_);
    if (begins_) file_->write(npy_header_text(type, elements, truth));
    const std::string link = fmt::format("/proc/self/fd/{}", file_->descriptor());
    if (readlink(link.c_str(), temporary, sizeof temporary - 1) < 0 || temporary[0] != '/')
      throw error(fault::unsupported, o.path, "it is not a file that several processes can write",
                  "give the name of a new file");
  }
  m.route().broadcast(temporary, sizeof temporary, 0);
  if (!file_) name_until_then_ = std::make_unique<unfinished_name>(temporary);
  fd_ = open(temporary, O_WRONLY | O_CLOEXEC);
  if (fd_ < 0)
    throw error(fault::bad_argument, o.path, fmt::format("cannot write it: {}", std::strerror(errno)),
                "write to a folder that every process can write to");
}

shared_output::~shared_output() {
  if (fd_ >= 0) close(fd_);
  if (name_until_then_ && m_.route().gone() == 0) name_until_then_->remove();
}

void shared_output::write(std::uint64_t element, const void* from, std::uint64_t n) {
  write_bytes(begins_ + element * size_, from, n * size_);
}

void shared_output::write_bytes(std::uint64_t at, const void* from, std::uint64_t bytes) const {
  for (const char* next = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t some = pwrite(fd_, next, bytes, static_cast<off_t>(at));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0)
      throw error(fault::bad_argument, path_, fmt::format("cannot write it: {}", std::strerror(errno)),
                  errno == ENOSPC || errno == EDQUOT ? "free some space, or write to another place" : "");
    next += some, at += static_cast<std::uint64_t>(some), bytes -= static_cast<std::uint64_t>(some);
  }
}

void shared_output::commit() {
  if (fsync(fd_) != 0)
    throw error(fault::bad_argument, path_, fmt::format("cannot write it: {}", std::strerror(errno)));
  m_.route().barrier();
  if (file_) file_->commit();
}
