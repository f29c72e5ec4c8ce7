// The thread-local that leads a handler to the calling thread's record.
//
// Async-signal-safe: initial-exec and constant-initialised, so reading it is one instruction
// relative to the thread pointer, without a call that could allocate (docs/adr/0001).
#pragma once

namespace jprof {

struct ProfiledThread;

// nullptr until the thread is registered or one of its handlers adopts or claims a record, and
// after EndCurrentThread.
ProfiledThread* CurrentThread();
void SetCurrentThread(ProfiledThread* thread);

// Sets the record unless a record of the same tid is set already, and returns the current record: a
// record that a handler on this thread sets concurrently is not overwritten.
ProfiledThread* SetCurrentThreadIfNone(ProfiledThread* thread);

// The thread gives up its record and takes no other one: later signals have no thread. Undone by
// setting a record.
void EndCurrentThread();
bool CurrentThreadHasEnded();

}  // namespace jprof
