// Replaces the C++ exception runtime in libprofiler.so: a throw ends the process.
//
// All code of the library is compiled with -fno-exceptions; only the static libstdc++ could still
// throw, if a precondition is broken (for failed allocations see operator_new.cc). The exception
// runtime of libstdc++ would bring an unwinder, and thread-locals that are accessed through
// __tls_get_addr, into a library whose signal handlers must never allocate (ADR 0001). With these
// definitions a throw prints one line and ends the process, like an uncaught exception.
//
// The version script hides these functions from other libraries. Their signatures are from the
// Itanium C++ ABI, Exception Handling, level II.

#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace {

[[noreturn]] void Fail() {
  constexpr char kLine[] = "[jprof] fatal: a broken invariant in libprofiler.so\n";
  const ssize_t written = write(STDERR_FILENO, kLine, sizeof kLine - 1);
  static_cast<void>(written);
  abort();
}

}  // namespace

extern "C" {

void* __cxa_allocate_exception(size_t) noexcept { Fail(); }
void __cxa_free_exception(void*) noexcept { Fail(); }
void __cxa_throw(void*, void*, void (*)(void*)) { Fail(); }
void* __cxa_begin_catch(void*) noexcept { Fail(); }
void __cxa_end_catch() { Fail(); }
void __cxa_rethrow() { Fail(); }
void* __cxa_get_globals() noexcept { Fail(); }
void* __cxa_get_globals_fast() noexcept { Fail(); }
void __cxa_pure_virtual() { Fail(); }
int __gxx_personality_v0(int, int, unsigned long, void*, void*) { Fail(); }
void _Unwind_Resume(void*) { Fail(); }

}  // extern "C"
