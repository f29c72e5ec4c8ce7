// ContextBuffers: the buffers by which Java writes the blocks of trace contexts: a ByteBuffer[] for
// each thread, of classes that no class loader of the program owns.
//
//   {the block, the slot that names the published record, the CommonWords of all threads}
//
// The array is kept with the block, not by the copy of jprof.ThreadContext that asked first: a
// thread whose thread-local variables are erased gets the same array again, and so do other copies.
// The block of a platform thread has a global reference to the array, until the thread ends. The
// block of a virtual thread has a weak reference, so that block and array end with the Java objects
// that can write them: the caller keeps a returned array in a thread-local variable.
//
// Called on the thread of the block, by Java.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "base/result.h"

namespace jprof {

// The words of native memory that all threads share, in the order in which RecordWriter.java reads
// them. relaxed: they publish nothing.
struct CommonWords {
  using SpanRecorder = void (*)(int64_t virtual_thread, int64_t begin_ns);

  std::atomic<SpanRecorder> span_recorder{nullptr};  // Java reads only if it is 0
  // Counts the requests of memory for a context: while it is unchanged, no thread without memory
  // has got any, from any copy of the class. Starts with a number that no other copy of the library
  // comes to, because copies of the class remember it.
  std::atomic<int64_t> wanted{0};
};

class ContextBuffers {
 public:
  // Prepares the buffers that all threads share. `words`: live as long as the JVM. Repeated calls
  // have no effect.
  static Status Prepare(JNIEnv* jni, CommonWords* words);

  // Returns the buffers of the calling thread, whose byte order is not set; nullptr: it has none
  // and `are_made` is false, there is no memory, or the thread is ending.
  static jobjectArray OfThisThread(JNIEnv* jni, int64_t virtual_thread, bool are_made);

  // Puts the buffers of a full block into the array of the calling virtual thread. Returns false
  // and changes nothing if the block is full already, or there is no memory.
  static bool Grow(JNIEnv* jni, jobjectArray buffers, int64_t virtual_thread);

  // Frees the buffers of the calling platform thread, which ends as a Java thread.
  static void EndThisThread(JNIEnv* jni);
};

}  // namespace jprof
