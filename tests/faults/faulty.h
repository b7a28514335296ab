/* faulty.c inside a test. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the Nth allocation fails, or the Nth start of a thread by this one, it alone or all after it as well; 0:
 * none does, all are counted. */
void faulty_arm(int memory_or_thread, long n, int and_all_after);
/* No more. How many there were. */
long faulty_disarm(void);
/* From now on none fails and none is counted of other libraries than C++'s. */
void faulty_spare_others(void);
/* Allocations that were not given back. */
long faulty_living(void);

#ifdef __cplusplus
}
#endif
