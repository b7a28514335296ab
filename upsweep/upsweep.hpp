// Everything public.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/catalog.hpp"
#include "upsweep/context.hpp"
#include "upsweep/convolve.hpp"
#include "upsweep/error.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/reduce/reproducible.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"
#include "upsweep/vector_add.hpp"
