// ContextBuffers: the buffers through which Java writes the blocks of trace contexts. Each thread
// has a ByteBuffer[] with three elements:
//
//   {the block, the slot that names the published record, the CommonWords of all threads}
//
// No class loader of the program owns the classes of the array and the buffers.
//
// The array is kept with the block, not by the copy of jprof.ThreadContext that asked first. So a
// thread whose thread-local variables are erased gets the same array again, and other copies of the
// class get it as well. The block of a platform thread has a global reference to the array until
// the thread ends. The block of a virtual thread has a weak reference: the caller keeps a returned
// array in a thread-local variable, and block and array end when nothing in Java refers to the
// array.
//
// The functions are called by Java, on the thread that has the block.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace jprof {

// The words of native memory that all threads share, in the order in which RecordWriter.java reads
// them. All accesses are relaxed: the words publish no other memory.
struct CommonWords {
  using SpanRecorder = void (*)(int64_t virtual_thread, int64_t begin_ns);

  std::atomic<SpanRecorder> span_recorder{nullptr};  // Java only tests this word for 0
  // Counts the requests for a context's memory. While the count is unchanged, a thread that had no
  // memory still has none, whichever copy of the class it uses. Starts with a clock time: copies of
  // the class remember a count, and another copy of the library must not reach the same number.
  std::atomic<int64_t> wanted{0};
};

class ContextBuffers {
 public:
  // Prepares the buffers that all threads share. Repeated calls have no effect once a call has
  // succeeded. REQUIRES: `words` lives as long as the JVM.
  static Status Prepare(JNIEnv* jni, CommonWords* words);

  // Returns the array of buffers of the calling thread; the byte order of the buffers is not set.
  // `virtual_thread` is 0 for a platform thread. `are_made`: makes the buffers if the thread has
  // none. Returns nullptr if the thread has no buffers and `are_made` is false, if there is no
  // memory, or if the thread is ending.
  static jobjectArray OfThisThread(JNIEnv* jni, int64_t virtual_thread, bool are_made);

  // Replaces the small block of the calling virtual thread by a full-size one, and puts the buffers
  // of the full-size block into `buffers`, the thread's array. Returns false and changes nothing if
  // the thread's block has the full size already, or there is no memory.
  static bool Grow(JNIEnv* jni, jobjectArray buffers, int64_t virtual_thread);

  // Frees the block and the array of the calling platform thread, which is ending as a Java thread.
  static void EndThisThread(JNIEnv* jni);
};

}  // namespace jprof
