#include "jvm/virtual_thread_reader.h"

#include <optional>

#include "jvm/jvm_errors.h"
#include "jvm/mounted_thread_reader.h"
#include "jvm/object_fields.h"
#include "jvm/stack_chunk_reader.h"
#include "jvm/vm_flags.h"

namespace jprof {
namespace {

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
  const auto thread_id = fields.OffsetOf("java.lang.Thread", "tid");
  const auto thread_name = fields.OffsetOf("java.lang.Thread", "name");
  const auto text_value = fields.OffsetOf("java.lang.String", "value");
  const auto text_coder = fields.OffsetOf("java.lang.String", "coder");
  if (!thread_id || !thread_name || !text_value || !text_coder) return {};
  const uint32_t length = ArrayLengthOffset(structs);
  return {*thread_id,  *thread_name, *text_value,
          *text_coder, length,       length + static_cast<uint32_t>(sizeof(int32_t))};
}

}  // namespace

Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout) {
  layout->thread_current_id = structs.fields.thread_current_id;
  layout->thread_continuation = structs.fields.thread_continuation;
  const Result<MountedThreadLayout> mounted = ReadMountedThreadLayout(structs);
  if (mounted) {
    layout->mounted = mounted.value();
    layout->chunk = ReadStackChunkLayout(structs, mounted.value(), fields);
  }
  if (layout->mounted.thread_current != 0) layout->names = ReadNameLayout(structs, fields);
  if (layout->tells_virtual_threads()) return {};
  if (!mounted) return mounted.error();
  return NotExportedByJvm("JavaThread._monitor_owner_id");
}

}  // namespace jprof
