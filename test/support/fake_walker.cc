#include "support/fake_walker.h"

#include <algorithm>

#include "walking/walk_environments.h"

namespace jprof::test {
namespace {

// Has the layout of ASGCT_CallTrace (OpenJDK jdk-17+35 src/hotspot/share/prims/forte.cpp).
struct Trace {
  void* env;
  int32_t num_frames;
  AsgctFrame* frames;
};

std::atomic<FakeWalker*> g_walker{nullptr};

void Walk(void* raw_trace, int32_t depth, void*) {
  FakeWalker& walker = *g_walker.load();
  auto& trace = *static_cast<Trace*>(raw_trace);
  walker.calls.fetch_add(1);
  walker.last_env = trace.env;
  walker.last_depth = depth;
  if (void (*during)() = walker.during_walk) during();
  const int32_t answer = walker.answer;
  trace.num_frames = std::min(answer, depth);
  const uint64_t first_method = walker.first_method;
  const int32_t native_at = walker.native_at;
  for (int32_t i = 0; i < trace.num_frames; ++i) {
    const uint64_t method = first_method + static_cast<uint64_t>(i);
    trace.frames[i] = {i == native_at ? kAsgctNativeMethod : i, reinterpret_cast<void*>(method)};
  }
}

}  // namespace

FakeWalker::FakeWalker() {
  g_walker = this;
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.asgct = Walk; });
}

FakeWalker::~FakeWalker() {
  ChangeWalkEnvironment([](WalkEnvironment& next) { next.asgct = nullptr; });
  g_walker = nullptr;
}

}  // namespace jprof::test
