#include "jvm/stack_chunk_reader.h"

#include <algorithm>

#include "elf/variable_finder.h"

namespace jprof {
namespace {

// jdk-25+36 src/hotspot/share/runtime/continuationJavaClasses.hpp and
// src/hotspot/share/oops/instanceStackChunkKlass.hpp; ints all.
const std::vector<std::string_view> kVariables = {
    "_ZN28jdk_internal_vm_Continuation12_tail_offsetE",
    "_ZN26jdk_internal_vm_StackChunk14_parent_offsetE",
    "_ZN26jdk_internal_vm_StackChunk12_size_offsetE",
    "_ZN26jdk_internal_vm_StackChunk10_sp_offsetE",
    "_ZN26jdk_internal_vm_StackChunk14_bottom_offsetE",
    "_ZN23InstanceStackChunkKlass16_offset_of_stackE",
};

}  // namespace

StackChunkLayout ReadStackChunkLayout(const VmStructs& structs, const MountedThreadLayout& mounted,
                                      const ObjectFields& fields) {
  StackChunkLayout layout{};
  if (!structs.fields.thread_continuation.exists()) return layout;
  const std::optional<uint32_t> cont = fields.OffsetOf("java.lang.VirtualThread", "cont");
  const bool has_colours = mounted.references.bad_colours != nullptr;
  if (has_colours && (mounted.thread_current == 0 || !cont)) return layout;
  const LibraryMap map = LibraryMap::Snapshot();
  const auto libjvm =
      std::find_if(map.libraries().begin(), map.libraries().end(),
                   [](const Library& library) { return library.path.ends_with("/libjvm.so"); });
  if (libjvm == map.libraries().end()) return layout;
  const Result<std::vector<uint64_t>> found = FindVariables(*libjvm, kVariables, sizeof(int));
  if (!found || std::count(found.value().begin(), found.value().end(), 0u) != 0) return layout;
  const auto offset = [&](size_t i) {
    return *reinterpret_cast<const uint32_t*>(found.value()[i]);
  };
  layout.continuation_tail = offset(0);
  layout.parent = offset(1);
  layout.size = offset(2);
  layout.sp = offset(3);
  layout.bottom = offset(4);
  layout.stack = offset(5);
  layout.thread_continuation = cont.value_or(0);
  return layout;
}

}  // namespace jprof
