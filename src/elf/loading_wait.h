// LoadingWait: waits until every dlopen that is under way has ended, but not longer than one likes.
//
// dlopen holds a lock of the dynamic linker until the constructors of the library have returned,
// and these may do anything: wait for a stop of ours, for one. So a thread of its own waits for the
// lock; it may outlive everybody who waits for it, and ends when the lock is free.
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
  // is such a number, this one or an earlier caller's: all of so many are ready for use. Nothing
  // if that does not come true within `patience_ns`.
  std::optional<uint64_t> Await(uint64_t additions, Nanos patience_ns);

 private:
  struct Round;

  std::shared_ptr<Round> CurrentRound(uint64_t additions);

  std::mutex mutex_;
  std::shared_ptr<Round> round_;  // guarded by mutex_; nullptr: nobody waits
};

}  // namespace jprof
