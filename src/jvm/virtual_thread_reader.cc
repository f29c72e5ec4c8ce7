#include "jvm/virtual_thread_reader.h"

#include <algorithm>
#include <optional>

#include "base/result.h"
#include "elf/symbol_finder.h"
#include "jvm/frame_slots.h"
#include "jvm/jvm_errors.h"
#include "jvm/object_fields.h"
#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {
namespace {

// Values of JavaThreadState: jdk-25+36 src/hotspot/share/utilities/globalDefinitions.hpp; the same
// in jdk-17.
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

// Returns how to get from a JavaThread to the java.lang.Thread that is mounted on it: the encoding
// of references by the JVM's garbage collector, and the condition under which a reference may be
// followed. `thread_current` of the layout is 0 if the JVM does not export that field. An error
// says why references cannot be read.
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

// Returns the places of variables of libjvm.so that are in its .symtab alone, all of `size` bytes;
// nullopt if one is missing. Reading the symbol table takes a few milliseconds.
std::optional<std::vector<uint64_t>> FindHiddenVariables(const std::vector<std::string_view>& names,
                                                         uint64_t size) {
  const LibraryMap map = LibraryMap::Snapshot();
  const auto libjvm =
      std::find_if(map.libraries().begin(), map.libraries().end(),
                   [](const Library& library) { return library.path.ends_with("/libjvm.so"); });
  if (libjvm == map.libraries().end()) return std::nullopt;
  Result<std::vector<uint64_t>> found = FindVariables(*libjvm, names, size);
  if (!found || std::count(found.value().begin(), found.value().end(), 0u) != 0) {
    return std::nullopt;
  }
  return std::move(found).value();
}

// The variables of libjvm.so with the offsets of a StackChunk's fields, all ints (jdk-25+36
// src/hotspot/share/runtime/continuationJavaClasses.hpp and
// src/hotspot/share/oops/instanceStackChunkKlass.hpp).
const std::vector<std::string_view> kVariables = {
    "_ZN28jdk_internal_vm_Continuation12_tail_offsetE",
    "_ZN26jdk_internal_vm_StackChunk14_parent_offsetE",
    "_ZN26jdk_internal_vm_StackChunk12_size_offsetE",
    "_ZN26jdk_internal_vm_StackChunk10_sp_offsetE",
    "_ZN26jdk_internal_vm_StackChunk14_bottom_offsetE",
    "_ZN23InstanceStackChunkKlass16_offset_of_stackE",
};

// Returns the layout of jdk.internal.vm.StackChunk, the object in the Java heap in which HotSpot
// keeps the frames of an unmounted virtual thread. `stack` of the layout is 0 if it cannot be read,
// because libjvm.so has no .symtab, the only place with the offsets. `mounted`: from
// ReadMountedThreadLayout.
StackChunkLayout ReadStackChunkLayout(const MountedThreadLayout& mounted,
                                      const ObjectFields& fields) {
  StackChunkLayout layout{};
  const std::optional<uint32_t> cont = fields.OffsetOf("java.lang.VirtualThread", "cont");
  const bool has_colours = mounted.references.bad_colours != nullptr;
  if (has_colours && (mounted.thread_current == 0 || !cont)) return layout;
  const auto found = FindHiddenVariables(kVariables, sizeof(int));
  if (!found) return layout;
  const auto offset = [&](size_t i) { return *reinterpret_cast<const uint32_t*>((*found)[i]); };
  layout.continuation_tail = offset(0);
  layout.parent = offset(1);
  layout.size = offset(2);
  layout.sp = offset(3);
  layout.bottom = offset(4);
  layout.stack = offset(5);
  layout.thread_continuation = cont.value_or(0);
  return layout;
}

// Returns the offset of the length in a byte[] (jdk-25+36 src/hotspot/share/oops/arrayOop.hpp). The
// header has the mark word and the class pointer, or both in one word, then the length; the bytes
// follow directly.
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

std::optional<HiddenContinuation> FindHiddenContinuation(const HotspotLayout& layout) {
  const auto found = FindHiddenVariables(
      {"_ZN17ContinuationEntry10_return_pcE", "_ZN12StubRoutines19_cont_returnBarrierE"},
      sizeof(uint64_t));
  if (!found) return std::nullopt;
  const uint64_t barrier = *reinterpret_cast<const uint64_t*>((*found)[1]);
  if (barrier < layout.code_low || barrier + kReturnBarrierBytes > layout.code_high) {
    return std::nullopt;
  }
  const std::optional<uint32_t> offset =
      ContinuationOffset(reinterpret_cast<const uint8_t*>(barrier));
  if (!offset) return std::nullopt;
  return HiddenContinuation{reinterpret_cast<const uint64_t*>((*found)[0]), *offset};
}

Status ReadVirtualThreads(const VmStructs& structs, const ObjectFields& fields,
                          HotspotLayout* layout) {
  layout->thread_current_id = structs.fields.thread_current_id;
  layout->thread_continuation = structs.fields.thread_continuation;
  if (!layout->thread_continuation.exists()) {
    if (const auto hidden = FindHiddenContinuation(*layout)) {
      layout->continuation_return = hidden->return_pc;
      layout->thread_continuation = {hidden->entry_offset, sizeof(uint64_t), false};
    }
  }
  const Result<MountedThreadLayout> mounted = ReadMountedThreadLayout(structs);
  if (mounted) {
    layout->mounted = mounted.value();
    if (layout->thread_continuation.exists()) {
      layout->chunk = ReadStackChunkLayout(mounted.value(), fields);
    }
  }
  if (layout->mounted.thread_current != 0) layout->names = ReadNameLayout(structs, fields);
  if (layout->finds_virtual_threads()) return {};
  if (!mounted) return mounted.error();
  return NotExportedByJvm("JavaThread._monitor_owner_id");
}

}  // namespace jprof
