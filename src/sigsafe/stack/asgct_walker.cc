#include "sigsafe/stack/asgct_walker.h"

namespace jprof {
namespace {

struct AsgctTrace {
  void* env_id;
  int32_t num_frames;
  AsgctFrame* frames;
};

}  // namespace

AsgctResult WalkByAsgct(AsgctFunction function, void* jni_env, void* context, AsgctFrame* frames,
                        uint32_t depth) {
  if (function == nullptr) return {0, WalkOutcome::kNoWalker};
  AsgctTrace trace{jni_env, 0, frames};
  function(&trace, static_cast<int32_t>(depth), context);
  if (trace.num_frames <= 0) return {0, OutcomeOfCode(trace.num_frames)};
  return {static_cast<uint32_t>(trace.num_frames), WalkOutcome::kNoJavaFrame};
}

}  // namespace jprof
