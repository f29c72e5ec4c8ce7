// WeaveProbes adds probes to the Code attribute of a method. ProbedClass is the class that is being
// changed. TargetMethods names the methods that the probes call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "instrument/add_probes.h"
#include "instrument/class_file.h"
#include "instrument/constant_pool.h"

namespace jprof::instrument {

// The indexes, in the constant pool, of the methods that the probes call. `exit` and `exception`
// are 0 if the target has no such method.
struct TargetMethods {
  uint16_t entry = 0;
  uint16_t exit = 0;
  uint16_t exception = 0;

  // Adds the entries to `pool`. Returns nullopt if the pool is full.
  static std::optional<TargetMethods> Add(const ProbeTarget& target, ConstantPool& pool);
};

// The class that is being changed. Probes add entries to its constant pool.
struct ProbedClass {
  ClassFile file;
  TargetMethods target;
  // The target, if its entry probes get the parameters of the probed method; else nullptr.
  const ProbeTarget* parameters_to = nullptr;
  bool passes_this = false;
  // The total number of bytes that the stack maps of further methods may take. The limit bounds
  // time and memory for a hostile class.
  size_t stack_map_bytes = size_t{16} << 20;
};

struct WovenCode {
  std::vector<uint8_t> content;       // the new content of the attribute Code
  std::vector<CodeRange> probe_code;  // MethodReport::probe_code
};

// Returns the new code, or the reason why the method cannot be probed.
Result<WovenCode, NotProbed> WeaveProbes(ProbedClass& probed, const Method& method,
                                         Bytes code_attribute, uint32_t id);

}  // namespace jprof::instrument
