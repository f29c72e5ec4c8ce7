// CurrentThread: the thread-local that leads a handler to the calling thread's slot.
//
// Async-signal-safe: the thread-local is initial-exec and constant-initialised. So it is read by
// one instruction relative to the thread pointer, without a call that could allocate
// (docs/adr/0001).
#pragma once

namespace jprof {

struct ThreadSlot;

// Returns the calling thread's slot. Returns nullptr until the thread is registered or one of its
// handlers has found or claimed a slot, whichever comes first, and again after EndCurrentThread.
ThreadSlot* CurrentThread();
void SetCurrentThread(ThreadSlot* thread);

// Sets the slot, unless a slot with the same tid is set already. A handler on this thread might set
// one during the call, and that slot is kept. Returns the slot that is set when the call returns.
ThreadSlot* SetCurrentThreadIfNone(ThreadSlot* thread);

// Makes the calling thread give up its slot, so that later signals find no slot and claim none. A
// call of SetCurrentThread undoes this.
void EndCurrentThread();
bool CurrentThreadHasEnded();

}  // namespace jprof
