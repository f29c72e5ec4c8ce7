// Api: the functions of the stack walking API, found by dlsym in a library that is opened by dlopen,
// as a tool that is not linked to it finds them.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "profiler/asgst.h"

namespace jprof::test {

#define JPROF_ASGST_FUNCTIONS(X)        \
  X(profiler_asgst_version)             \
  X(profiler_asgst_init)                \
  X(profiler_asgst_release)             \
  X(ASGST_Capabilities)                 \
  X(ASGST_RunWithIterator)              \
  X(ASGST_RunWithIteratorFromFrame)     \
  X(ASGST_NextFrame)                    \
  X(ASGST_RewindIterator)               \
  X(ASGST_State)                        \
  X(ASGST_ThreadState)                  \
  X(ASGST_GetMethodInfo)                \
  X(ASGST_GetClassInfo)                 \
  X(ASGST_GetMethodIdNum)               \
  X(ASGST_GetClassIdNum)                \
  X(ASGST_GetClass)                     \
  X(ASGST_GetMethodLineNumberTable)     \
  X(ASGST_GetMethodLineNumber)          \
  X(ASGST_MethodToJMethodID)            \
  X(ASGST_JMethodIDToMethod)            \
  X(ASGST_RunWithIteratorOfThread)      \
  X(ASGST_RegisterClassUnloadHandler)   \
  X(ASGST_DeregisterClassUnloadHandler) \
  X(ASGST_RegisterQueue)                \
  X(ASGST_DeregisterQueue)              \
  X(ASGST_SetOnQueueProcessingStart)    \
  X(ASGST_SetOnQueueProcessingEnd)      \
  X(ASGST_Enqueue)                      \
  X(ASGST_GetEnqueuableElement)         \
  X(ASGST_GetQueueElement)              \
  X(ASGST_GetQueueSizeInfo)             \
  X(ASGST_ResizeQueue)                  \
  X(profiler_asgst_find_equal_element)  \
  X(profiler_asgst_trace_kind)          \
  X(profiler_asgst_queue_counts)

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

// True if the header has the result of a function that walks or enqueues.
inline bool IsDocumented(int result) {
  return result == ASGST_JAVA_TRACE || result == ASGST_NON_JAVA_TRACE ||
         result == ASGST_APPROXIMATE_TRACE ||
         (result <= 0 && result >= ASGST_ENQUEUE_OTHER_ERROR) ||
         (result <= ASGST_NOT_STARTED && result >= ASGST_UNKNOWN_METHOD);
}

// The names of a method as the API returns them: package/Class.method(I)V; "?" if unknown.
inline std::string NameOf(const Api& api, ASGST_Method method) {
  char name[300];
  char signature[300];
  char declaring[300];
  ASGST_MethodInfo info{};
  info.method_name = name;
  info.method_name_length = sizeof name;
  info.signature = signature;
  info.signature_length = sizeof signature;
  if (api.ASGST_GetMethodInfo(method, &info) != 1) return "?";
  ASGST_ClassInfo class_info{};
  class_info.class_name = declaring;
  class_info.class_name_length = sizeof declaring;
  if (api.ASGST_GetClassInfo(info.klass, &class_info) != 1) return "?";
  return std::string(declaring) + "." + name + signature;
}

}  // namespace jprof::test
