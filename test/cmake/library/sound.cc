// Defines the functions and the variable that libprofiler.so exports, and nothing else.
#include <unistd.h>

#define EXPORTED(name)                                          \
  extern "C" __attribute__((visibility("default"))) int name(); \
  int name() { return getpid(); }

EXPORTED(Agent_OnLoad)
EXPORTED(Agent_OnAttach)
EXPORTED(Agent_OnUnload)
EXPORTED(profiler_execute)
EXPORTED(profiler_execute_in)
EXPORTED(JNI_OnLoad)
EXPORTED(Java_jprof_Profiler_execute0)
#ifndef WITHOUT_VERSION
EXPORTED(profiler_version)
#endif
#ifdef WITH_EXTRA_EXPORT
EXPORTED(extra_export)
#endif

extern "C" {
extern __attribute__((visibility("default"),
                      tls_model("initial-exec"))) __thread const void* otel_thread_ctx_v1;
__thread const void* otel_thread_ctx_v1 = nullptr;
}
