// ForbiddenCalls: a scope in which the calling thread must not call functions that are forbidden in
// signal handlers: malloc, calloc, realloc, free, and __tls_get_addr (which can allocate when a
// thread first uses a variable).
//
// A test binary that links this file gets its own definitions of these functions. Sanitizers have
// their own definitions; under a sanitizer this class watches the allocator through the sanitizer's
// hooks, and does not watch __tls_get_addr. The check signal_safe_symbols shows for every build
// that our own code does not call __tls_get_addr.
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
