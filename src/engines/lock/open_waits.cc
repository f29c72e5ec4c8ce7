#include "engines/lock/open_waits.h"

#include "engines/lock/wait_totals.h"
#include "sigsafe/base/check.h"

namespace jprof {

jweak OpenWaits::Begin(const OpenWait& wait) {
  jweak left = nullptr;
  JPROF_CHECK(wait.thread > 0 && wait.type != WaitType::kPark);
  // If an earlier wait has left an entry of this thread, that entry is used.
  for (size_t i = 0; i < kTries; ++i) {
    const size_t place = PlaceOf(wait.thread, i);
    const uint64_t key = keys_[place].load(std::memory_order_acquire);
    if (key >> kStateBits == static_cast<uint64_t>(wait.thread) && Take(place, key, wait, &left)) {
      return left;
    }
  }
  for (const bool takes_remembered : {false, true}) {
    for (size_t i = 0; i < kTries; ++i) {
      const size_t place = PlaceOf(wait.thread, i);
      const uint64_t key = keys_[place].load(std::memory_order_acquire);
      const bool is_free = key == 0 || (takes_remembered && StateOf(key) == kRemembered);
      if (is_free && Take(place, key, wait, &left)) return left;
    }
  }
  without_place_.fetch_add(1, kRelaxed);
  return wait.object;
}

bool OpenWaits::Take(size_t place, uint64_t from, const OpenWait& wait, jweak* left) {
  if (!keys_[place].compare_exchange_strong(from, KeyOf(wait.thread, kBusy),
                                            std::memory_order_acquire, kRelaxed)) {
    return false;
  }
  Fields& fields = fields_[place];
  *left = StateOf(from) >= kOpen ? fields.object.load(kRelaxed) : nullptr;
  fields.object.store(wait.object, kRelaxed);
  fields.start_ns.store(wait.start_ns, kRelaxed);
  fields.timeout.store(wait.timeout, kRelaxed);
  fields.owner.store(wait.owner, kRelaxed);
  fields.monitor.store(wait.monitor, kRelaxed);
  keys_[place].store(KeyOf(wait.thread, kOpen + static_cast<uint64_t>(wait.type)),
                     std::memory_order_release);
  if (wait.monitor != 0) marks_.Set(place / kGroup);
  return true;
}

std::optional<OpenWait> OpenWaits::End(int64_t thread, WaitType type) {
  return Close(thread, type, 0, 0);
}

std::optional<OpenWait> OpenWaits::EndAndRemember(int64_t thread, WaitType type, Nanos now_ns) {
  return Close(thread, type, KeyOf(thread, kRemembered), now_ns);
}

std::optional<OpenWait> OpenWaits::Close(int64_t thread, WaitType type, uint64_t next_key,
                                         Nanos now_ns) {
  const uint64_t open = KeyOf(thread, kOpen + static_cast<uint64_t>(type));
  const uint64_t remembered = KeyOf(thread, kRemembered);
  for (size_t i = 0; i < kTries; ++i) {
    const size_t place = PlaceOf(thread, i);
    uint64_t key = keys_[place].load(std::memory_order_acquire);
    const bool is_again = key == remembered && type == WaitType::kMonitorEnter;
    if (key != open && !is_again) continue;
    if (!keys_[place].compare_exchange_strong(key, KeyOf(thread, kBusy), std::memory_order_acquire,
                                              kRelaxed)) {
      return std::nullopt;  // another thread has taken the entry, which only remembered a time
    }
    OpenWait wait = WaitAt(place, open);
    if (is_again) {
      wait.owner = {};
      wait.object = nullptr;
      wait.held = {};
    }
    fields_[place].start_ns.store(now_ns, kRelaxed);
    keys_[place].store(next_key, std::memory_order_release);
    return wait;
  }
  return std::nullopt;
}

OpenWait OpenWaits::WaitAt(size_t place, uint64_t key) const {
  const Fields& fields = fields_[place];
  OpenWait wait{static_cast<int64_t>(key >> kStateBits),
                static_cast<WaitType>(StateOf(key) - kOpen),
                fields.start_ns.load(kRelaxed),
                fields.timeout.load(kRelaxed),
                fields.owner.load(kRelaxed),
                fields.object.load(kRelaxed),
                fields.monitor.load(kRelaxed)};
  if (fields.held_for_ns.load(std::memory_order_acquire) == wait.start_ns) {
    wait.held = {fields.holder.load(kRelaxed), fields.holder_trace.load(kRelaxed)};
  }
  return wait;
}

// A thread that ends a wait reads either the holder of this wait or no holder: the looker does not
// write to a place for a later wait before that wait has begun.
void OpenWaits::SetHolder(size_t place, const OpenWait& wait, const HolderStack& held) {
  Fields& fields = fields_[place];
  fields.held_for_ns.store(0, kRelaxed);
  fields.holder.store(held.holder, kRelaxed);
  fields.holder_trace.store(held.trace, kRelaxed);
  fields.held_for_ns.store(wait.start_ns, std::memory_order_release);
}

}  // namespace jprof
