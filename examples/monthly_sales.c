/* Sales of a shop in C: totals of each month, the best days, and the error message of a wrong call.
 *
 *   monthly_sales [device]      "cpu" where none is named; any device that upsweep_devices lists */
#include <stdio.h>
#include <stdlib.h>

#include "upsweep.h"

enum { days = 365 };

static void require(upsweep_status status) {
  if (status == UPSWEEP_OK) return;
  fprintf(stderr, "%s\n", upsweep_last_message());
  exit(1);
}

/* Allocates memory of the context and copies host memory into it. */
static void* sent(const upsweep_context* device, const void* host, uint64_t bytes) {
  void* there = NULL;
  require(upsweep_allocate(device, bytes, &there));
  if (host) require(upsweep_upload(device, there, host, bytes));
  return there;
}

int main(int argc, char** argv) {
  static const int length_of[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  uint32_t month[days];
  float sold[days];
  for (int day = 0, m = 0, end = length_of[0]; day < days; ++day) {
    if (day == end) end += length_of[++m];
    month[day] = (uint32_t)m + 1;
    sold[day] = (float)(day * 37 % 101);
  }

  upsweep_context* device = NULL;
  require(upsweep_open(argc > 1 ? argv[1] : "cpu", &device));
  printf("on %s\n", upsweep_name(device));
  void* months = sent(device, month, sizeof month);
  void* sales = sent(device, sold, sizeof sold);

  void* month_of_total = sent(device, NULL, sizeof month);
  void* totals = sent(device, NULL, sizeof sold);
  void* runs = sent(device, NULL, sizeof(uint64_t));
  require(upsweep_reduce_by_key(device, UPSWEEP_U32, months, UPSWEEP_F32, sales, days, UPSWEEP_PLUS, UPSWEEP_IDENTITY,
                                month_of_total, totals, runs));
  uint64_t count = 0;
  require(upsweep_download(device, &count, runs, sizeof count));
  uint32_t name[days];
  float total[days];
  require(upsweep_download(device, name, month_of_total, count * sizeof *name));
  require(upsweep_download(device, total, totals, count * sizeof *total));
  for (uint64_t i = 0; i < count; ++i) printf("month %2u: %g\n", name[i], total[i]);

  enum { best = 3 };
  void* most = sent(device, NULL, best * sizeof(float));
  void* when = sent(device, NULL, best * sizeof(uint64_t));
  require(upsweep_top_k(device, UPSWEEP_F32, sales, days, best, 1, most, when));
  float amounts[best];
  uint64_t day_of[best];
  require(upsweep_download(device, amounts, most, sizeof amounts));
  require(upsweep_download(device, day_of, when, sizeof day_of));
  for (int i = 0; i < best; ++i) printf("day %d: %g\n", (int)day_of[i], amounts[i]);

  if (upsweep_scan(device, UPSWEEP_F32, sales, days, 1, UPSWEEP_BIT_XOR, UPSWEEP_IDENTITY, NULL, totals) == UPSWEEP_OK)
    return 1;
  printf("refused: %s\n", upsweep_last_message());

  void* all[] = {months, sales, month_of_total, totals, runs, most, when};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) require(upsweep_deallocate(device, all[i]));
  upsweep_close(device);
  return 0;
}
