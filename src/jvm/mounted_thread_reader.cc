#include "jvm/mounted_thread_reader.h"

#include "jvm/vm_flags.h"

namespace jprof {
namespace {

// JavaThreadState: jdk-25+36 src/hotspot/share/utilities/globalDefinitions.hpp; the same in jdk-17.
constexpr int32_t kThreadInVm = 6;
constexpr int32_t kThreadInJava = 8;

Result<ReferenceLayout> ReadReferenceLayout(const VmStructs& structs) {
  ReferenceLayout layout{};
  const VmStatics& statics = structs.statics;
  if (BoolFlag(structs, "UseZGC").value_or(false)) {
    const VmFields& fields = structs.fields;
    const uint64_t globals = statics.z_globals == nullptr ? 0 : *statics.z_globals;
    if (globals == 0 || !fields.bad_colours.exists() || !fields.colour_bits.exists()) {
      return Error("this JVM does not say how ZGC colours references");
    }
    layout.bad_colours = *reinterpret_cast<const uint64_t**>(globals + fields.bad_colours.offset);
    layout.colour_bits = *reinterpret_cast<const uint64_t**>(globals + fields.colour_bits.offset);
    if (layout.bad_colours == nullptr || layout.colour_bits == nullptr) {
      return Error("references have other colours in this ZGC");
    }
    return layout;
  }
  if (statics.narrow_oop_base == nullptr || statics.narrow_oop_shift == nullptr) {
    return Error("this JVM does not say how references are compressed");
  }
  layout.narrow = BoolFlag(structs, "UseCompressedOops").value_or(true);
  layout.narrow_base = *statics.narrow_oop_base;
  layout.narrow_shift = static_cast<uint32_t>(*statics.narrow_oop_shift);
  return layout;
}

}  // namespace

Result<MountedThreadLayout> ReadMountedThreadLayout(const VmStructs& structs) {
  const Result<ReferenceLayout> references = ReadReferenceLayout(structs);
  if (!references) return references.error();
  const FollowableStates followable{
      structs.fields.thread_state,
      structs.tables.ValueOf("_thread_in_Java").value_or(kThreadInJava),
      structs.tables.ValueOf("_thread_in_vm").value_or(kThreadInVm)};
  return MountedThreadLayout{references.value(), followable,
                             structs.fields.thread_current.value_or(0)};
}

}  // namespace jprof
