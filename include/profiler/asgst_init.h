/*
 * The begin and the end of the use of the stack walking APIs of libprofiler.so. Their headers
 * include this one. For C and C++.
 *
 * A tool loads the library (it can be an agent already, or be opened by dlopen), finds the
 * functions by dlsym or by linking, and calls profiler_asgst_init with its JavaVM. The APIs work
 * with and without a recording of jprof. docs/stack-walking-api.md describes the guarantees.
 */
#ifndef PROFILER_ASGST_INIT_H_
#define PROFILER_ASGST_INIT_H_

#include <stdint.h>

/* C names, not C++ ones. NOLINTBEGIN(modernize-*, readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

enum {
  PROFILER_ASGST_VERSION = 1 /* the version of the APIs that these headers describe */
};

/* Results of profiler_asgst_init. */
enum {
  PROFILER_ASGST_OK = 0,
  PROFILER_ASGST_WRONG_VERSION = 1, /* the library does not have the version */
  PROFILER_ASGST_WRONG_JVM = 2,     /* java_vm is null, or is not the JVM of this process */
  PROFILER_ASGST_TOO_EARLY = 3,     /* the JVM is not initialised yet */
  PROFILER_ASGST_UNSUPPORTED = 4,   /* stacks of this JVM cannot be walked; the log says why */
  PROFILER_ASGST_BUSY = 5,          /* this thread works for the profiler already */
  PROFILER_ASGST_FORKED = 6,        /* this process was forked from the JVM's process */
  PROFILER_ASGST_WRONG_OPTIONS = 7, /* options has an unknown bit */
  PROFILER_ASGST_FAILED = 8         /* the system refused memory or a thread; the log says why */
};

/* Options of profiler_asgst_init. */
enum {
  /* The JVM makes the jmethodIDs of all methods, and from now on of each class that it prepares.
   * They take a large part of the time to load a class. */
  PROFILER_ASGST_JMETHODIDS = 1
};

/* Returns the newest version of the APIs that the library has. Any thread, any time; also safe in
 * signal handlers. */
int profiler_asgst_version(void);

/* Begins a use of the APIs. `java_vm` is the JavaVM* of JNI, `version` is PROFILER_ASGST_VERSION,
 * and `options` is 0 or a sum of options. Returns PROFILER_ASGST_OK or one of the other results, and
 * then nothing has begun. Each successful call needs one call of profiler_asgst_release. While a
 * use lasts, the library catches faults of its own loads by handlers of SIGSEGV and SIGBUS, which
 * pass on all other faults.
 *
 * Called in the live phase of JVMTI, which begins with the callback for VMInit, on any thread that
 * is not in a signal handler. A thread that is not attached to the JVM is attached during the
 * call. */
int profiler_asgst_init(void* java_vm, int version, int options);

/* Ends a use that profiler_asgst_init has begun. The end of the last use waits up to 5 seconds for
 * iterators that are in use. From then on no function walks. Names of methods that were met can
 * still be asked for. Returns
 * PROFILER_ASGST_OK, or PROFILER_ASGST_FAILED if no use was left to end. Any thread, not in a signal
 * handler and not in a callback of the APIs. */
int profiler_asgst_release(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif /* PROFILER_ASGST_INIT_H_ */
