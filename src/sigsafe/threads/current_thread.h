// CurrentThread: the thread-local that leads a handler to the calling thread's slot.
//
// Async-signal-safe: initial-exec and constant-initialised, so reading it is one instruction
// relative to the thread pointer, without a call that could allocate (docs/adr/0001).
#pragma once

namespace jprof {

struct ThreadSlot;

// Returns the calling thread's slot. nullptr until the thread is registered or one of its handlers
// adopts or claims a slot, and after EndCurrentThread.
ThreadSlot* CurrentThread();
void SetCurrentThread(ThreadSlot* thread);

// Sets the slot unless a slot of the same tid is set already, and returns the current slot: a
// slot that a handler on this thread sets concurrently is not overwritten.
ThreadSlot* SetCurrentThreadIfNone(ThreadSlot* thread);

// Makes the calling thread give up its slot and take no other one: later signals find no slot.
// Undone by setting a slot.
void EndCurrentThread();
bool CurrentThreadHasEnded();

}  // namespace jprof
