#include "sampler/method_ids.h"

#include <utility>

#include "base/log.h"
#include "sigsafe/stack/walk_environment.h"

namespace jprof {

Status MethodIds::Begin(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (has_begun_) return {};
  // Without ClassLoad, AsyncGetCallTrace refuses to walk.
  const std::pair<JvmEventListener&, jvmtiEvent> needed[] = {
      {jvm_.classes, JVMTI_EVENT_CLASS_PREPARE}, {jvm_.frames, JVMTI_EVENT_CLASS_LOAD}};
  for (const auto& [listener, event] : needed) {
    Result<JvmEvents::Subscription> subscription = jvm_.events.Subscribe(listener, {event});
    if (!subscription) return subscription.error();
    subscriptions_.push_back(std::move(subscription).value());
  }
  has_begun_ = true;
  return jvm_.classes.AddLoaded(jvm_.events.jvmti(), jni);
}

void MethodIds::End() {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  subscriptions_.clear();
}

void MethodIds::BeforeSamples(OpenChunk& open) {
  if (open.jni == nullptr || TheWalkEnvironment().walks_vm_frames()) return;
  const Status begun = Begin(open.jni);
  if (!begun) Log::Warn("frames have no names from now on: %s", begun.error().message().c_str());
}

}  // namespace jprof
