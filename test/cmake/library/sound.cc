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
EXPORTED(profiler_asgst_init)
EXPORTED(profiler_asgst_release)
EXPORTED(profiler_asgst_version)
EXPORTED(ASGST_Capabilities)
EXPORTED(ASGST_RunWithIterator)
EXPORTED(ASGST_RunWithIteratorFromFrame)
EXPORTED(ASGST_RunWithIteratorOfThread)
EXPORTED(ASGST_NextFrame)
EXPORTED(ASGST_RewindIterator)
EXPORTED(ASGST_State)
EXPORTED(ASGST_ThreadState)
EXPORTED(ASGST_GetMethodInfo)
EXPORTED(ASGST_GetClassInfo)
EXPORTED(ASGST_GetMethodIdNum)
EXPORTED(ASGST_GetClassIdNum)
EXPORTED(ASGST_GetClass)
EXPORTED(ASGST_GetMethodLineNumberTable)
EXPORTED(ASGST_GetMethodLineNumber)
EXPORTED(ASGST_MethodToJMethodID)
EXPORTED(ASGST_JMethodIDToMethod)
EXPORTED(AsyncGetStackTrace)
EXPORTED(profiler_asgst_traces_without_id)
EXPORTED(profiler_asgst_trace_kind)
EXPORTED(ASGST_RegisterClassUnloadHandler)
EXPORTED(ASGST_DeregisterClassUnloadHandler)
EXPORTED(ASGST_RegisterQueue)
EXPORTED(ASGST_DeregisterQueue)
EXPORTED(ASGST_SetOnQueueProcessingStart)
EXPORTED(ASGST_SetOnQueueProcessingEnd)
EXPORTED(ASGST_Enqueue)
EXPORTED(ASGST_GetEnqueuableElement)
EXPORTED(ASGST_GetQueueElement)
EXPORTED(ASGST_GetQueueSizeInfo)
EXPORTED(ASGST_ResizeQueue)
EXPORTED(profiler_asgst_find_equal_element)
EXPORTED(profiler_asgst_queue_counts)
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
