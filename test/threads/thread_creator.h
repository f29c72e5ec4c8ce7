// The functions that every flavour of the creator library exports. They create threads through the
// import slots of the library.
#pragma once

#include <pthread.h>
#include <threads.h>

extern "C" {

__attribute__((visibility("default"))) int CreatePthread(pthread_t* thread,
                                                         const pthread_attr_t* attributes,
                                                         void* (*routine)(void*), void* argument);
__attribute__((visibility("default"))) int CreateThrd(thrd_t* thread, thrd_start_t routine,
                                                      void* argument);
}
