/*
 * The C API of libprofiler.so. Native code in a JVM uses it to control the profiler of that JVM.
 * For C and C++.
 *
 * Every function may be called on any thread, attached to the JVM or not, but never in a signal
 * handler. No function ends the JVM.
 */
#ifndef PROFILER_PROFILER_H_
#define PROFILER_PROFILER_H_

#include <stddef.h>

/* C names, not C++ ones. NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the answer of a command: `length` bytes of UTF-8, not NUL-terminated, which are valid
 * only during the call. `context` is the argument of profiler_execute. Called at most once, on
 * the calling thread, before profiler_execute returns. */
typedef void (*profiler_output)(const char* text, size_t length, void* context);

enum {
  PROFILER_OK = 0,
  PROFILER_INVALID_COMMAND = 1, /* the command string was not understood; nothing was done */
  PROFILER_FAILED = 2,          /* understood, but impossible now; the answer says why */
  PROFILER_BUSY = 3             /* impossible while the profiler works for another command */
};

/* Executes one command, a NUL-terminated string such as "start,event=cpu,file=/tmp/out.jfr" or
 * "stop" (docs/options.md). Returns one of the codes above. Passes the answer to `output`, which
 * may be NULL. The answer is text for the user: what was done, and a line for each note; or, in one
 * line, why nothing was done; or the lines of status, methods, help or version.
 *
 * A command waits for the end of another command for at most a minute, and then returns
 * PROFILER_BUSY. On a thread that already works for the profiler it returns PROFILER_BUSY at
 * once: commands start threads and change classes, so that callbacks of other agents run on such
 * threads. Therefore the caller must not hold a lock that such callbacks take. */
int profiler_execute(const char* command, profiler_output output, void* context);

/* Executes a command like profiler_execute, in the JVM `java_vm` (a JavaVM* of JNI). Can also be
 * called while that JVM is starting, in Agent_OnLoad and in the callbacks for VMStart and VMInit,
 * where profiler_execute finds no JVM. Before VMInit, "start" answers at once; the recording
 * starts when the JVM is initialised, and the answer of this start goes to the log. Before
 * VMInit, other commands are refused, except help and version. */
int profiler_execute_in(void* java_vm, const char* command, profiler_output output, void* context);

/* Returns the version of the library, "major.minor.patch", as a constant string. */
const char* profiler_version(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */

#endif /* PROFILER_PROFILER_H_ */
