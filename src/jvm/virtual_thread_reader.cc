#include "jvm/virtual_thread_reader.h"

#include <optional>

#include "jvm/object_fields.h"
#include "jvm/vm_flags.h"

namespace jprof {
namespace {

// JavaThreadState: jdk-25+36 src/hotspot/share/utilities/globalDefinitions.hpp; the same in jdk-17.
constexpr int32_t kThreadInVm = 6;
constexpr int32_t kThreadInJava = 8;

// The header of a byte[] (jdk-25+36 src/hotspot/share/oops/arrayOop.hpp): mark word and class
// pointer, or both in one word; then its length; then, at once, the bytes.
uint32_t ArrayLengthOffset(const VmStructs& structs) {
  constexpr uint32_t kMark = 8;
  constexpr uint32_t kNarrowClass = 4;
  constexpr uint32_t kWideClass = 8;
  if (BoolFlag(structs, "UseCompactObjectHeaders").value_or(false)) return kMark;
  const bool narrow = BoolFlag(structs, "UseCompressedClassPointers").value_or(true);
  return kMark + (narrow ? kNarrowClass : kWideClass);
}

ThreadNameLayout ReadNameLayout(const VmStructs& structs, const ObjectFields& fields) {
  const auto thread_id = fields.OffsetOf("java/lang/Thread", "tid");
  const auto thread_name = fields.OffsetOf("java/lang/Thread", "name");
  const auto text_value = fields.OffsetOf("java/lang/String", "value");
  const auto text_coder = fields.OffsetOf("java/lang/String", "coder");
  if (!thread_id || !thread_name || !text_value || !text_coder) return {};
  const uint32_t length = ArrayLengthOffset(structs);
  return {*thread_id,  *thread_name, *text_value,
          *text_coder, length,       length + static_cast<uint32_t>(sizeof(int32_t))};
}

}  // namespace

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

Result<VirtualThreadLayout> ReadVirtualThreadLayout(const VmStructs& structs, int64_t env_offset,
                                                    JNIEnv* jni) {
  if (!structs.fields.thread_current_id.exists()) {
    return Error("this JVM does not export JavaThread._monitor_owner_id");
  }
  VirtualThreadLayout layout{};
  layout.env_offset = env_offset;
  layout.thread_current_id = structs.fields.thread_current_id;
  layout.thread_continuation = structs.fields.thread_continuation;
  layout.followable = {structs.fields.thread_state,
                       structs.tables.ValueOf("_thread_in_Java").value_or(kThreadInJava),
                       structs.tables.ValueOf("_thread_in_vm").value_or(kThreadInVm)};
  const Result<ReferenceLayout> references = ReadReferenceLayout(structs);
  if (!references || !structs.layout.thread_current) return layout;
  layout.thread_current = *structs.layout.thread_current;
  layout.references = references.value();
  layout.names = ReadNameLayout(structs, ObjectFields(jni));
  return layout;
}

}  // namespace jprof
