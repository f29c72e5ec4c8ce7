// The only thread-local of the project: the calling thread's record.
//
// Async-signal-safe: initial-exec and constant-initialised, so reading it is one instruction
// relative to the thread pointer, without a call that could allocate (docs/adr/0001).
#pragma once

namespace jprof {

struct ProfiledThread;

// nullptr until the thread was registered or a handler on it adopted or claimed a record, and after
// EndCurrentThread.
ProfiledThread* CurrentThread();
void SetCurrentThread(ProfiledThread* thread);

// Sets the record unless there is one of the same tid, and returns the one that counts: what a
// handler on this thread has set in the middle is not overwritten.
ProfiledThread* SetCurrentThreadIfNone(ProfiledThread* thread);

// The thread gives its record back and does not want another one: what still arrives is nobody's.
// Undone by setting a record.
void EndCurrentThread();
bool CurrentThreadHasEnded();

}  // namespace jprof
