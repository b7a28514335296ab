// The rooms: a line each, in the order of `upsweep list`. A room that stands here has, in its namespace X_room,
//   room listing();                         X/listing.cpp: what it puts into the catalog
//   std::vector<upsweep::exam> exams();     X/proof/exam.cpp: how each of its primitives is put to the test
// and, where it stands among those with a textbook,
//   std::vector<upsweep::variant> rungs();  X/textbook/room.cpp, in teaching order
#pragma once

#define UPSWEEP_ROOMS(room)                                                                                     \
  room(vector_add) room(transform) room(rearrange) room(reduce) room(scan) room(sort) room(select) room(search) \
      room(histogram) room(segmented) room(integral) room(convolve) room(nbody) room(recurrence) room(lex)      \
          room(filters) room(for_each) room(sets) room(compact) room(axis) room(axis_order)

#define UPSWEEP_TEXTBOOKS(room)                                                                                 \
  room(reduce) room(scan) room(sort) room(select) room(histogram) room(segmented) room(integral) room(convolve) \
      room(nbody)
