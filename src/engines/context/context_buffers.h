// ContextBuffers: the blocks of trace contexts as Java writes them: a ByteBuffer[] a thread, of
// classes that no class loader of the program owns.
//
//   {the block, the slot that names the published record, what all threads have in common}
//
// The array is kept with the block, not by the copy of jprof.ThreadContext that asked first: a
// thread whose thread-local variables are erased gets the same one again, and so do other copies.
// The block of a platform thread has a global reference to it, until the thread ends; that of a
// virtual thread a weak one, so that block and array end with whoever can write them. On the
// calling thread, in Java; an array that is returned is to be kept in a thread-local variable.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace jprof {

// The words of native memory that all threads share, in the order in which RecordWriter.java reads
// them. Relaxed: they publish nothing.
struct CommonWords {
  using SpanRecorder = void (*)(int64_t virtual_thread, int64_t begin_ns);

  std::atomic<SpanRecorder> span_recorder{nullptr};  // Java reads whether it is 0
  // How often memory was wanted for a context: while it stays as it is, no thread that had none has
  // got any, from whatever copy of the class. Begun with a number that no other copy of the library
  // comes to, for copies of the class remember it.
  std::atomic<int64_t> wanted{0};
};

class ContextBuffers {
 public:
  // `words` live as long as the JVM. Repeated calls have no effect.
  static Status Prepare(JNIEnv* jni, CommonWords* words);

  // Those of the calling thread; nullptr: it has none and `are_made` is false, there is no memory,
  // or the thread ends. Their byte order is not set.
  static jobjectArray OfThisThread(JNIEnv* jni, int64_t virtual_thread, bool are_made);

  // Changes the array of the calling virtual thread to one with a full block. False: nothing has
  // changed, as the block is full or there is no memory.
  static bool Grow(JNIEnv* jni, jobjectArray buffers, int64_t virtual_thread);

  // As a Java thread.
  static void EndThisThread(JNIEnv* jni);
};

}  // namespace jprof
