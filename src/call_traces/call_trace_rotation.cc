#include "call_traces/call_trace_rotation.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <limits>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The interval at which the memory thread calls KeepAhead of the active table.
constexpr Nanos kKeepInterval = 20'000'000;

// The longest time for which a rotation waits for handlers to leave the table, before it sets the
// table aside. A handler takes microseconds, unless its thread loses the processor.
constexpr Nanos kRotationPatience = 100'000'000;
constexpr Nanos kDeactivationPatience = 5 * kNanosPerSecond;

constexpr Nanos kForever = std::numeric_limits<Nanos>::max() / 2;

// The memory is divided into this many equal shares: one for each of the three tables, and one for
// preserved traces.
constexpr size_t kShares = 4;

uint32_t NextEpoch() {
  static std::atomic<uint32_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

Result<std::unique_ptr<CallTraceRotation>> CallTraceRotation::Create(CallTraceStorage& storage,
                                                                     ThreadSlots& thread_slots,
                                                                     size_t memory_bytes) {
  const size_t share = memory_bytes / kShares;
  std::array<Slot, 3> slots;
  for (Slot& slot : slots) {
    Result<std::unique_ptr<CallTraceTable>> table = CallTraceTable::Reserve(share);
    if (!table) return table.error();
    slot.table = std::move(table).value();
  }
  Result<StopEvent> wake = StopEvent::Create();
  if (!wake) return wake.error();
  Result<StopEvent> done = StopEvent::Create();
  if (!done) return done.error();
  std::unique_ptr<CallTraceRotation> rotation(
      new CallTraceRotation(storage, thread_slots, std::move(slots), share, std::move(wake).value(),
                            std::move(done).value()));
  CallTraceRotation* raw = rotation.get();
  Result<NativeThread> memory_thread =
      NativeThread::Start("jprof-storage", [raw] { raw->RunMemoryThread(); });
  if (!memory_thread) return memory_thread.error();
  rotation->memory_thread_ = std::move(memory_thread).value();
  return rotation;
}

CallTraceRotation::CallTraceRotation(CallTraceStorage& storage, ThreadSlots& thread_slots,
                                     std::array<Slot, 3> slots, size_t preserved_bytes,
                                     StopEvent wake, StopEvent done)
    : storage_(storage),
      thread_slots_(thread_slots),
      slots_(std::move(slots)),
      preserved_(preserved_bytes),
      wake_(std::move(wake)),
      done_(std::move(done)) {
  complete_.reserve(slots_.size());
}

CallTraceRotation::~CallTraceRotation() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.Set();
  memory_thread_.Join();
}

void CallTraceRotation::Activate() {
  {
    const std::lock_guard lock(mutex_);
    Slot* slot = SlotOf(Role::kSpare);
    slot->table->Begin(NextEpoch());
    slot->role = Role::kActive;
    storage_.Activate(&slot->table->table());
  }
  wake_.Set();
}

bool CallTraceRotation::Deactivate() {
  storage_.Activate(nullptr);
  return std::all_of(slots_.begin(), slots_.end(), [this](const Slot& slot) {
    return AwaitNoReader(*slot.table, kDeactivationPatience);
  });
}

// ---- memory thread

void CallTraceRotation::RunMemoryThread() {
  Nanos next_ns = kForever;
  for (;;) {
    wake_.WaitUntil(next_ns);
    wake_.Clear();
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    if (flip_requested_) {
      flip_requested_ = false;
      flipped_ = Flip();
      done_.Set();
    }
    Slot* active = SlotOf(Role::kActive);
    if (active != nullptr) active->table->KeepAhead();
    next_ns = active != nullptr ? MonotonicNanos() + kKeepInterval : kForever;
  }
}

// Makes the spare table the active one, ends the epoch of the previously active table, and returns
// true. If there is no spare table, changes nothing and returns false. After Deactivate, ends the
// epoch of the table that was active, and returns false.
bool CallTraceRotation::Flip() {
  Slot* active = SlotOf(Role::kActive);
  if (active == nullptr) return false;
  Slot* spare = SlotOf(Role::kSpare);
  if (spare == nullptr && storage_.active()) return false;
  if (spare != nullptr) spare->table->Begin(NextEpoch());
  const bool exchanged =
      spare != nullptr && storage_.Exchange(&active->table->table(), &spare->table->table());
  active->role = Role::kEnded;
  if (exchanged) {
    spare->role = Role::kActive;
  } else if (spare != nullptr) {
    spare->table->Clear();  // unused, because Deactivate came first
  }
  AwaitNoReader(*active->table, kRotationPatience);
  return exchanged;
}

bool CallTraceRotation::IsHeldByAnyone(const CallTraceTable& table) const {
  for (uint32_t i = 0; i < thread_slots_.HighWater(); ++i) {
    if (IsHeld(thread_slots_.At(i)->guards, &table.table())) return true;
  }
  return false;
}

// Waits until no guard holds the table, but no longer than `patience_ns`. REQUIRES: the table is
// not active. A guard that was seen without the table therefore cannot validly hold the table
// again.
bool CallTraceRotation::AwaitNoReader(const CallTraceTable& table, Nanos patience_ns) const {
  const Nanos end_ns = MonotonicNanos() + patience_ns;
  constexpr timespec kPause{0, 100'000};
  while (IsHeldByAnyone(table)) {
    if (MonotonicNanos() > end_ns) return false;
    nanosleep(&kPause, nullptr);
  }
  return true;
}

// ---- recorder

void CallTraceRotation::RegisterLivenessChecker(LivenessChecker checker) {
  checkers_.push_back(std::move(checker));
}

bool CallTraceRotation::RequestFlip() {
  {
    const std::lock_guard lock(mutex_);
    flip_requested_ = true;
  }
  wake_.Set();
  done_.WaitUntil(kForever);
  done_.Clear();
  const std::lock_guard lock(mutex_);
  return flipped_;
}

bool CallTraceRotation::ProcessCallTraces(const Drain& drain, const Write& write,
                                          const Keep& keep) {
  const bool flipped = RequestFlip();
  uint32_t last_epoch = std::numeric_limits<uint32_t>::max();
  {
    const std::lock_guard lock(mutex_);
    if (flipped) last_epoch = SlotOf(Role::kActive)->table->table().epoch() - 1;
    // Chooses the complete tables before the drain: no handler holds them, so all samples with
    // their stacks have been pushed.
    for (Slot& slot : slots_) {
      if (slot.role == Role::kEnded && !IsHeldByAnyone(*slot.table)) {
        complete_.push_back(slot.table.get());
      }
    }
  }
  drain(last_epoch);
  write();
  PreserveLive(keep);
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) {
    if (std::find(complete_.begin(), complete_.end(), slot.table.get()) == complete_.end()) {
      continue;
    }
    slot.table->Clear();
    slot.role = Role::kSpare;
  }
  complete_.clear();
  return flipped;
}

void CallTraceRotation::PreserveLive(const Keep& keep) {
  live_.Clear();
  for (const LivenessChecker& checker : checkers_) checker(live_);
  preserved_.DropDead(live_);
  for (const CallTraceTable* table : complete_) preserved_.Adopt(live_, table->table(), keep);
}

const CallTrace* CallTraceRotation::Find(CallTraceId id) const {
  for (const Slot& slot : slots_) {
    if (slot.role == Role::kSpare) continue;
    if (const CallTrace* trace = slot.table->table().Find(id)) return trace;
  }
  return preserved_.Find(id);
}

const MethodRecord* CallTraceRotation::FindMethod(uint64_t id) const {
  const MethodRecord* found = nullptr;
  for (const Slot& slot : slots_) {
    if (slot.role == Role::kSpare) continue;
    const MethodRecord* method = slot.table->table().FindMethod(id);
    if (method == nullptr) continue;
    found = method;
    if (method->declaring != nullptr) break;
  }
  return found;
}

size_t CallTraceRotation::ResidentBytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.table->ResidentBytes();
  return bytes;
}

bool CallTraceRotation::NearlyFull() const {
  const std::lock_guard lock(mutex_);
  const Slot* active = SlotOf(Role::kActive);
  return active != nullptr && active->table->nearly_full();
}

CallTraceRotation::Slot* CallTraceRotation::SlotOf(Role role) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [role](const Slot& each) { return each.role == role; });
  return slot == slots_.end() ? nullptr : &*slot;
}

}  // namespace jprof
