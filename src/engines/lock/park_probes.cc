#include "engines/lock/park_probes.h"

#include <mutex>

#include "engines/trace/boot_class.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {

Result<const ParkProbes*> ParkProbes::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static ParkProbes made;  // guarded by mutex until its class is set; trivially destructible
  const std::lock_guard lock(mutex);
  if (made.class_ != nullptr) return &made;
  const BootMethod methods[] = {{&made.open_, "open", "()V"},
                                {&made.close_, "close", "()V"},
                                {&made.is_parked_, "isParked", "(Ljava/lang/Thread;)Z"}};
  const Result<jclass> found = BootClass(jni, kName, kParkProbesBytes, methods);
  if (!found) return found.error();
  made.class_ = found.value();
  return &made;
}

Status ParkProbes::Bind(JNIEnv* jni, Ended ended, Count count, Owner owner) const {
  Status bound = BindNative(jni, class_, "ended",
                            "(Ljava/lang/Thread;Ljava/lang/Object;JJJIJLjava/lang/Thread;J)V",
                            reinterpret_cast<void*>(ended));
  if (bound) {
    bound =
        BindNative(jni, class_, "count", "(Ljava/lang/Thread;JZ)J", reinterpret_cast<void*>(count));
  }
  if (!bound) return bound;
  return BindNative(jni, class_, "owner", "(Ljava/lang/Object;)J", reinterpret_cast<void*>(owner));
}

Status ParkProbes::Open(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, open_);
  return CheckBootCall(jni, "open");
}

void ParkProbes::Close(JNIEnv* jni) const {
  jni->CallStaticVoidMethod(class_, close_);
  static_cast<void>(CheckBootCall(jni, "close"));
}

bool ParkProbes::IsParked(JNIEnv* jni, jthread thread) const {
  const jboolean is_parked = jni->CallStaticBooleanMethod(class_, is_parked_, thread);
  return CheckBootCall(jni, "isParked") && is_parked != JNI_FALSE;
}

}  // namespace jprof
