// The rooms whose exams the lens asks: those of its rungs that fold nothing. Of rooms.hpp's list the
// browser takes no more.
#pragma once

#define UPSWEEP_ROOMS(room) room(sort) room(select) room(histogram) room(integral) room(convolve) room(nbody)
