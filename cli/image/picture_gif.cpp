// The first picture of a GIF by giflib, loaded when a file of it is met.
#include "cli/image/stored_picture.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_GIF

#include <gif_lib.h>

#include <algorithm>
#include <cstring>

#include "cli/io/loaded_library.hpp"

namespace picture_files {

namespace {

#define UPSWEEP_GIF_FUNCTIONS(each)                                                                   \
  each(DGifOpen) each(DGifCloseFile) each(DGifGetRecordType) each(DGifGetImageDesc) each(DGifGetLine) \
      each(DGifGetCode) each(DGifGetCodeNext) each(DGifGetExtension) each(DGifGetExtensionNext)

struct library {
#define UPSWEEP_GIF_MEMBER(name) decltype(&::name) name;
  UPSWEEP_GIF_FUNCTIONS(UPSWEEP_GIF_MEMBER)
#undef UPSWEEP_GIF_MEMBER
  library() {
    const loaded_library from("GIF", UPSWEEP_GIF_NAME, UPSWEEP_GIF_FOLDER);
#define UPSWEEP_GIF_FIND(name) from.find(name, #name);
    UPSWEEP_GIF_FUNCTIONS(UPSWEEP_GIF_FIND)
#undef UPSWEEP_GIF_FIND
  }
};

const library& gif() {
  static const library once;
  return once;
}

class gif_file {
 public:
  gif_file(const std::string& name, std::string_view bytes) : name_(name), left_(bytes) {
    int ignored = 0;
    open_ = gif().DGifOpen(&left_, take_bytes, &ignored);
    if (!open_) damaged();
  }
  ~gif_file() {
    int ignored = 0;
    if (open_) gif().DGifCloseFile(open_, &ignored);
  }
  gif_file(const gif_file&) = delete;
  gif_file& operator=(const gif_file&) = delete;

  stored_picture read(std::uint64_t memory) {
    if (!next_picture(true))
      throw error(fault::bad_argument, name_, "the GIF contains no picture", "give another file");
    stored_picture p = first(memory);
    if (next_picture(false)) tell_of_others(name_, "it holds several pictures");
    return p;
  }

 private:
  static int take_bytes(GifFileType* file, GifByteType* to, int n) {
    auto& left = *static_cast<std::string_view*>(file->UserData);
    const std::size_t got = std::min(left.size(), static_cast<std::size_t>(std::max(n, 0)));
    std::memcpy(to, left.data(), got);
    left.remove_prefix(got);
    return static_cast<int>(got);
  }
  [[noreturn]] void damaged() const {
    throw error(fault::bad_argument, name_, left_.empty() ? "the GIF is cut off" : "the GIF is damaged",
                "copy or download it again");
  }

  // Skips to the next picture's description, past extensions; one of them has the transparent colour. Errors after the
  // first picture are ignored.
  bool next_picture(bool strict) {
    for (;;) {
      GifRecordType kind;
      if (gif().DGifGetRecordType(open_, &kind) != GIF_OK) return strict ? (damaged(), false) : false;
      if (kind == IMAGE_DESC_RECORD_TYPE) return true;
      if (kind == TERMINATE_RECORD_TYPE) return false;
      if (kind != EXTENSION_RECORD_TYPE) continue;
      int code = 0;
      GifByteType* block = nullptr;
      int state = gif().DGifGetExtension(open_, &code, &block);
      while (state == GIF_OK && block) {
        constexpr int graphics = GRAPHICS_EXT_FUNC_CODE;
        if (code == graphics && block[0] >= 4) unseen_ = block[1] & 1 ? block[4] : -1;
        state = gif().DGifGetExtensionNext(open_, &block);
      }
      if (state != GIF_OK) return strict ? (damaged(), false) : false;
    }
  }

  stored_picture first(std::uint64_t memory) {
    if (gif().DGifGetImageDesc(open_) != GIF_OK) damaged();
    const GifImageDesc& at = open_->Image;
    const auto positive = [](int n) { return static_cast<std::uint64_t>(std::max(n, 0)); };
    const std::uint64_t left = positive(at.Left), top = positive(at.Top), across = positive(at.Width),
                        down = positive(at.Height);
    // A picture may reach beyond what the file says that it shows on.
    const std::uint64_t width = std::max(positive(open_->SWidth), left + across),
                        height = std::max(positive(open_->SHeight), top + down);
    require_size(name_, width, height, 4, memory);
    if (across == 0 || down == 0) damaged();
    const ColorMapObject* const colours = at.ColorMap ? at.ColorMap : open_->SColorMap;
    if (!colours) throw error(fault::bad_argument, name_, "the GIF has no colour table", "copy or download it again");
    const bool alpha = unseen_ >= 0 || across < width || down < height;
    stored_picture p = empty_stored(width, height, alpha ? 4 : 3, 8);
    std::vector<GifPixelType> row(across);
    const auto take = [&](std::uint64_t y) {
      if (gif().DGifGetLine(open_, row.data(), static_cast<int>(across)) != GIF_OK) damaged();
      for (std::uint64_t x = 0; x < across; ++x) {
        std::uint8_t* const to = &p.bytes[((top + y) * width + left + x) * p.channels];
        if (row[x] < colours->ColorCount) {
          const GifColorType& c = colours->Colors[row[x]];
          to[0] = c.Red, to[1] = c.Green, to[2] = c.Blue;
        }
        if (alpha) to[3] = row[x] == unseen_ ? 0 : 255;
      }
    };
    constexpr std::uint64_t firsts[]{0, 4, 2, 1}, steps[]{8, 8, 4, 2};
    if (at.Interlace)
      for (int pass = 0; pass < 4; ++pass)
        for (std::uint64_t y = firsts[pass]; y < down; y += steps[pass]) take(y);
    else
      for (std::uint64_t y = 0; y < down; ++y) take(y);
    return p;
  }

  const std::string& name_;
  std::string_view left_;
  GifFileType* open_ = nullptr;
  int unseen_ = -1;
};

}  // namespace

stored_picture read_gif(const std::string& name, std::string_view bytes, std::uint64_t memory) {
  return gif_file(name, bytes).read(memory);
}

}  // namespace picture_files

#else

namespace picture_files {

stored_picture read_gif(const std::string& name, std::string_view, std::uint64_t) {
  throw error(fault::unsupported, name, "GIF is off in this build", "install libgif-dev and build again");
}

}  // namespace picture_files

#endif
