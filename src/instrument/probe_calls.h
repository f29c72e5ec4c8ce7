// ProbeCalls: the instructions of the probes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrument/add_probes.h"
#include "instrument/constant_pool.h"
#include "instrument/descriptor.h"

namespace jprof::instrument {

// The pool's entries for the methods of a target; exit and exception: 0 if it has none.
struct TargetMethods {
  uint16_t entry = 0;
  uint16_t exit = 0;
  uint16_t exception = 0;

  // nullopt: the pool is full.
  static std::optional<TargetMethods> Add(const ProbeTarget& target, ConstantPool& pool);
};

// Loads the parameters of a static method, or `this`.
struct ParameterLoads {
  explicit ParameterLoads(const MethodDescriptor& descriptor);
  ParameterLoads() = default;
  static ParameterLoads This();

  std::vector<uint8_t> code;
  uint32_t slots = 0;
  std::string types;  // their descriptors
};

// Of a method.
struct ProbeCalls {
  // Slots of the operand stack that entry and exit need above what is on it, without loads, and the
  // handler in all.
  static constexpr uint32_t kStackOnTop = 3;
  static constexpr uint32_t kHandlerStack = 5;

  std::vector<uint8_t> entry;
  std::vector<uint8_t> exit;     // empty: none
  std::vector<uint8_t> handler;  // as exit
  uint32_t load_slots = 0;       // of the operand stack, by what the entry loads first

  // `token`: the local variable that holds the token, with the one after it.
  static ProbeCalls Make(const TargetMethods& methods, const ParameterLoads& loads, uint32_t id,
                         uint32_t token);
};

}  // namespace jprof::instrument
