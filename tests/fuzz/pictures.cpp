// Pictures: what is read is as large as it says; as PNG and as PAM it is the same again. The first bytes say of which
// format a file is; so the harnesses differ by what they begin with.
#include <tuple>

#include "cli/image/stored_picture.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

namespace {

void require_whole(const stored_picture& p) {
  fuzz::require(p.width > 0 && p.height > 0 && p.channels >= 1 && p.channels <= 4, "a picture of no size");
  fuzz::require(p.depth == 8 || p.depth == 16, "a picture of another depth");
  fuzz::require(p.bytes.size() == p.height * p.row_bytes(), "other samples than the size says");
}

bool same(const stored_picture& a, const stored_picture& b) {
  return std::tie(a.width, a.height, a.channels, a.depth, a.bytes) ==
         std::tie(b.width, b.height, b.channels, b.depth, b.bytes);
}

void read_and_write_picture(std::string_view bytes) {
  const stored_picture p = read_stored_picture(fuzz::file_of("x", bytes), fuzz::memory);
  require_whole(p);
  const picture floats = floats_of(p);
  for (const float x : floats.samples) fuzz::require(x >= 0 && x <= 1, "a sample outside [0, 1]");
  if (p.width * p.height > 1 << 16) return;  // the rest would take long
  // A PGM may have fewer levels than its depth: then it becomes what the depth's integers are.
  stored_picture full = stored_of(floats);
  full.metadata = picture_files::held_by("x", p.metadata, full.colours(), picture_files::holds::jpeg);
  const std::string png = picture_files::png_bytes(full),
                    pam = picture_files::netpbm_bytes("x.pam", full, picture_format::pam);
  fuzz::require(same(picture_files::read_png("x", png, fuzz::memory), full), "another picture was written as PNG");
  fuzz::require(same(picture_files::read_netpbm("x", pam, fuzz::memory), full), "another picture was written as PAM");
  if (!full.has_alpha()) {
    const stored_picture lossy = picture_files::read_jpeg("x", picture_files::jpeg_bytes(full, 90), fuzz::memory);
    fuzz::require(lossy.width == full.width && lossy.height == full.height, "a JPEG of another size was written");
  }
}

}  // namespace

UPSWEEP_HARNESS(png) { read_and_write_picture(bytes); }
UPSWEEP_HARNESS(jpeg) { read_and_write_picture(bytes); }
UPSWEEP_HARNESS(netpbm) { read_and_write_picture(bytes); }
UPSWEEP_HARNESS(tiff) { read_and_write_picture(bytes); }
UPSWEEP_HARNESS(webp) { read_and_write_picture(bytes); }
UPSWEEP_HARNESS(gif) { read_and_write_picture(bytes); }
