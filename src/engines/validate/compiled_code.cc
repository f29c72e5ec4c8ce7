#include "engines/validate/compiled_code.h"

#include <jvmticmlr.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jprof {

void CompiledCode::EndEarlier() {
  const std::lock_guard lock(mutex_);
  is_earlier_ = false;
}

// The entry for an instruction is the first one at or behind it, as in HotSpot (nmethod.hpp,
// PcDesc* pc_desc_near, jdk-17+35).
std::optional<CompiledCode::Decoded> CompiledCode::Decode(uint64_t pc) const {
  const std::lock_guard lock(mutex_);
  auto found = codes_.upper_bound(pc);
  if (found == codes_.begin()) return std::nullopt;
  const Code& code = std::prev(found)->second;
  if (pc >= code.end) return std::nullopt;
  const auto place = std::ranges::lower_bound(code.places, pc, {}, &Place::pc);
  if (place == code.places.end()) return Decoded{{}, code.is_earlier};
  const auto first = code.frames.begin() + place->first;
  return Decoded{{first, first + place->count}, code.is_earlier};
}

void CompiledCode::OnCompiledMethodLoad(jvmtiEnv*, jmethodID, jint size, const void* address, jint,
                                        const jvmtiAddrLocationMap*, const void* information) {
  Code code;
  for (const auto* header = static_cast<const jvmtiCompiledMethodLoadRecordHeader*>(information);
       header != nullptr; header = header->next) {
    if (header->kind != JVMTI_CMLR_INLINE_INFO) continue;
    const auto* record = reinterpret_cast<const jvmtiCompiledMethodLoadInlineRecord*>(header);
    for (jint i = 0; i < record->numpcs; ++i) {
      const PCStackInfo& info = record->pcinfo[i];
      code.places.push_back({reinterpret_cast<uint64_t>(info.pc),
                             static_cast<uint32_t>(code.frames.size()),
                             static_cast<uint32_t>(info.numstackframes)});
      for (jint frame = 0; frame < info.numstackframes; ++frame) {
        code.frames.push_back({info.methods[frame], info.bcis[frame]});
      }
    }
  }
  std::ranges::sort(code.places, {}, &Place::pc);
  const auto begin = reinterpret_cast<uint64_t>(address);
  code.end = begin + static_cast<uint64_t>(size);
  const std::lock_guard lock(mutex_);
  code.is_earlier = is_earlier_;
  auto overlapping = codes_.lower_bound(begin);
  if (overlapping != codes_.begin() && std::prev(overlapping)->second.end > begin) --overlapping;
  while (overlapping != codes_.end() && overlapping->first < code.end) {
    frames_ -= overlapping->second.frames.size();
    overlapping = codes_.erase(overlapping);
  }
  if (frames_ + code.frames.size() > kMostFrames) return;
  frames_ += code.frames.size();
  codes_.emplace(begin, std::move(code));
}

}  // namespace jprof
