// ForbiddenCalls: a scope in which the calling thread must not call functions that are forbidden in
// signal handlers: malloc, calloc, realloc, free, and __tls_get_addr (which can allocate at first
// touch).
//
// A test binary that links this file gets its own definitions of these functions. Under a
// sanitizer, which has its own definitions, the allocator is watched through the sanitizer's hooks,
// and __tls_get_addr is not watched. The check signal_safe_symbols proves in any case that our own
// code never calls it.
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

  // Returns the first forbidden function that this thread has called since the scope began; nullptr
  // if there is none.
  const char* First() const;
};

}  // namespace jprof::test
