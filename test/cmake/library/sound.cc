// The five functions that libprofiler.so exports, and nothing else.
#include <unistd.h>

#define EXPORTED(name)                                          \
  extern "C" __attribute__((visibility("default"))) int name(); \
  int name() { return getpid(); }

EXPORTED(Agent_OnLoad)
EXPORTED(Agent_OnAttach)
EXPORTED(Agent_OnUnload)
EXPORTED(profiler_execute)
#ifndef WITHOUT_VERSION
EXPORTED(profiler_version)
#endif
#ifdef WITH_EXTRA_EXPORT
EXPORTED(extra_export)
#endif
