// zstd by its library, loaded when a name ends in .zst.
#include "cli/io/packed.hpp"
#include "upsweep/error.hpp"

using upsweep::error;
using upsweep::fault;

#if UPSWEEP_WITH_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

#include "cli/io/loaded_library.hpp"

namespace {

#define UPSWEEP_ZSTD_FUNCTIONS(each)                                                                    \
  each(ZSTD_createDCtx) each(ZSTD_freeDCtx) each(ZSTD_DCtx_setParameter) each(ZSTD_decompressStream)    \
      each(ZSTD_createCCtx) each(ZSTD_freeCCtx) each(ZSTD_CCtx_setParameter) each(ZSTD_compressStream2) \
          each(ZSTD_isError) each(ZSTD_getErrorCode)

struct library {
#define UPSWEEP_ZSTD_MEMBER(name) decltype(&::name) name;
  UPSWEEP_ZSTD_FUNCTIONS(UPSWEEP_ZSTD_MEMBER)
#undef UPSWEEP_ZSTD_MEMBER
  library() {
    const loaded_library from("zstd", UPSWEEP_ZSTD_NAME, UPSWEEP_ZSTD_FOLDER);
#define UPSWEEP_ZSTD_FIND(name) from.find(name, #name);
    UPSWEEP_ZSTD_FUNCTIONS(UPSWEEP_ZSTD_FIND)
#undef UPSWEEP_ZSTD_FIND
  }
};

const library& zstd() {
  static const library once;
  return once;
}

class zstd_unpacker final : public unpacker {
 public:
  zstd_unpacker(const std::string& name, reader read)
      : unpacker(name, std::move(read)), context_(zstd().ZSTD_createDCtx()), block_(block_bytes) {
    if (!context_) throw error(fault::out_of_memory, name, "not enough memory to decompress it");
    constexpr int longest_window = 31;  // of zstd --long
    zstd().ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, longest_window);
  }
  ~zstd_unpacker() override { zstd().ZSTD_freeDCtx(context_); }

 protected:
  std::uint64_t unpack(char* to, std::uint64_t capacity) override {
    ZSTD_outBuffer out{to, capacity, 0};
    for (;;) {
      bool file_ended = false;
      if (in_.pos == in_.size) {
        in_ = {block_.data(), read_(block_.data(), block_.size()), 0};
        file_ended = in_.size == 0;
      }
      if (file_ended && between_) return 0;
      const std::size_t state = zstd().ZSTD_decompressStream(context_, &out, &in_);
      if (zstd().ZSTD_isError(state)) fail(zstd().ZSTD_getErrorCode(state));
      between_ = state == 0;
      begun_ = begun_ || between_ || out.pos > 0;
      if (out.pos > 0) return out.pos;
      if (file_ended && !between_) cut_off();
    }
  }

 private:
  [[noreturn]] void fail(ZSTD_ErrorCode code) const {
    if (code == ZSTD_error_memory_allocation)
      throw error(fault::out_of_memory, name_, "not enough memory to decompress it",
                  "compress it again without zstd's --long");
    if (code != ZSTD_error_prefix_unknown) damaged("its compressed data or their checksum are wrong");
    damaged(begun_ ? "data that is not zstd follows its compressed data"
                   : "its extension is that of zstd but its data is not zstd");
  }

  ZSTD_DCtx* context_;
  std::vector<char> block_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool begun_ = false, between_ = false;
};

class zstd_packer final : public packer {
 public:
  zstd_packer(const std::string& name, writer write)
      : context_(zstd().ZSTD_createCCtx()), write_(std::move(write)), out_(1 << 18) {
    if (!context_) throw error(fault::out_of_memory, name, "not enough memory to compress it");
    zstd().ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 1);
  }
  ~zstd_packer() override { zstd().ZSTD_freeCCtx(context_); }

  void write(const void* from, std::uint64_t bytes) override { turn({from, bytes, 0}, ZSTD_e_continue); }
  void finish() override { turn({nullptr, 0, 0}, ZSTD_e_end); }

 private:
  void turn(ZSTD_inBuffer in, ZSTD_EndDirective how) {
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t left = zstd().ZSTD_compressStream2(context_, &out, &in, how);
      if (zstd().ZSTD_isError(left)) throw error(fault::device_failure, "zstd", "cannot compress the output");
      write_(out_.data(), out.pos);
      done = how == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  ZSTD_CCtx* context_;
  writer write_;
  std::vector<char> out_;
};

}  // namespace

std::unique_ptr<unpacker> open_zstd(const std::string& name, unpacker::reader read) {
  return std::make_unique<zstd_unpacker>(name, std::move(read));
}

std::unique_ptr<packer> pack_zstd(const std::string& name, packer::writer write) {
  return std::make_unique<zstd_packer>(name, std::move(write));
}

#else

namespace {

[[noreturn]] void without_zstd(const std::string& name) {
  throw error(fault::unsupported, name, "zstd is off in this build",
              "install libzstd-dev and build again, or unpack it with unzstd");
}

}  // namespace

std::unique_ptr<unpacker> open_zstd(const std::string& name, unpacker::reader) { without_zstd(name); }
std::unique_ptr<packer> pack_zstd(const std::string& name, packer::writer) { without_zstd(name); }

#endif
