// Safe loads: read memory of this process that might not be mapped, without a SIGSEGV handler.
//
// Called on any thread, in handlers too. Async-signal-safe; errno is not touched. The kernel does
// the copy (process_vm_readv on ourselves), so a bad address makes the load fail and raises no
// signal.
//
// Guarantees
//  1. A safe load reads only bytes of pages that are readable at the time: PROT_NONE, unmapped,
//     non-canonical and kernel addresses end the read.
//  2. The result is the longest readable prefix, exact to the page boundary.
// Does not guarantee
//  - a consistent snapshot: bytes can change while they are copied;
//  - device mappings such as [vvar]: they count as unreadable.
// A load costs two system calls and takes the kernel's mmap lock for reading, so a thread that maps
// memory delays the read. Read one block, not single words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace jprof {

enum class SafeLoadOutcome : uint8_t {
  kComplete,   // every byte was read
  kFault,      // the memory ends or is unreadable before the last byte
  kForbidden,  // the kernel or a seccomp filter denies the system call, so it is unknown whether
               // the memory is readable
};

struct SafeCopyResult {
  size_t copied;
  SafeLoadOutcome outcome;
};

// Copies [from, from + n) to `to`. REQUIRES: `to` has n writable bytes.
SafeCopyResult TrySafeCopy(void* to, const void* from, size_t n);

// Copies the readable prefix of [from, from + n) to `to`, and returns its length.
inline size_t SafeCopy(void* to, const void* from, size_t n) {
  return TrySafeCopy(to, from, n).copied;
}

// Reads one value. Returns false if it cannot be read completely; *to is then unspecified. `from`
// need not be aligned.
template <typename T>
bool SafeLoad(const void* from, T* to) {
  static_assert(std::is_trivially_copyable_v<T>);
  return SafeCopy(to, from, sizeof(T)) == sizeof(T);
}

// Tests safe loads by reading a local variable. If the result is kForbidden, every safe load of
// this process fails, and the first start of a recording reports which features are therefore
// missing (sampler/jvm_connection).
SafeLoadOutcome ProbeSafeLoad();

}  // namespace jprof
