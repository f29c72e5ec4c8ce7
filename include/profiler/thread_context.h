/* clang-format off
 * The trace context of a thread: the span that the thread works for. This is the ABI between the
 * writer (jprof.jar), the signal handlers of libprofiler.so, and readers outside the process.
 *
 * libprofiler.so exports the thread-local variable otel_thread_ctx_v1 (OTEP 4947). It holds the
 * address of the running thread's record, or null if the thread has no context. The record is
 * public from its address on; the bytes before its address are private to this library.
 *
 *   offset  bytes  field, in the byte order of the machine unless said otherwise
 *     -32     8    span id, as a number                                        private
 *     -24     8    local root span id, as a number; 0 if none                  private
 *     -16     4    size of the tags, which are the first of the attributes     private
 *     -12    12    reserved
 *       0    16    trace id, the bytes of W3C; all zero if none
 *      16     8    span id, the bytes of W3C. Either both trace id and span id are set or both
 *                  are zero: a span id without a trace id is only in the private part
 *      24     1    1 if the record is valid; ignore the record if the value is another one
 *      25     1    trace flags of W3C: 1 sampled, 2 random trace id
 *      26     2    size of the attributes, in bytes
 *      28     -    attributes, without padding: {key, 1 byte; length, 1 byte; value, UTF-8}. If
 *                  several have the same key, the last one counts. The tags come first. After
 *                  them comes the local root span id, if there is one: key 0, 16 hexadecimal digits
 *
 * Keys are indexes of names in the process context (OTEP 4719). A record is at most 640 bytes.
 *
 * Rules for the writer, which is always the thread of the record: a thread has two records. The
 * writer fills the record that is not published, and then stores the address of that record. This
 * store is the only change that a reader sees. Fences before and after it keep the compiler from
 * moving other stores across it.
 *
 * Rules for readers: read only the record of a thread that is interrupted or stopped (by a signal
 * handler on it, ptrace, or an eBPF program on its processor). Then the published record is
 * complete. An address stays valid as long as the process exists, because the memory of records is
 * reused but never unmapped.
 *
 * otel_thread_ctx_v1 does not hold the record of a virtual thread, because a carrier thread runs
 * many virtual threads. The handlers of libprofiler.so find this record by the id of the virtual
 * thread. With contextexport=1, otel_thread_ctx_v1 of the carrier holds the record of the virtual
 * thread from each mount to the next unmount.
 * clang-format on */
#ifndef PROFILER_THREAD_CONTEXT_H_
#define PROFILER_THREAD_CONTEXT_H_

#include <stdint.h>

/* C names, not C++ ones. NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

enum {
  PROFILER_CONTEXT_BYTES = 640,      /* size of a record, at most */
  PROFILER_CONTEXT_ATTRIBUTES = 612, /* bytes of its attributes, at most */
  PROFILER_CONTEXT_VALID = 1,
  PROFILER_CONTEXT_LOCAL_ROOT_KEY = 0,
  PROFILER_CONTEXT_LOCAL_ROOT_BYTES = 18 /* size of that attribute, with key and length */
};

typedef struct profiler_context {
  uint8_t trace_id[16];
  uint8_t span_id[8];
  uint8_t valid;
  uint8_t trace_flags;
  uint16_t attributes_size;
  uint8_t attributes[PROFILER_CONTEXT_ATTRIBUTES];
} profiler_context;

/* NOLINTEND(modernize-use-using, readability-identifier-naming) */

#endif /* PROFILER_THREAD_CONTEXT_H_ */
