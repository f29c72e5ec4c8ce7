// MethodMemory reads descriptions of methods from the memory of the VM. It is for methods that
// JVMTI does not describe, because no loaded class lists them (sigsafe/hotspot/java_method.h).
//
// Every read is a safe load, so it does no harm if the VM has freed the Method. If the VM has put
// another Method in its place, the check in the id almost always shows this (MethodCheck). The VM
// keeps an old version of a method while a thread runs that version, and frees it at a later
// collection of metadata. The recorder asks for the description within a fraction of a second after
// the sample, so the version usually still exists.
//
// Thread-safe, outside signal handlers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jvm/method_info.h"
#include "jvm/vm_structs.h"

namespace jprof {

class MethodMemory {
 public:
  // `unsigned5_bias` is HotspotLayout::unsigned5_bias.
  MethodMemory(const VmStructs& structs, uint8_t unsigned5_bias);

  // Returns the description of the method with `id`, the id in a frame: its name, descriptor,
  // modifiers and lines, and the name and modifiers of its class. Returns nullopt if the method is
  // gone, or the VM does not export the needed fields.
  std::optional<MethodInfo> Describe(uint64_t id) const;

 private:
  // A copy of a ConstMethod and the data that follow it: the bytecodes and the table of lines.
  struct Copy;

  // Returns the address of the Method with this id; 0 if there is none, or the Method is gone.
  uint64_t MethodOf(uint64_t id) const;
  std::optional<Copy> CopyOf(uint64_t method) const;
  std::optional<std::string> SymbolAt(uint64_t symbol) const;
  // Returns the text at an index of a constant pool.
  std::optional<std::string> TextOf(uint64_t pool, int64_t index) const;
  std::shared_ptr<const ClassInfo> ClassOf(uint64_t pool) const;
  std::vector<MethodInfo::Line> LinesOf(const Copy& copy) const;

  const VmFields fields_;
  const int32_t has_lines_;  // flag of a ConstMethod that has lines; 0 if not known
  const uint8_t bias_;
  const bool is_complete_;
};

}  // namespace jprof
