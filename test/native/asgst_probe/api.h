// Api: the functions of the stack walking API, found by dlsym in a library that is opened by dlopen,
// as a tool that is not linked to it finds them.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "profiler/asgst.h"

namespace jprof::test {

#define JPROF_ASGST_FUNCTIONS(X)    \
  X(profiler_asgst_version)         \
  X(profiler_asgst_init)            \
  X(profiler_asgst_release)         \
  X(ASGST_Capabilities)             \
  X(ASGST_RunWithIterator)          \
  X(ASGST_RunWithIteratorFromFrame) \
  X(ASGST_NextFrame)                \
  X(ASGST_RewindIterator)           \
  X(ASGST_State)                    \
  X(ASGST_ThreadState)              \
  X(ASGST_GetMethodInfo)            \
  X(ASGST_GetClassInfo)             \
  X(ASGST_GetMethodIdNum)           \
  X(ASGST_GetClassIdNum)            \
  X(ASGST_GetClass)                 \
  X(ASGST_GetMethodLineNumberTable) \
  X(ASGST_GetMethodLineNumber)      \
  X(ASGST_MethodToJMethodID)        \
  X(ASGST_JMethodIDToMethod)

struct Api {
#define X(name) decltype(&::name) name = nullptr;
  JPROF_ASGST_FUNCTIONS(X)
#undef X

  // Opens the library. Ends the process if a function is missing.
  static Api Open(const char* library) {
    Api api;
    void* const handle = dlopen(library, RTLD_NOW);
    if (handle == nullptr) {
      fprintf(stderr, "asgst_probe: %s\n", dlerror());
      exit(3);
    }
#define X(name)                                                         \
  api.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)); \
  if (api.name == nullptr) {                                            \
    fprintf(stderr, "asgst_probe: %s has no %s\n", library, #name);     \
    exit(3);                                                            \
  }
    JPROF_ASGST_FUNCTIONS(X)
#undef X
    return api;
  }
};

}  // namespace jprof::test
