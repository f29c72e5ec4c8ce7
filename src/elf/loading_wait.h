// LoadingWait: waits until every running dlopen has ended, with a timeout.
//
// dlopen holds a lock of the dynamic linker until the constructors of the library have returned,
// and a constructor may do anything, for example wait for a stop of the profiler. So a separate
// thread waits for the lock. It may outlive its callers, and ends when the lock is free.
//
// Thread-safe. Not for handlers.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "sigsafe/base/types.h"

namespace jprof {

class LoadingWait {
 public:
  LoadingWait() = default;
  LoadingWait(const LoadingWait&) = delete;
  LoadingWait& operator=(const LoadingWait&) = delete;

  // `additions`: objects loaded since the process began (dlpi_adds), as read just now. The result
  // is such a number, `additions` or an earlier caller's: that many objects are ready for use.
  // nullopt after `patience_ns`.
  std::optional<uint64_t> Await(uint64_t additions, Nanos patience_ns);

 private:
  struct Round;

  std::shared_ptr<Round> CurrentRound(uint64_t additions);

  std::mutex mutex_;
  std::shared_ptr<Round> round_;  // guarded by mutex_; nullptr: no caller waits
};

}  // namespace jprof
