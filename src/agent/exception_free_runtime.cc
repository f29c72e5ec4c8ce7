// The exception runtime of libprofiler.so: there is none.
//
// All code of the library is compiled with -fno-exceptions; what could still throw is the static
// libstdc++ itself, on a broken precondition (memory that is refused: operator_new.cc). With its
// exception runtime would come an unwinder, and thread-locals that are reached through
// __tls_get_addr, in a library whose signal handlers must never allocate (ADR 0001). These
// definitions take its place when the library is linked: a throw says so and ends the process, as
// an exception that nobody catches would.
//
// Hidden by the version script: nothing outside the library sees them. Signatures: Itanium C++ ABI,
// Exception Handling, level II.

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
