// Smooths a picture with a mask, removes single wrong pixels, and sums any rectangle.
#include <cstdio>
#include <vector>

#include "upsweep/upsweep.hpp"

int main() {
  const auto where = upsweep::context::best();
  const upsweep::image_layout size{{64, 48}};
  std::vector<float> picture(64 * 48, 1.0f), smooth(picture.size()), clean(picture.size()), table(picture.size());
  picture[10 * 64 + 20] = 100;  // one wrong pixel

  const upsweep::mask<float> soft(
      {3, 3}, {1 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 4 / 16.f, 2 / 16.f, 1 / 16.f, 2 / 16.f, 1 / 16.f});
  upsweep::convolve(where, picture, size, soft, smooth, upsweep::border::clamp);
  upsweep::median(where, picture, size, 1, clean);  // the median of 3 x 3
  upsweep::summed_area_table(where, clean, table, size);

  std::printf("smoothed to %g, cleared to %g, %g in all\n", smooth[10 * 64 + 20], clean[10 * 64 + 20], table.back());
  return smooth[10 * 64 + 20] == 25.75f && clean[10 * 64 + 20] == 1 && table.back() == 64 * 48 ? 0 : 1;
}
