// ForbiddenCalls: a scope in which the calling thread must not call what no signal handler may
// call: malloc, calloc, realloc, free, and __tls_get_addr (which may allocate at first touch).
//
// A test binary that links this gets its own definitions of these functions. Under a sanitizer,
// which has its own, the allocator is watched through the sanitizer's hooks and __tls_get_addr is
// not; that our own code never calls it is proved by the check signal_safe_symbols in any case.
//
// Async-signal-safe.
#pragma once

namespace jprof::test {

class ForbiddenCalls {
 public:
  ForbiddenCalls();
  ~ForbiddenCalls();
  ForbiddenCalls(const ForbiddenCalls&) = delete;
  ForbiddenCalls& operator=(const ForbiddenCalls&) = delete;

  // The first forbidden function that this thread called since the scope began; nullptr if none.
  const char* First() const;
};

}  // namespace jprof::test
