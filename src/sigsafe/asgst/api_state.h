// ApiState: what the stack walking API needs in handlers, while a use of it lasts.
// RunningThread: the thread that calls a function of the API.
//
// Async-signal-safe, on any thread. A published ApiState is never freed or changed. A handler that
// has loaded it may go on after the use has ended; then its WalkScope finds that faults are not
// caught.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/memory/arena.h"
#include "sigsafe/stack/method_records.h"

namespace jprof::asgst {

// Where the JVM lists its Java threads: in an array, or in a linked list. nullptr: not there.
struct ThreadListLayout {
  const uint64_t* array = nullptr;  // the address of a ThreadsList*
  uint64_t length = 0;              // offset in a ThreadsList
  uint64_t first_in_array = 0;  // offset in a ThreadsList of the address of the first JavaThread*
  const uint64_t* first = nullptr;  // the address of the first JavaThread*
  VmField next;                     // JavaThread
};

struct ApiState {
  const HotspotLayout* vm = nullptr;
  // The key of the thread-specific value by which HotSpot finds the current Thread.
  pthread_key_t thread_key = 0;
  // By the following two, a JavaThread is told from other Threads of the VM: the address of the
  // virtual table of JavaThread, and that of the table of JNI functions.
  uint64_t java_thread_table = 0;
  uint64_t jni_functions = 0;
  ThreadListLayout threads;
  VmField thread_state;            // JavaThread
  VmField klass_method_ids;        // InstanceKlass: its jmethodIDs, by the numbers of methods
  bool ids_are_addresses = false;  // true if a jmethodID is the address of a Method*
  // Where the method of a jmethodID is found that is a number.
  uint64_t class_in_mirror = 0;  // offset of the Klass* in a java.lang.Class; 0 if not known
  VmField klass_methods;         // InstanceKlass: the array of its Method*s
  VmField methods_length;
  uint64_t methods_data = 0;  // offset of the first Method* in the array
  // The names of the methods that iterators have met.
  MethodRecords* methods = nullptr;
  Arena* arena = nullptr;
  int32_t capabilities = 0;
};

// Returns the state; nullptr while there is no use.
const ApiState* TheApiState();

// Returns the state of the use under way or, if there is none, of the last one; nullptr before the
// first use. For names, which need no walk and stay as long as the process.
const ApiState* TheNames();

// Publishes the state. REQUIRES: `state` is nullptr, or lives as long as the process.
void UseApiState(const ApiState* state);

// True if a JavaThread is at the address. REQUIRES: the faults of guarded loads are caught.
bool IsJavaThread(const ApiState& state, uint64_t thread);

// Returns the address of the calling thread's JavaThread; 0 if the thread is not a Java thread.
// REQUIRES: the faults of guarded loads are caught.
uint64_t RunningJavaThread(const ApiState& state);

// Returns the address of the calling thread's Thread, of the VM's own threads too; 0 if it has none.
// Reads no memory of the VM.
uint64_t RunningVmThread(const ApiState& state);

// Identifies the calling thread by the address of a thread-local variable. No two live threads have
// the same.
const void* RunningThread();

}  // namespace jprof::asgst
