// Where the catalog's entries come from: each room and backend lists its own. A new room adds its lines here and in
// rooms.cpp.
// cpu_textbook(), cuda_textbook() and opencl_textbook() are in upsweep_textbook, exams() in upsweep_proof.
#pragma once

#include <span>
#include <vector>

#include "upsweep/core/catalog.hpp"

namespace upsweep {

struct exam;  // exam.hpp

// The library's own, room by room, the fastest last.
std::vector<variant_lists> room_variants();
// And how each primitive is put to the test.
std::vector<std::vector<exam>> room_exams();

namespace vector_add_room {
std::vector<exam> exams();                 // fold_exams.cpp
std::span<const variant> cuda_textbook();  // vector_add/cuda/vector_add.cu
}  // namespace vector_add_room

namespace reduce_room {
std::vector<exam> exams();                       // fold_exams.cpp
std::span<const variant> cpu_textbook();         // reduce/textbook/sequential.cpp
std::span<const variant> cpu();                  // reduce/cpu/reduce.cpp
std::span<const variant> cuda_textbook();        // reduce/textbook/rungs.cu
std::span<const variant> cuda();                 // reduce/cuda/reduce.cu
std::span<const variant> opencl_textbook();      // reduce/textbook/opencl.cpp
std::span<const variant> opencl();               // reduce/opencl/reduce.cpp
variant_lists reproducible();                    // reduce/reproducible_room.cpp
std::span<const variant> reproducible_cpu();     // reduce/cpu/reproducible.cpp
std::span<const variant> reproducible_cuda();    // reduce/cuda/reproducible.cu
std::span<const variant> reproducible_opencl();  // reduce/opencl/reproducible.cpp
}  // namespace reduce_room

namespace scan_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl_textbook();
std::span<const variant> opencl();
}  // namespace scan_room

// From here on alike in each room: exam.cpp, cpu.cpp, textbook.cu, cuda.cu, opencl.cpp.
namespace sort_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace sort_room

namespace select_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace select_room

namespace histogram_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace histogram_room

namespace segmented_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace segmented_room

namespace integral_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace integral_room

namespace convolve_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> opencl();
std::span<const variant> cuda();
}  // namespace convolve_room

namespace nbody_room {
std::vector<exam> exams();
std::span<const variant> cpu_textbook();
std::span<const variant> cpu();
std::span<const variant> cuda_textbook();
std::span<const variant> cuda();
std::span<const variant> opencl();
}  // namespace nbody_room

}  // namespace upsweep
