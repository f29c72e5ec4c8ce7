// WalkService counts the uses of the stack walking API (include/profiler/asgst.h). While there is a
// use, the functions of the API work.
//
// Thread-safe, not for handlers. There is one object per process; it is never destroyed.
#pragma once

#include <jvmti.h>

#include <mutex>
#include <optional>

#include "base/result.h"
#include "jvm/hotspot_layout_reader.h"
#include "jvm/jvm_events.h"
#include "jvm/vm_structs.h"
#include "sigsafe/asgst/api_state.h"
#include "walking/walking.h"

namespace jprof::asgst {

// The parts of the agent's data about its JVM that the API uses. They live as long as the process.
struct ServedJvm {
  Walking& walking;
  JvmEvents& events;
  const VmStructs& structs;
  const HotspotReading& hotspot;
};

// Makes the jmethodIDs of each class that the JVM prepares.
class MethodIdMaker final : public JvmEventListener {
 public:
  // Makes the jmethodIDs of all loaded classes.
  static Status MakeForLoaded(jvmtiEnv* jvmti, JNIEnv* jni);

  void OnClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass prepared) override;
};

class WalkService {
 public:
  static WalkService& OfProcess();

  // Begins a use. If `with_method_ids` is true, the JVM makes all jmethodIDs from now on. Called on
  // an attached thread, in the live phase of the JVM. `jvm` is the same in all calls.
  Status Begin(const ServedJvm& jvm, JNIEnv* jni, bool with_method_ids);

  // Ends a use. Returns false if there is none.
  bool End();

  // Returns the events of the JVM; nullptr before the first use.
  static JvmEvents* Events();

 private:
  Status MakeState(const ServedJvm& jvm, JNIEnv* jni);
  Status MakeMethodIds(const ServedJvm& jvm, JNIEnv* jni);

  std::mutex mutex_;  // guards all below
  int uses_ = 0;
  std::optional<Walking::Use> walking_;
  ApiState* state_ = nullptr;  // never freed: a handler might read it
  MethodIdMaker method_ids_;
  JvmEvents::Subscription prepared_classes_;
  bool makes_method_ids_ = false;
};

}  // namespace jprof::asgst
