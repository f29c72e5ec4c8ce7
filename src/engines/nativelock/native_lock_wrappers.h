// NativeLockWrappers has the wrappers for pthread_mutex_lock and the other functions of
// native_lock_calls.def. In import slots, the addresses of wrappers replace those of the functions.
//
//   caller ─▶ wrapper ─▶ attempt: takes the lock ─▶ its result
//                ├─▶ the attempt fails with an error other than EBUSY: the original ─▶ its result
//                └─▶ NativeWaits::Begin ─▶ the original, which waits ─▶ NativeWaits::End
//
// The attempt is a function such as pthread_mutex_trylock. For a free lock the attempt costs no
// more than the original, which would begin with the same attempt. The caller gets the result of
// the original for all errors, such as EDEADLK, EAGAIN and EINVAL. A wrapper does not change errno.
//
// A wrapper can be called at any time: inside malloc, while its thread starts or ends, in a forked
// child, after the stop of the recording. So it follows docs/signal-safety.md; nothing in it
// allocates or takes a lock. A thread that is cancelled in pthread_cond_wait is unwound through the
// wrapper. So a wrapper has no objects to destroy, and our library keeps its unwind tables.
//
// There is one NativeLockWrappers. It exists until the process ends, because import slots can lead
// to its wrappers.
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
  std::string_view attempt;  // empty if every call is a wait
};

inline constexpr NativeLockCall kNativeLockCalls[] = {
#define JPROF_NATIVE_LOCK_CALL(function, type, attempt) {#function, WaitType::type, attempt},
#include "engines/nativelock/native_lock_calls.def"
};
inline constexpr size_t kNativeLockCallCount = sizeof kNativeLockCalls / sizeof kNativeLockCalls[0];

class NativeLockWrappers final : public ImportWrappers {
 public:
  // The largest number of implementations of one function that are wrapped: the first
  // implementation in the global scope, and that of the C library if the first one belongs to
  // another library.
  static constexpr size_t kMaxOriginals = 2;

  // Returns the instance of the process. Called by one thread at a time.
  static NativeLockWrappers& OfProcess();

  // Makes Wants() refuse the functions for conditions in the library that contains `address`.
  // Called for the library of the JVM: the JVM's own threads wait for work on conditions, and the
  // parks of Java threads, which use conditions too, are recorded by the engine `lock`.
  void ExcludeConditionsOf(const void* address) { without_conditions_ = address; }

  std::span<const std::string_view> names() const override { return names_; }
  bool Wants(const ImportSlot& slot) const override;
  // Returns the wrapper that calls `original`; nullptr if `original` is an implementation for which
  // no attempt is known. `call` is the index in kNativeLockCalls.
  void* For(size_t call, void* original) override;
  void* OriginalOf(const void* function) const override;

 private:
  NativeLockWrappers();

  std::array<std::string_view, kNativeLockCallCount> names_;
  const void* without_conditions_ = nullptr;
};

}  // namespace jprof
