#include "jvm/chunk_layout_reader.h"

#include <algorithm>

#include "elf/variable_finder.h"
#include "jvm/mounted_thread_reader.h"

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

ChunkLayout ReadChunkLayout(const VmStructs& structs, const ObjectFields& fields) {
  ChunkLayout layout{};
  const Result<MountedThreadLayout> mounted = ReadMountedThreadLayout(structs);
  if (!structs.fields.thread_continuation.exists() || !mounted) return layout;
  const std::optional<uint32_t> cont = fields.OffsetOf("java.lang.VirtualThread", "cont");
  const bool has_colours = mounted.value().references.bad_colours != nullptr;
  if (has_colours && (mounted.value().thread_current == 0 || !cont)) return layout;
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
  layout.mounted = mounted.value();
  layout.thread_continuation = cont.value_or(0);
  return layout;
}

}  // namespace jprof
