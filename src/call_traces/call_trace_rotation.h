// CallTraceRotation writes the stacks of an epoch while sampling continues without interruption.
//
// There are three tables. One is active, at most one waits for the recorder, and one is spare. A
// rotation empties the spare table, makes it the active one, and waits until no handler holds the
// previously active table. Then the samples are drained and their stacks are written. Only after
// that does the rotation clear the previously active table.
//
// Threads:
//   memory thread  populates memory ahead of its use, and exchanges the active table (flip). It
//                  belongs to this object, never attaches to the JVM, and does no I/O.
//   recorder       ProcessCallTraces, Find, FindMethod, ForEachPreserved, RegisterLivenessChecker, NearlyFull
//   sampler        Activate, Deactivate, construction, destruction
// Handlers use CallTraceStorage.
//
// Invariants:
//  1. A table is cleared only once no guard holds it, however long that takes. A table that a
//     stalled handler holds is set aside, and the rotation continues with the other tables. While
//     stalled handlers hold two tables, there is no spare table, and ProcessCallTraces works
//     without a flip.
//  2. When a Drain has delivered a sample, Find finds the stack of the sample at least until the
//     next call of ProcessCallTraces. A preserved stack is found for longer.
//  3. Epochs are numbered over the whole process, so no id is ever issued twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "call_traces/call_trace_table.h"
#include "call_traces/preserved_call_traces.h"
#include "os/native_thread.h"
#include "os/stoppable_thread.h"
#include "sigsafe/stack/call_trace_storage.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

class CallTraceRotation {
 public:
  // Takes the published samples of epochs up to `last_epoch`.
  using Drain = std::function<void(uint32_t last_epoch)>;
  // Writes the stacks of the samples that Drain has taken. Find succeeds for all of them.
  using Write = std::function<void()>;
  // Takes the names of the methods of a stack that outlives its epoch (FindMethod).
  using Keep = std::function<void(const CallTrace&)>;
  // Names the ids that Find() must still find after their epoch.
  using LivenessChecker = std::function<void(LiveCallTraces&)>;

  // Makes a rotation that uses at most `memory_bytes` for tables and preserved call traces.
  // `storage` and `thread_slots` outlive the object.
  static Result<std::unique_ptr<CallTraceRotation>> Create(CallTraceStorage& storage,
                                                           ThreadSlots& thread_slots,
                                                           size_t memory_bytes);

  // REQUIRES: if Activate was ever called, Deactivate has returned true.
  ~CallTraceRotation();

  // Returns the tid of the memory thread, which must not be profiled.
  Tid memory_thread() const { return memory_thread_.tid(); }

  // Gives handlers an active table.
  void Activate();

  // Removes the active table, and waits until no handler uses a table. Returns false if a handler
  // has been using a table for seconds; the memory must then never be freed.
  bool Deactivate();

  // Performs one rotation, or ends the last epoch after Deactivate. Calls drain(last_epoch), then
  // write(), then keep(stack) for each stack that outlives its epoch, which ends. Returns true if a
  // new epoch has begun.
  bool ProcessCallTraces(
      const Drain& drain, const Write& write, const Keep& keep = [](const CallTrace&) {});

  // Adds a checker, which each ProcessCallTraces calls after write().
  void RegisterLivenessChecker(LivenessChecker checker);

  // Returns the stack with the id. Returns nullptr if the id was never issued, or if its epoch is
  // over and its stack is not preserved.
  const CallTrace* Find(CallTraceId id) const;

  // Returns the names of a method that occurs in a stack of an epoch that has not ended; nullptr if
  // they are not known. The record is valid as long as the stack (invariant 2).
  const MethodRecord* FindMethod(uint64_t id) const;

  // Calls visit(id, call_trace) for each stack that has outlived its epoch.
  template <typename Visitor>
  void ForEachPreserved(Visitor&& visit) const {
    preserved_.ForEach(visit);
  }

  // True if the active table will soon refuse new stacks, so that a rotation is due.
  bool NearlyFull() const;

  // Returns the RAM that the tables use now. Callable on any thread.
  size_t ResidentBytes() const;

 private:
  enum class Role { kSpare, kActive, kEnded };

  struct Slot {
    std::unique_ptr<CallTraceTable> table;
    Role role = Role::kSpare;
  };

  CallTraceRotation(CallTraceStorage& storage, ThreadSlots& thread_slots, std::array<Slot, 3> slots,
                    size_t preserved_bytes, StopEvent wake, StopEvent done);

  void RunMemoryThread();
  bool RequestFlip();
  bool Flip();
  bool IsHeldByAnyone(const CallTraceTable& table) const;
  bool AwaitNoReader(const CallTraceTable& table, Nanos patience_ns) const;
  Slot* SlotOf(Role role);
  const Slot* SlotOf(Role role) const { return const_cast<CallTraceRotation*>(this)->SlotOf(role); }
  void PreserveLive(const Keep& keep);

  CallTraceStorage& storage_;
  ThreadSlots& thread_slots_;

  // Guards slots_. The recorder reads slots_ without the mutex, because slots_ changes only in a
  // flip that the recorder has requested, or before the first sample. No handler locks the mutex.
  mutable std::mutex mutex_;
  std::array<Slot, 3> slots_;

  // Used on the recorder's thread.
  PreservedCallTraces preserved_;
  LiveCallTraces live_;
  std::vector<CallTraceTable*> complete_;
  std::vector<LivenessChecker> checkers_;

  // The recorder sets wake_ to request a flip. The memory thread sets done_ after the flip. mutex_
  // guards the flags.
  StopEvent wake_;
  StopEvent done_;
  bool flip_requested_ = false;
  bool flipped_ = false;
  bool stop_ = false;
  NativeThread memory_thread_;
};

}  // namespace jprof
