// NativeLockWrappers: functions that replace pthread_mutex_lock and the other functions in
// native_lock_calls.def in import slots.
//
//   caller ─▶ wrapper ─▶ attempt: the lock is free, or the call fails ─▶ its result
//                └─▶ NativeWaits::Begin ─▶ the original, which waits ─▶ NativeWaits::End
//
// A free lock costs the attempt, which does what the original would do first. If the attempt fails
// for another reason than that the lock is held, the caller gets the result of the original:
// EDEADLK, EAGAIN, EINVAL. errno is not changed.
//
// A wrapper might be called at any time: inside malloc, while its thread starts or ends, in a
// forked child, after the stop. So it follows docs/signal-safety.md; nothing in it allocates or
// takes a lock. pthread_cond_wait can be cancelled: there is nothing to destroy in a wrapper, and
// the module keeps its unwind tables.
//
// Process-wide and permanent, as CreationWrappers are.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/wait_type.h"
#include "elf/import_hook.h"

namespace jprof {

struct NativeLockCall {
  std::string_view name;
  WaitType type;
  std::string_view attempt;  // empty: each call waits
};

inline constexpr NativeLockCall kNativeLockCalls[] = {
#define JPROF_NATIVE_LOCK_CALL(function, type, attempt) {#function, WaitType::type, attempt},
#include "engines/nativelock/native_lock_calls.def"
};
inline constexpr size_t kNativeLockCallCount = sizeof kNativeLockCalls / sizeof kNativeLockCalls[0];

class NativeLockWrappers final : public ImportWrappers {
 public:
  // The most implementations of a call that are hooked: the one of the global scope, and the one of
  // the C library if another library comes before it.
  static constexpr size_t kMaxOriginals = 2;

  // Returns the instance of the process. Called by one thread at a time.
  static NativeLockWrappers& OfProcess();

  // Makes Wants refuse the conditions of the library that `address` is in: the JVM's threads wait
  // for work in them, and Java threads park in them, which the engine `lock` records.
  void ExcludeConditionsOf(const void* address) { without_conditions_ = address; }

  std::span<const std::string_view> names() const override { return names_; }
  bool Wants(const ImportSlot& slot) const override;
  // Returns the wrapper for the call; nullptr: `original` is another implementation, the attempt of
  // which is not known.
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

 private:
  NativeLockWrappers();

  std::array<std::string_view, kNativeLockCallCount> names_;
  const void* without_conditions_ = nullptr;
};

}  // namespace jprof
