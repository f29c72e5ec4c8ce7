// CallTraceRotation: writes the stacks of an epoch while sampling continues without a gap.
//
// Three tables take turns: one is active, at most one waits for the recorder, one is spare. A
// rotation makes the spare one empty, exchanges it for the active one, waits until no handler holds
// the old one, has the samples drained and their stacks written, and only then clears it.
//
// Threads:
//   memory thread  its own, never attached to the JVM, no I/O: keeps memory ahead of use, flips
//   recorder       ProcessCallTraces, Find, ForEachPreserved, RegisterLivenessChecker, NearlyFull
//   sampler        Activate, Deactivate, construction, destruction
// Handlers go through CallTraceStorage.
//
// Invariants:
//  1. A table is cleared only after no guard held it, however long that takes. A reader that is
//     stalled keeps its table set aside, and rotation goes on with the others; with two tables held
//     there is no spare, and ProcessCallTraces works without flipping.
//  2. Find answers for every id of a sample that Drain has delivered, at least until the
//     ProcessCallTraces after the one that delivered it; for preserved ids longer.
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
  // Writes the stacks of these samples: all are found.
  using Write = std::function<void()>;
  // Names the ids that must be found after their epoch.
  using LivenessChecker = std::function<void(LiveCallTraces&)>;

  // Uses at most `memory_bytes`, for tables and preserved call traces. `storage` and `thread_slots`
  // outlive the object.
  static Result<std::unique_ptr<CallTraceRotation>> Create(CallTraceStorage& storage,
                                                           ThreadSlots& thread_slots,
                                                           size_t memory_bytes);

  // REQUIRES: Deactivate returned true, if Activate was ever called.
  ~CallTraceRotation();

  // The thread that populates memory ahead of use: must not be profiled.
  Tid memory_thread() const { return memory_thread_.tid(); }

  // Gives handlers an active table.
  void Activate();

  // Removes the active table. True once no handler uses any table; false if a handler has been
  // using one for seconds: then the memory must never be freed.
  bool Deactivate();

  // One rotation, or, when deactivated, the end of the last epoch: drain(last), then write().
  // True if a new epoch has begun.
  bool ProcessCallTraces(const Drain& drain, const Write& write);

  // Called in each ProcessCallTraces, after write().
  void RegisterLivenessChecker(LivenessChecker checker);

  // nullptr: the id was never issued, or its epoch is over.
  const CallTrace* Find(CallTraceId id) const;

  // Calls visit(id, call_trace) for each stack that has outlived its epoch.
  template <typename Visitor>
  void ForEachPreserved(Visitor&& visit) const {
    preserved_.ForEach(visit);
  }

  // The active table will soon refuse new stacks: time to rotate.
  bool NearlyFull() const;

  // The RAM of the tables now. Any thread.
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
  void PreserveLive();

  CallTraceStorage& storage_;
  ThreadSlots& thread_slots_;

  // Roles and tables: written under the mutex; the recorder reads them without the mutex, because
  // they change only in a flip that it has requested, or before the first sample. Never locked in a
  // handler.
  mutable std::mutex mutex_;
  std::array<Slot, 3> slots_;

  // The recorder's.
  PreservedCallTraces preserved_;
  LiveCallTraces live_;
  std::vector<CallTraceTable*> complete_;
  std::vector<LivenessChecker> checkers_;

  // Between recorder and memory thread; the flags under the mutex.
  StopEvent wake_;
  StopEvent done_;
  bool flip_requested_ = false;
  bool flipped_ = false;
  bool stop_ = false;
  NativeThread memory_thread_;
};

}  // namespace jprof
