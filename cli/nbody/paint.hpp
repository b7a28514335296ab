// Pictures of bodies: the light of each colour at each pixel, on a logarithmic scale through a ramp of colours, with a
// glow around bright pixels. Written to PNG files, or to a film by ffmpeg.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/nbody/files/files.hpp"
#include "cli/nbody/motion.hpp"

struct nbody_camera {
  std::uint32_t width = 1280, height = 720;
  double reach = 1;            // half the picture's height, at the scene's middle
  double yaw = 0, pitch = 90;  // degrees: from above
  double turn = 0;             // degrees of yaw over the whole film
};

class nbody_painter {
 public:
  nbody_painter(const nbody_camera&, std::vector<upsweep::nbody::look>);

  // Rows from the top, red, green and blue of a pixel. `share`: how much of the film is over. Bodies that are drawn
  // large leave a trail from picture to picture.
  const std::vector<std::uint8_t>& paint(const nbody_shot&, double share);

 private:
  struct place {
    double x, y, light;  // pixels; light 0 behind the eye
  };
  place seen(const nbody_shot&, std::size_t i) const;
  void look_from(double yaw);
  void splat(std::vector<float>& plane, double x, double y, std::size_t colour, double light) const;
  void trace(const nbody_shot&);
  void glow();
  void develop();

  nbody_camera camera_;
  std::vector<upsweep::nbody::look> looks_;
  upsweep::context cpu_ = upsweep::context::cpu();
  std::size_t lit_ = 0;
  double axes_[3][3]{};
  std::vector<float> light_, blurred_, trail_, small_, small_blurred_;  // three colours a pixel
  std::vector<place> last_;                                             // of the bodies that are drawn large
  std::vector<std::uint8_t> pixels_;
};

// `pictures`: how many there will be, for the camera's turn. frame-000000.png and on, in a folder that is made where it
// is not there.
std::unique_ptr<nbody_taker> open_frames(const std::string& folder, const nbody_camera&,
                                         std::vector<upsweep::nbody::look>, std::uint64_t pictures);

// A film: .mp4, .mkv, .mov (H.264), .webm (VP9) or .gif, by ffmpeg, which must be on PATH. The film is written
// atomically.
std::unique_ptr<nbody_taker> open_film(const std::string& path, const nbody_camera&, std::vector<upsweep::nbody::look>,
                                       std::uint64_t pictures, std::uint32_t rate);
