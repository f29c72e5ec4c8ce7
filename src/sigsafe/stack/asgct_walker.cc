#include "sigsafe/stack/asgct_walker.h"

#include <atomic>

namespace jprof {
namespace {

struct AsgctTrace {
  void* env_id;
  int32_t num_frames;
  AsgctFrame* frames;
};

// release by SetFunction, acquire in handlers; set before the first signal is sent.
std::atomic<AsgctWalker::Function> g_function{nullptr};
static_assert(std::atomic<AsgctWalker::Function>::is_always_lock_free);

}  // namespace

void AsgctWalker::SetFunction(Function function) {
  g_function.store(function, std::memory_order_release);
}

AsgctResult AsgctWalker::Walk(void* jni_env, void* context, AsgctFrame* frames, uint32_t depth) {
  const Function function = g_function.load(std::memory_order_acquire);
  if (function == nullptr) return {0, WalkOutcome::kNoWalker};
  AsgctTrace trace{jni_env, 0, frames};
  function(&trace, static_cast<int32_t>(depth), context);
  if (trace.num_frames <= 0) return {0, OutcomeOfCode(trace.num_frames)};
  return {static_cast<uint32_t>(trace.num_frames), WalkOutcome::kNoJavaFrame};
}

}  // namespace jprof
