// The algorithms, in the order of `upsweep list`. Each one listed here has, in its namespace detail::X_impl,
//   algorithm listing();                    X/X_catalog.cpp: its entries in the catalog
//   std::vector<upsweep::conformance_test> conformance_tests();
//                                           X/conformance/X_conformance.cpp: the tests of its primitives
// and, if it is listed with textbook variants,
//   std::vector<upsweep::variant> textbook_variants();
//                                           X/textbook/X_textbook.cpp, in teaching order
#pragma once

#define UPSWEEP_ALGORITHMS(algorithm)                                                                               \
  algorithm(vector_add) algorithm(transform) algorithm(rearrange) algorithm(reduce) algorithm(scan) algorithm(sort) \
      algorithm(select) algorithm(search) algorithm(histogram) algorithm(segmented) algorithm(summed_area_table)    \
          algorithm(convolve) algorithm(nbody) algorithm(recurrence) algorithm(lex) algorithm(filters)              \
              algorithm(for_each) algorithm(sets) algorithm(compact) algorithm(axis) algorithm(axis_order)

#define UPSWEEP_TEXTBOOKS(algorithm)                                                                            \
  algorithm(reduce) algorithm(scan) algorithm(sort) algorithm(select) algorithm(histogram) algorithm(segmented) \
      algorithm(summed_area_table) algorithm(convolve) algorithm(nbody)
