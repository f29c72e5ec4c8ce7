// Guarded loads: load one word from memory that might be unreadable, at the cost of a function
// call.
//
// The load is one of four instructions with known addresses. If it faults, the kernel calls our
// handler (fault_handler.h), which makes the load return "unreadable". So a stack walk can follow
// pointers that might be stale, at a few nanoseconds each. A safe load (safe_load.h) takes two
// system calls instead.
//
// Async-signal-safe. REQUIRES: our handler is installed (os/fault_action.h), and SIGSEGV and SIGBUS
// are not blocked (signal_mask.h). Without our handler a bad address is an ordinary fault. A fault
// whose signal is blocked ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace jprof {

// The effect of a fault in a guarded load: kCaught while our handler is installed, else kFatal.
enum class LoadFaults : uint8_t { kFatal, kCaught };

struct GuardedWord {
  uint64_t value;     // zero-extended
  uint64_t readable;  // 0 or 1; a whole word, to be returned in a register
};

extern "C" {
GuardedWord JprofGuardedLoad1(uint64_t address);
GuardedWord JprofGuardedLoad2(uint64_t address);
GuardedWord JprofGuardedLoad4(uint64_t address);
GuardedWord JprofGuardedLoad8(uint64_t address);
}

// Loads a value. Returns false if the memory is unreadable; *to is then unchanged. `address` need
// not be aligned.
template <typename T>
[[nodiscard]] inline bool GuardedLoad(uint64_t address, T* to) {
  static_assert(std::is_integral_v<T>);
  GuardedWord word;
  if constexpr (sizeof(T) == 1) {
    word = JprofGuardedLoad1(address);
  } else if constexpr (sizeof(T) == 2) {
    word = JprofGuardedLoad2(address);
  } else if constexpr (sizeof(T) == 4) {
    word = JprofGuardedLoad4(address);
  } else {
    word = JprofGuardedLoad8(address);
  }
  if (word.readable == 0) return false;
  *to = static_cast<T>(word.value);
  return true;
}

}  // namespace jprof
