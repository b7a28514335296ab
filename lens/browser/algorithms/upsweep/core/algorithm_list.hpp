// The algorithms whose conformance tests the lens needs: those of textbook variants that fold nothing. The browser's
// build includes this file in place of the library's.
#pragma once

#define UPSWEEP_ALGORITHMS(algorithm)                                                                     \
  algorithm(sort) algorithm(select) algorithm(histogram) algorithm(summed_area_table) algorithm(convolve) \
      algorithm(nbody)
