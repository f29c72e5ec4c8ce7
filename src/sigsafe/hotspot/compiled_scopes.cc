#include "sigsafe/hotspot/compiled_scopes.h"

#include "sigsafe/base/check.h"
#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/unsigned5.h"

namespace jprof {
namespace {

// PcDesc {int pc_offset; int scope_decode_offset; int obj_decode_offset; int flags}, the same from
// JDK 8 to 27 (src/hotspot/share/code/pcDesc.hpp).
constexpr uint64_t kPcDescSize = 16;
constexpr uint64_t kScopeField = 4;
// The maximum number of PcDescs of one nmethod: far more than the largest has.
constexpr uint64_t kMaxPcDescs = 1 << 22;
constexpr uint64_t kMetadataBytes = 8;
// HotSpot stores a bytecode index minus InvocationEntryBci (jdk-17+35
// src/hotspot/share/code/compressedStream.hpp, read_bci).
constexpr int32_t kInvocationEntryBci = -1;

// Returns the bytecode index that HotSpot has stored as `stored`. The entry of a method, where a
// synchronized method takes its monitor, has the index SynchronizationEntryBCI, which is also -1.
// Like JVMTI, this function returns 0 for it (jdk-17+35 src/hotspot/share/runtime/vframe_hp.cpp,
// compiledVFrame::bci).
int32_t BytecodeIndexFrom(uint32_t stored) {
  const int32_t bci = static_cast<int32_t>(stored) + kInvocationEntryBci;
  return bci == kInvocationEntryBci ? 0 : bci;
}

// Finds the index of the first PcDesc whose pc_offset is `offset` or more; `count` if there is
// none. Returns false if a PcDesc is unreadable.
bool LowerBound(uint64_t descs, uint64_t count, int32_t offset, uint64_t* found) {
  uint64_t low = 0;
  uint64_t high = count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    int32_t at = 0;
    if (!GuardedLoad(descs + middle * kPcDescSize, &at)) return false;
    if (at < offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *found = low;
  return true;
}

}  // namespace

bool CompiledScopes::Find(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc,
                          PcMeaning meaning, CompiledScopes* scopes) {
  JPROF_CHECK(blob.is_nmethod);
  int64_t method = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  if (!vm.nmethod_method.Load(blob.address, &method) ||
      !vm.scopes_pcs_begin.Find(blob.address, &begin) ||
      !vm.scopes_pcs_end.Find(blob.address, &end) || end < begin) {
    return false;
  }
  scopes->vm_ = &vm;
  scopes->method_ = static_cast<uint64_t>(method);
  scopes->place_ = 0;
  scopes->exact_ = true;
  const uint64_t count = (end - begin) / kPcDescSize;
  if (count == 0) return true;  // the wrapper of a native method
  if (count > kMaxPcDescs) return false;
  const auto offset = static_cast<int32_t>(pc - blob.code_begin);
  uint64_t index = 0;
  if (!LowerBound(begin, count, offset, &index)) return false;
  scopes->exact_ = false;
  // `pc` is after the method's last PcDesc: in the code that calls the collector's barriers.
  if (index == count) return meaning == PcMeaning::kNext || FollowsCall(pc);
  const uint64_t desc = begin + index * kPcDescSize;
  int32_t at = 0;
  if (!GuardedLoad(desc, &at) || !GuardedLoad(desc + kScopeField, &scopes->place_)) return false;
  scopes->exact_ = at == offset;
  if (!scopes->exact_ && meaning == PcMeaning::kReturn && !FollowsCall(pc)) return false;
  return vm.scopes_data.Find(blob.address, &scopes->data_) &&
         vm.metadata.Find(blob.address, &scopes->metadata_);
}

bool CompiledScopes::Next(Scope* scope) {
  if (place_ == 0) {
    *scope = {method_, -1, true};
    return true;
  }
  uint64_t at = data_ + place_;
  uint32_t sender = 0;
  uint32_t method_index = 0;
  uint32_t bci = 0;
  if (!ReadUnsigned5(vm_->unsigned5_bias, &at, &sender) ||
      !ReadUnsigned5(vm_->unsigned5_bias, &at, &method_index) ||
      !ReadUnsigned5(vm_->unsigned5_bias, &at, &bci)) {
    return false;
  }
  uint64_t method = 0;
  // Index 0 means no method; index 1 is the first entry of the table.
  if (method_index == 0 || !GuardedLoad(metadata_ + (method_index - 1) * kMetadataBytes, &method)) {
    return false;
  }
  *scope = {method, BytecodeIndexFrom(bci), sender == 0};
  place_ = sender;
  return true;
}

}  // namespace jprof
