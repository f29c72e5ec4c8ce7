#include "support/forbidden_calls.h"

#include <dlfcn.h>

#include <cstddef>

#include "support/sanitizer.h"

namespace jprof::test {
namespace {

struct Watch {
  bool on;
  const char* first;
};

constinit thread_local Watch t_watch{false, nullptr};

void Note(const char* function) {
  if (t_watch.on && t_watch.first == nullptr) t_watch.first = function;
}

}  // namespace

ForbiddenCalls::ForbiddenCalls() { t_watch = {true, nullptr}; }
ForbiddenCalls::~ForbiddenCalls() { t_watch.on = false; }
const char* ForbiddenCalls::First() const { return t_watch.first; }

}  // namespace jprof::test

#if defined(JPROF_UNDER_TSAN) || defined(JPROF_UNDER_ASAN)

// The function is declared in LLVM compiler-rt include/sanitizer/allocator_interface.h; GCC's
// runtime has the same one.
extern "C" int __sanitizer_install_malloc_and_free_hooks(  // NOLINT: the sanitizer's name
    void (*on_malloc)(const volatile void*, size_t), void (*on_free)(const volatile void*));

namespace {

const int kHooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { jprof::test::Note("malloc"); },
    [](const volatile void*) { jprof::test::Note("free"); });

}  // namespace

#else

// glibc's own functions, to which our replacements forward.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void __libc_free(void* block);

__attribute__((visibility("default"))) void* malloc(size_t size) {
  jprof::test::Note("malloc");
  return __libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  jprof::test::Note("calloc");
  return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void* realloc(void* block, size_t size) {
  jprof::test::Note("realloc");
  return __libc_realloc(block, size);
}

__attribute__((visibility("default"))) void free(void* block) {
  jprof::test::Note("free");
  __libc_free(block);
}

// Sees only calls from shared libraries: within an executable the linker replaces calls to
// __tls_get_addr by direct accesses.
__attribute__((visibility("default"))) void* __tls_get_addr(void* index) {
  using Function = void* (*)(void*);
  static constinit Function real = nullptr;
  jprof::test::Note("__tls_get_addr");
  if (real == nullptr) real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__tls_get_addr"));
  return real(index);
}
}

#endif
