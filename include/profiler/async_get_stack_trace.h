/*
 * AsyncGetStackTrace: takes a whole stack into an array of frames, as AsyncGetCallTrace does, with
 * levels of compilation, inlining and native frames. For C and C++.
 *
 * The names are those of a proposal for OpenJDK (JEP 435). asgst.h has the names of another one,
 * with other values, so a file includes only one of the two. profiler_asgst_init (asgst_init.h)
 * comes first, with PROFILER_ASGST_JMETHODIDS: the frames have jmethodIDs, which a handler cannot
 * make.
 */
#ifndef PROFILER_ASYNC_GET_STACK_TRACE_H_
#define PROFILER_ASYNC_GET_STACK_TRACE_H_

#ifdef PROFILER_ASGST_H_
#error "asgst.h and async_get_stack_trace.h define the same names differently: include only one"
#endif

#include <stddef.h>
#include <stdint.h>

#include "profiler/asgst_init.h"

/* C names, not C++ ones. NOLINTBEGIN(modernize-*, readability-identifier-naming) */

/* jmethodID of JNI is a pointer to this. */
struct _jmethodID;

#ifdef __cplusplus
extern "C" {
#endif

enum ASGST_Options {
  ASGST_INCLUDE_C_FRAMES = 1, /* frames of native code and of stubs of the JVM */
  ASGST_INCLUDE_NON_JAVA_THREADS =
      2 /* threads that are not Java threads; their frames are native */
};

enum ASGST_TRACE_KIND {
  ASGST_JAVA_TRACE = 0,   /* the stack of a Java thread or of the virtual thread that it runs */
  ASGST_CPP_TRACE = 1,    /* the stack of another thread */
  ASGST_GC_TRACE = 2,     /* not used: a Java thread is walked during a collection as at any time */
  ASGST_DEOPT_TRACE = 3,  /* not used: as ASGST_GC_TRACE, during a deoptimisation */
  ASGST_UNKNOWN_TRACE = 4 /* num_frames is an error */
};

enum ASGST_FrameTypeId {
  ASGST_FRAME_JAVA = 1,         /* a method that is interpreted or compiled */
  ASGST_FRAME_JAVA_INLINED = 2, /* a method that is inlined into the next frame of type 1 */
  ASGST_FRAME_NATIVE = 3,       /* a native method */
  ASGST_FRAME_STUB = 4,         /* a stub that the JVM has generated */
  ASGST_FRAME_CPP = 5           /* code of a library */
};

/* A frame of type 1, 2 or 3. */
typedef struct {
  uint8_t type;      /* ASGST_FrameTypeId */
  int8_t comp_level; /* 0: interpreted; 1 to 3: compiled by C1; 4: by C2; -1: native method, or not
                        known */
  uint16_t bci;      /* index of the bytecode; 0 in a native method */
  struct _jmethodID* method_id; /* never null */
} ASGST_JavaFrame;

/* A frame of type 4 or 5. */
typedef struct {
  uint8_t type; /* ASGST_FrameTypeId */
  void* pc;     /* null: this entry stands for native frames that could not be found */
} ASGST_NonJavaFrame;

typedef union {
  uint8_t type;
  ASGST_JavaFrame java_frame;
  ASGST_NonJavaFrame non_java_frame;
} ASGST_CallFrame;

typedef struct {
  int32_t num_frames;      /* set by the call: number of frames, or an error (< 0) */
  uint8_t kind;            /* set by the call: ASGST_TRACE_KIND */
  ASGST_CallFrame* frames; /* set by the caller: memory for the frames */
  void* frame_info;        /* not used; the call leaves it as it is */
} ASGST_CallTrace;

#if UINTPTR_MAX == 0xffffffffffffffff
#ifdef __cplusplus
static_assert(sizeof(ASGST_CallFrame) == 16 && offsetof(ASGST_JavaFrame, bci) == 2 &&
                  offsetof(ASGST_JavaFrame, method_id) == 8 &&
                  offsetof(ASGST_NonJavaFrame, pc) == 8 && sizeof(ASGST_CallTrace) == 24 &&
                  offsetof(ASGST_CallTrace, frames) == 8,
              "the layout of frames is part of the interface");
#else
_Static_assert(sizeof(ASGST_CallFrame) == 16 && offsetof(ASGST_JavaFrame, bci) == 2 &&
                   offsetof(ASGST_JavaFrame, method_id) == 8 &&
                   offsetof(ASGST_NonJavaFrame, pc) == 8 && sizeof(ASGST_CallTrace) == 24 &&
                   offsetof(ASGST_CallTrace, frames) == 8,
               "the layout of frames is part of the interface");
#endif
#endif

/* Errors in num_frames. */
enum ASGST_TraceError {
  ASGST_TRACE_NO_THREAD = -1,     /* the thread is not a Java thread */
  ASGST_TRACE_UNSAFE_STATE = -3,  /* the stack cannot be read now: see ASGST_RunWithIterator */
  ASGST_TRACE_NO_JAVA_FRAME = -4, /* the thread has no Java frame */
  ASGST_TRACE_NOT_STARTED = -17,  /* profiler_asgst_init has not succeeded, or the use has ended */
  ASGST_TRACE_WRONG_ARGUMENT = -18, /* frames is null, depth is below 1, an option is not known */
  ASGST_TRACE_BROKEN_STACK = -20,   /* the caller of a frame could not be determined */
  ASGST_TRACE_MISSING_FRAMES = -21, /* frames of a virtual thread could not be read in the heap */
  ASGST_TRACE_TOO_MANY_WALKS = -22, /* too many walks are under way in the process */
  ASGST_TRACE_FORKED_PROCESS = -23, /* this process was forked from the JVM's process */
  ASGST_TRACE_NO_METHOD_ID = -27    /* the JVM has made no jmethodID for the method of a frame */
};

/* Takes the stack of the calling thread, callee first, at most the first `depth` frames. `ucontext`
 * is the third argument of a signal handler; if it is null, the stack begins at the Java frame that
 * has called the code that runs. Sets trace->num_frames and trace->kind; does nothing if `trace` is
 * null. With an error, the frames are not defined. Signal-safe. */
void AsyncGetStackTrace(ASGST_CallTrace* trace, int32_t depth, void* ucontext, uint32_t options);

/* Returns the number of calls of AsyncGetStackTrace with the result ASGST_TRACE_NO_METHOD_ID since
 * the start of the process. Signal-safe. */
uint64_t profiler_asgst_traces_without_id(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif /* PROFILER_ASYNC_GET_STACK_TRACE_H_ */
