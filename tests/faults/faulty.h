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
/* From now on allocations by other libraries do not fail, and are not counted, than by those of these functions. What
 * is allocated by operator new is C++'s library's, unless faulty_new.cpp is linked in as well. */
void faulty_only_of(const void* function);
int faulty_fails_for(const void* caller);
/* Allocations that were not given back. */
long faulty_living(void);

#ifdef __cplusplus
}
#endif
