// Functions that read command line flags (-XX) of the running JVM, and RaisedFlag, which sets one.
//
// Callable on any thread, outside signal handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "jvm/vm_structs.h"

namespace jprof {

// Returns the value of a flag of type bool; nullopt if this JVM has no such flag or does not export
// flags.
std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name);
// Returns the value of a flag of type size_t; nullopt if this JVM has no such flag or does not
// export flags.
std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name);
// True if a flag of type ccstr has a text. False if the flag has no text, if the JVM has no such
// flag, or if the JVM does not export flags.
bool HasTextFlag(const VmStructs& structs, std::string_view name);

// A flag of type bool that is true while the object lives, unless the user has chosen its value. Only
// for flags that the JVM reads anew each time that it uses them.
class RaisedFlag {
 public:
  // Sets the flag to true, unless it was set to any value when the JVM was started. Returns nullopt if
  // this JVM has no such flag, if it does not export flags, or if the kernel refuses the store.
  static std::optional<RaisedFlag> Raise(const VmStructs& structs, std::string_view name);

  RaisedFlag(RaisedFlag&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
  RaisedFlag& operator=(RaisedFlag&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  // Sets the flag to false, if Raise has set it to true.
  ~RaisedFlag();

 private:
  explicit RaisedFlag(uint64_t address) : address_(address) {}

  uint64_t address_;  // of the flag's value; 0 if the value is not to be changed back
};

// True if only the collector's own threads collect objects, as with ZGC and Shenandoah. Other
// collectors can collect at safepoints instead.
bool HasConcurrentCollector(const VmStructs& structs);

}  // namespace jprof
