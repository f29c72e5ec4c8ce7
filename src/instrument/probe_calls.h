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

// The pool's entries for the methods of a target. `exit` and `exception` are 0 if the target has no
// such method.
struct TargetMethods {
  uint16_t entry = 0;
  uint16_t exit = 0;
  uint16_t exception = 0;

  // Adds the entries to `pool`; nullopt if the pool is full.
  static std::optional<TargetMethods> Add(const ProbeTarget& target, ConstantPool& pool);
};

// Code that loads the parameters of a static method, or `this`.
struct ParameterLoads {
  explicit ParameterLoads(const MethodDescriptor& descriptor);
  ParameterLoads() = default;
  static ParameterLoads This();

  std::vector<uint8_t> code;
  uint32_t slots = 0;
  std::string types;  // descriptors of the parameters
};

// The probes of one method.
struct ProbeCalls {
  // The slots of the operand stack that entry and exit need in addition to those in use, not
  // counting the loads, and the slots that the handler needs in all.
  static constexpr uint32_t kStackOnTop = 3;
  static constexpr uint32_t kHandlerStack = 5;

  std::vector<uint8_t> entry;
  std::vector<uint8_t> exit;     // empty: no exit probe
  std::vector<uint8_t> handler;  // empty: no exception probe
  uint32_t load_slots = 0;       // slots of the operand stack that the entry loads first

  // `token` is the first of the two local variables that hold the token.
  static ProbeCalls Make(const TargetMethods& methods, const ParameterLoads& loads, uint32_t id,
                         uint32_t token);
};

}  // namespace jprof::instrument
