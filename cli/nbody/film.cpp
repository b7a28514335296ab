#include "cli/nbody/paint.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/image/stored_picture.hpp"
#include "cli/io/whole_file.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;
namespace fs = std::filesystem;

extern char** environ;

namespace {

class frames final : public nbody_taker {
 public:
  frames(const std::string& folder, const nbody_camera& camera, std::vector<nbody::look> looks, std::uint64_t pictures)
      : folder_(folder), camera_(camera), painter_(camera, std::move(looks)), pictures_(pictures) {
    picture_format_of("frame.png");  // says so where PNG is off
    std::error_code bad;
    fs::create_directories(folder_, bad);
    if (bad) throw error(fault::bad_argument, folder_, "cannot create the folder: " + bad.message());
  }
  void take(const nbody_shot& s) override {
    if (taken_ == 0) clear();
    const auto& pixels =
        painter_.paint(s, static_cast<double>(taken_) / static_cast<double>(std::max<std::uint64_t>(pictures_, 1)));
    stored_picture p = empty_stored(camera_.width, camera_.height, 3, 8);
    p.bytes.assign(pixels.begin(), pixels.end());
    write_stored_picture((fs::path(folder_) / fmt::format("frame-{:06}.png", taken_)).string(), p);
    ++taken_;
  }
  void finish() override {}
  std::string what() const override {
    return fmt::format("{} pictures to {}", taken_, folder_) +
           (cleared_ ? fmt::format(", replacing {} of an earlier run", cleared_) : "");
  }

 private:
  // A longer run's last pictures would follow this one's. Nothing else in the folder is touched.
  void clear() {
    std::vector<fs::path> older;
    std::error_code bad;
    for (fs::directory_iterator at(folder_, bad), end; !bad && at != end; at.increment(bad)) {
      const std::string name = at->path().filename().string();
      constexpr std::string_view before = "frame-", after = ".png";
      if (name.size() < before.size() + 6 + after.size() || !name.starts_with(before) || !name.ends_with(after))
        continue;
      const std::string_view number =
          std::string_view(name).substr(before.size(), name.size() - before.size() - after.size());
      if (number.find_first_not_of("0123456789") == std::string_view::npos) older.push_back(at->path());
    }
    for (const fs::path& path : older)
      if (!bad) cleared_ += fs::remove(path, bad);
    if (bad)
      throw error(fault::bad_argument, folder_, "cannot remove the pictures of an earlier run: " + bad.message(),
                  "give another folder");
  }

  std::string folder_;
  nbody_camera camera_;
  nbody_painter painter_;
  std::uint64_t pictures_, taken_ = 0, cleared_ = 0;
};

bool on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0 && access((std::string(rest.substr(0, colon)) + "/" + program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

struct film_format {
  std::string_view extension;
  std::vector<std::string> options;
};
const film_format& format_of(const std::string& path) {
  static const std::vector<std::string> h264{
      "-c:v", "libx264",  "-preset", "veryfast", "-crf",
      "19",   "-pix_fmt", "yuv420p", "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2"};
  const auto with = [](std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  static const std::vector<film_format> formats{
      {".mp4", with(h264, {"-f", "mp4"})},
      {".mov", with(h264, {"-f", "mov"})},
      {".mkv", with(h264, {"-f", "matroska"})},
      {".webm",
       {"-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-crf", "30", "-b:v", "0", "-pix_fmt",
        "yuv420p", "-f", "webm"}},
      {".gif", {"-vf", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1", "-f", "gif"}}};
  const std::string extension = fs::path(path).extension().string();
  for (const film_format& f : formats)
    if (f.extension == extension) return f;
  throw error(fault::bad_argument, "--video '" + path + "'", "its extension is not that of a supported film",
              "use .mp4, .mkv, .mov, .webm or .gif");
}

// ffmpeg writes to a file without a name; its messages are stored for the error.
class film final : public nbody_taker {
 public:
  film(const std::string& path, const nbody_camera& camera, std::vector<nbody::look> looks, std::uint64_t pictures,
       std::uint32_t rate)
      : painter_(camera, std::move(looks)), pictures_(pictures), place_(path) {
    const film_format& format = format_of(path);
    if (!place_.rewritable())
      throw error(fault::bad_argument, place_.name(), "a film cannot be written to a pipe", "write it to a file");
    std::vector<std::string> words{"ffmpeg",    "-hide_banner",
                                   "-loglevel", "error",
                                   "-nostdin",  "-y",
                                   "-f",        "rawvideo",
                                   "-pix_fmt",  "rgb24",
                                   "-s",        fmt::format("{}x{}", camera.width, camera.height),
                                   "-r",        std::to_string(rate),
                                   "-i",        "pipe:0",
                                   "-an"};
    words.insert(words.end(), format.options.begin(), format.options.end());
    words.push_back(fmt::format("/proc/{}/fd/{}", getpid(), place_.descriptor()));
    start(words);
  }
  ~film() override {
    if (to_ >= 0) close(to_);
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    if (words_ >= 0) close(words_);
  }

  void take(const nbody_shot& s) override {
    const auto& pixels =
        painter_.paint(s, static_cast<double>(taken_) / static_cast<double>(std::max<std::uint64_t>(pictures_, 1)));
    for (std::size_t at = 0; at < pixels.size();) {
      // A socket and no pipe: where ffmpeg has gone, this fails and raises no signal.
      const ssize_t some = send(to_, pixels.data() + at, pixels.size() - at, MSG_NOSIGNAL);
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) fail();
      at += static_cast<std::size_t>(some);
    }
    ++taken_;
  }
  void finish() override {
    close(std::exchange(to_, -1));
    if (wait() != 0) fail();
    place_.commit();
  }
  std::string what() const override { return fmt::format("a film of {} pictures to {}", taken_, place_.name()); }

 private:
  void start(const std::vector<std::string>& words) {
    int pair[2];
    words_ = memfd_create("ffmpeg", MFD_CLOEXEC);
    if (words_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
      throw error(fault::device_failure, "ffmpeg", std::string("cannot start it: ") + std::strerror(errno));
    to_ = pair[0];
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
    posix_spawn_file_actions_adddup2(&actions, words_, 1);
    posix_spawn_file_actions_adddup2(&actions, words_, 2);
    const int bad = posix_spawnp(&child_, "ffmpeg", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pair[1]);
    if (bad) {
      child_ = -1;
      throw error(fault::device_failure, "ffmpeg", std::string("cannot start it: ") + std::strerror(bad));
    }
  }
  int wait() {
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return status;
  }
  [[noreturn]] void fail() {
    if (to_ >= 0) close(std::exchange(to_, -1));
    if (child_ > 0) wait();
    std::string said(4096, '\0');
    const ssize_t n = pread(words_, said.data(), said.size(), 0);
    said.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    said.resize(std::min(said.find('\n'), said.size()));
    throw error(fault::device_failure, place_.name(),
                "ffmpeg cannot write the film" + (said.empty() ? "" : ": " + said), "check the free space of the disk");
  }

  nbody_painter painter_;
  std::uint64_t pictures_, taken_ = 0;
  whole_file place_;
  int to_ = -1, words_ = -1;
  pid_t child_ = -1;
};

}  // namespace

std::unique_ptr<nbody_taker> open_frames(const std::string& folder, const nbody_camera& camera,
                                         std::vector<nbody::look> looks, std::uint64_t pictures) {
  return std::make_unique<frames>(folder, camera, std::move(looks), pictures);
}

std::unique_ptr<nbody_taker> open_film(const std::string& path, const nbody_camera& camera,
                                       std::vector<nbody::look> looks, std::uint64_t pictures, std::uint32_t rate) {
  format_of(path);
  if (!on_path("ffmpeg"))
    throw error(fault::unsupported, "--video '" + path + "'", "films need ffmpeg, which is not on PATH",
                "install ffmpeg, or write pictures with --frames DIR");
  return std::make_unique<film>(path, camera, std::move(looks), pictures, rate);
}
