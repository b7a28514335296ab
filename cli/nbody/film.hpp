// Pictures of a run as PNG files, and as a film by ffmpeg.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/nbody/files/files.hpp"
#include "cli/nbody/paint.hpp"

// `pictures`: how many there will be, for the camera's turn. frame-000000.png and on, in a folder that is made where it
// is not there.
std::unique_ptr<nbody_taker> open_frames(const std::string& folder, const nbody_camera&,
                                         std::vector<upsweep::nbody::look>, std::uint64_t pictures);

// .mp4, .mkv, .mov (H.264), .webm (VP9) or .gif, by ffmpeg, which is sought on PATH. The film appears whole or not at
// all.
std::unique_ptr<nbody_taker> open_film(const std::string& path, const nbody_camera&, std::vector<upsweep::nbody::look>,
                                       std::uint64_t pictures, std::uint32_t rate);
