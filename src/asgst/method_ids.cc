#include "asgst/method_ids.h"

#include "asgst/walk_service.h"
#include "jvm/jni_scope.h"
#include "profiler/asgst.h"
#include "sigsafe/asgst/exported.h"
#include "sigsafe/asgst/method_texts.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/os/forked_child.h"

namespace jprof::asgst {
namespace {

// The number of times that a class is looked for. The collector can move the java.lang.Class while
// it is read, so that other memory is read.
constexpr int kAttempts = 10;

// Returns the identity of the method at the address, and copies the names of the method; 0 if there
// is no method.
uint64_t Meet(const ApiState& state, uint64_t address) {
  JavaMethod java;
  const bool is_met = address != 0 && LoadJavaMethod(*state.vm, address, &java) &&
                      state.methods->Add(*state.vm, address, java.id, *state.arena) &&
                      FindMethod(state, java.id) != nullptr;
  return is_met ? java.id : 0;
}

uint64_t MethodOfAddress(uint64_t id) {
  const WalkSession session;
  uint64_t address = 0;
  if (session.result() != kMore || id % kWordSize != 0 || !GuardedLoad(id, &address)) return 0;
  return Meet(session.state(), address);
}

// `declaring` is a local reference: the address of a word with the address of the java.lang.Class.
uint64_t MethodInClass(jclass declaring, uint64_t id) {
  const WalkSession session;
  if (session.result() != kMore || session.state().class_in_mirror == 0) return 0;
  const ApiState& state = session.state();
  uint64_t mirror = 0;
  uint64_t klass = 0;
  if (!GuardedLoad(reinterpret_cast<uint64_t>(declaring), &mirror) ||
      !GuardedLoad(mirror + state.class_in_mirror, &klass)) {
    return 0;
  }
  return Meet(state, FindMethodWithId(state, klass, id));
}

uint64_t MethodOfNumber(JvmEvents& events, JNIEnv* jni, jmethodID id) {
  uint64_t found = 0;
  for (int i = 0; i < kAttempts && found == 0 && !events.is_ending(); ++i) {
    jclass declaring = nullptr;
    // The call waits until a safepoint is over, so the collector is not moving objects just then.
    if (events.jvmti()->GetMethodDeclaringClass(id, &declaring) != JVMTI_ERROR_NONE) return 0;
    found = MethodInClass(declaring, reinterpret_cast<uint64_t>(id));
    jni->DeleteLocalRef(declaring);
  }
  return found;
}

}  // namespace

uint64_t MethodOfId(JvmEvents& events, jmethodID id) {
  const ApiState* const state = TheApiState();
  if (state == nullptr || id == nullptr) return 0;
  if (state->ids_are_addresses) return MethodOfAddress(reinterpret_cast<uint64_t>(id));
  const JniScope jni(events.vm());
  return jni ? MethodOfNumber(events, jni.get(), id) : 0;
}

}  // namespace jprof::asgst

using namespace jprof::asgst;  // NOLINT(google-build-using-namespace): the entries of the library

extern "C" JPROF_EXPORTED ASGST_Method ASGST_JMethodIDToMethod(struct _jmethodID* id) {
  jprof::JvmEvents* const events = WalkService::Events();
  if (jprof::InForkedChild() || events == nullptr) return nullptr;
  return reinterpret_cast<ASGST_Method>(MethodOfId(*events, id));
}
