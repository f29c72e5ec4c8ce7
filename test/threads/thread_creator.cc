// A library that tests load as if the program did. Built once for each way in which it can be
// linked.
#include "threads/thread_creator.h"

int CreatePthread(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument) {
  return pthread_create(thread, attributes, routine, argument);
}

int CreateThrd(thrd_t* thread, thrd_start_t routine, void* argument) {
  return thrd_create(thread, routine, argument);
}
