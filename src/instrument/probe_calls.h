// ProbeCalls: the instructions of the probes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/add_probes.h"
#include "instrument/constant_pool.h"
#include "instrument/descriptor.h"

namespace jprof::instrument {

// The pool's entries for the methods of a target; exit and exception: 0 if it has entries only.
struct TargetMethods {
  uint16_t entry = 0;
  uint16_t exit = 0;
  uint16_t exception = 0;
  // Loads what the entry probe gets in front of the id, in so many slots.
  std::vector<uint8_t> loads = {};
  uint32_t load_slots = 0;

  // nullopt: the pool is full.
  static std::optional<TargetMethods> Add(const ProbeTarget& target, ConstantPool& pool);

  // For a target that passes parameters: the methods for one of this descriptor. As above.
  // REQUIRES: it is static.
  std::optional<TargetMethods> WithParameters(const ProbeTarget& target,
                                              const MethodDescriptor& descriptor,
                                              ConstantPool& pool) const;
};

// Of a method.
struct ProbeCalls {
  // Slots of the operand stack that entry and exit need above what is on it, without loads, and the
  // handler in all.
  static constexpr uint32_t kStackOnTop = 3;
  static constexpr uint32_t kHandlerStack = 5;

  std::vector<uint8_t> entry;
  std::vector<uint8_t> exit;     // empty: entries only
  std::vector<uint8_t> handler;  // as exit
  uint32_t load_slots = 0;

  // `token`: the local variable that holds the token, with the one after it.
  static ProbeCalls Make(const TargetMethods& methods, uint32_t id, uint32_t token);
};

}  // namespace jprof::instrument
