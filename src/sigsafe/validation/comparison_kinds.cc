#include "sigsafe/validation/comparison_kinds.h"

namespace jprof {

std::string_view TextOf(Layer layer) {
  constexpr std::string_view kTexts[] = {"probes", "safepoint", "signal", "late (approximate)"};
  return kTexts[static_cast<size_t>(layer)];
}

std::string_view TextOf(JudgedWalker walker) {
  constexpr std::string_view kTexts[] = {"GetStackTrace", "jprof", "AsyncGetCallTrace"};
  return kTexts[static_cast<size_t>(walker)];
}

std::string_view TextOf(Tier tier) {
  constexpr std::string_view kTexts[] = {"interpreted", "C1", "C2", "native", "none"};
  return kTexts[static_cast<size_t>(tier)];
}

Tier TierOf(const Frame* frames, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!IsJava(frames[i]) || frames[i].kind == FrameKind::kInlined) continue;
    switch (frames[i].kind) {
      case FrameKind::kInterpreted:
        return Tier::kInterpreted;
      case FrameKind::kC1Compiled:
        return Tier::kC1;
      case FrameKind::kC2Compiled:
        return Tier::kC2;
      case FrameKind::kJavaNative:
        return Tier::kNative;
      default:
        return Tier::kNone;
    }
  }
  return Tier::kNone;
}

}  // namespace jprof
