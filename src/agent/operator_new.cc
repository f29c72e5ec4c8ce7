// The `new` and `delete` of libprofiler.so and of its static libstdc++, on top of MemoryReserve.
// The version script hides these operators from other libraries.
//
// A request that even the reserve cannot serve ends the process, as an uncaught std::bad_alloc
// would: there are no exceptions (exception_free_runtime.cc).

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/memory_reserve.h"

namespace {

using jprof::MemoryReserve;

[[noreturn]] void Fail(size_t bytes) {
  char line[100];
  const int length = snprintf(line, sizeof line,
                              "[jprof] fatal: out of memory, at a request of %zu bytes\n", bytes);
  const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
  static_cast<void>(written);
  abort();
}

void* Allocated(size_t bytes, size_t alignment) {
  void* const block = MemoryReserve::OfProcess().Allocate(bytes, alignment);
  if (block == nullptr) Fail(bytes);
  return block;
}

void Free(void* block) { MemoryReserve::OfProcess().Free(block); }

constexpr size_t kPlain = alignof(max_align_t);

}  // namespace

void* operator new(size_t bytes) { return Allocated(bytes, kPlain); }
void* operator new[](size_t bytes) { return Allocated(bytes, kPlain); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return Allocated(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return Allocated(bytes, static_cast<size_t>(alignment));
}
// The reserve is not used for nothrow new, because its callers handle a failure.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes); }

void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { Free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { Free(block); }
