// PrimingPath: how the profiler came to know a thread. Generated from the table priming_path.def.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jprof {

enum class PrimingPath : uint8_t {
#define PRIMING_PATH(id, name, description) id,
#include "sigsafe/base/priming_path.def"
#undef PRIMING_PATH
};

inline constexpr const char* kPrimingPathNames[] = {
#define PRIMING_PATH(id, name, description) name,
#include "sigsafe/base/priming_path.def"
#undef PRIMING_PATH
};

inline constexpr size_t kPrimingPathCount = sizeof kPrimingPathNames / sizeof kPrimingPathNames[0];

// A set of paths. The sampler uses all paths, except in tests.
class PrimingPaths {
 public:
  static constexpr PrimingPaths None() { return PrimingPaths(0); }
  static constexpr PrimingPaths All() { return PrimingPaths((1U << kPrimingPathCount) - 1); }

  constexpr bool Has(PrimingPath path) const { return (bits_ & Bit(path)) != 0; }
  constexpr void Add(PrimingPath path) { bits_ |= Bit(path); }
  constexpr bool operator==(const PrimingPaths&) const = default;

 private:
  constexpr explicit PrimingPaths(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t Bit(PrimingPath path) { return 1U << static_cast<uint32_t>(path); }

  uint32_t bits_;
};

}  // namespace jprof
