// WeaveProbes: the Code attribute of a method, with probes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/probe_calls.h"

namespace jprof::instrument {

// The class that is being changed: its pool grows.
struct ProbedClass {
  ClassFile file;
  TargetMethods target;
  const ProbeTarget* parameters_to = nullptr;  // a target that passes parameters
  bool passes_this = false;
  // What the stack maps may still take, in bytes: bounds the time and memory for a hostile class.
  size_t stack_map_bytes = size_t{16} << 20;
};

// The content of the attribute.
Result<std::vector<uint8_t>, NotProbed> WeaveProbes(ProbedClass& probed, const Method& method,
                                                    Bytes code_attribute, uint32_t id);

}  // namespace jprof::instrument
