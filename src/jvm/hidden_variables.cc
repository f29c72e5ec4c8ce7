#include "jvm/hidden_variables.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "elf/library_map.h"
#include "elf/symbol_finder.h"
#include "jvm/frame_slots.h"

namespace jprof {
namespace {

enum Variable : size_t {
  // The offsets of fields. All are ints (jdk-25+36
  // src/hotspot/share/runtime/continuationJavaClasses.hpp and
  // src/hotspot/share/oops/instanceStackChunkKlass.hpp).
  kTailOffset,
  kParentOffset,
  kSizeOffset,
  kSpOffset,
  kBottomOffset,
  kStackOffset,
  kMaxThawingSizeOffset,
  kOffsetsEnd,
  // Addresses of code (jdk-21+35 src/hotspot/share/runtime/continuationEntry.hpp and
  // src/hotspot/share/runtime/stubRoutines.hpp).
  kReturnPc = kOffsetsEnd,
  kReturnBarrier,
};

const std::vector<WantedVariable> kVariables = {
    {"_ZN28jdk_internal_vm_Continuation12_tail_offsetE", sizeof(int)},
    {"_ZN26jdk_internal_vm_StackChunk14_parent_offsetE", sizeof(int)},
    {"_ZN26jdk_internal_vm_StackChunk12_size_offsetE", sizeof(int)},
    {"_ZN26jdk_internal_vm_StackChunk10_sp_offsetE", sizeof(int)},
    {"_ZN26jdk_internal_vm_StackChunk14_bottom_offsetE", sizeof(int)},
    {"_ZN23InstanceStackChunkKlass16_offset_of_stackE", sizeof(int)},
    {"_ZN26jdk_internal_vm_StackChunk22_maxThawingSize_offsetE", sizeof(int)},
    {"_ZN17ContinuationEntry10_return_pcE", sizeof(uint64_t)},
    {"_ZN12StubRoutines19_cont_returnBarrierE", sizeof(uint64_t)},
};

}  // namespace

HiddenVariables HiddenVariables::Find() {
  const LibraryMap map = LibraryMap::Snapshot();
  const auto libjvm =
      std::find_if(map.libraries().begin(), map.libraries().end(),
                   [](const Library& library) { return library.path.ends_with("/libjvm.so"); });
  if (libjvm != map.libraries().end()) {
    Result<std::vector<uint64_t>> found = FindVariables(*libjvm, kVariables);
    if (found) return HiddenVariables(std::move(found).value());
  }
  return HiddenVariables(std::vector<uint64_t>(kVariables.size()));
}

std::optional<HiddenContinuation> HiddenVariables::Continuation(const HotspotLayout& layout) const {
  if (addresses_[kReturnPc] == 0 || addresses_[kReturnBarrier] == 0) return std::nullopt;
  const uint64_t barrier = *reinterpret_cast<const uint64_t*>(addresses_[kReturnBarrier]);
  if (barrier < layout.code_low || barrier + kReturnBarrierBytes > layout.code_high) {
    return std::nullopt;
  }
  const std::optional<uint32_t> offset =
      ContinuationOffset(reinterpret_cast<const uint8_t*>(barrier));
  if (!offset) return std::nullopt;
  return HiddenContinuation{reinterpret_cast<const uint64_t*>(addresses_[kReturnPc]), *offset};
}

std::optional<StackChunkLayout> HiddenVariables::StackChunk() const {
  if (std::count(addresses_.begin(), addresses_.begin() + kOffsetsEnd, 0u) != 0) {
    return std::nullopt;
  }
  const auto offset = [this](Variable variable) {
    return *reinterpret_cast<const uint32_t*>(addresses_[variable]);
  };
  return StackChunkLayout{.continuation_tail = offset(kTailOffset),
                          .parent = offset(kParentOffset),
                          .size = offset(kSizeOffset),
                          .sp = offset(kSpOffset),
                          .bottom = offset(kBottomOffset),
                          .max_thawing_size = offset(kMaxThawingSizeOffset),
                          .stack = offset(kStackOffset),
                          .thread_continuation = 0};
}

}  // namespace jprof
