/*
 * The C API of libprofiler.so, for programs that control the profiler from native code in the JVM
 * that they want to profile. C and C++.
 *
 * Every function may be called from any thread, whether it is attached to the JVM or not, but never
 * from a signal handler. None of them ends the JVM.
 */
#ifndef PROFILER_PROFILER_H_
#define PROFILER_PROFILER_H_

#include <stddef.h>

/* C names, not C++ ones. NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the text that a command answers with: UTF-8, `length` bytes, not NUL-terminated, valid
 * only during the call. `context` is what was passed to profiler_execute. Called at most once, on
 * the calling thread, before profiler_execute returns. */
typedef void (*profiler_output)(const char* text, size_t length, void* context);

enum {
  PROFILER_OK = 0,
  PROFILER_INVALID_COMMAND = 1, /* the command string was not understood; nothing was done */
  PROFILER_FAILED = 2           /* understood, but not possible now; the answer says why */
};

/* Executes one command string, e.g. "start,event=cpu,file=/tmp/out.jfr" or "stop"
 * (docs/options.md), and answers with one line, or with a text for help and version. `output` may
 * be NULL. Returns PROFILER_OK or one of the codes above. */
int profiler_execute(const char* command, profiler_output output, void* context);

/* The version of the library, "major.minor.patch"; a constant. */
const char* profiler_version(void);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */

#endif /* PROFILER_PROFILER_H_ */
