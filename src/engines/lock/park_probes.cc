#include "engines/lock/park_probes.h"

#include <mutex>

#include "engines/method/boot_class.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

constexpr char kThreadFields[] = "jdk/internal/misc/ThreadFields";
constexpr char kNatives[] = "java/jprof/ParkNatives";

}  // namespace

Result<const ParkProbes*> ParkProbes::OfProcess(JNIEnv* jni) {
  static std::mutex mutex;
  static ParkProbes made;  // guarded by mutex until its class is set; trivially destructible
  const std::lock_guard lock(mutex);
  if (made.class_ != nullptr) return &made;
  const BootMethod methods[] = {{&made.open_, "open", "(JJ)V"},
                                {&made.close_, "close", "()V"},
                                {&made.is_parked_, "isParked", "(Ljava/lang/Thread;)Z"}};
  const bool is_jdk8 = jni->GetVersion() < JNI_VERSION_9;
  Result<jclass> found =
      BootClass(jni, kThreadFields, is_jdk8 ? kThreadFieldsOfJdk8Bytes : kThreadFieldsBytes, {});
  if (found) found = BootClass(jni, kNatives, kParkNativesBytes, {});
  if (!found) return found.error();
  made.natives_ = found.value();
  found = BootClass(jni, kName, kParkProbesBytes, methods);
  if (!found) return found.error();
  made.class_ = found.value();
  return &made;
}

Status ParkProbes::Bind(JNIEnv* jni, Ended ended, Count count) const {
  const Status bound = BindNative(jni, natives_, "ended",
                                  "(Ljava/lang/Thread;Ljava/lang/Object;JJJIJLjava/lang/Thread;J)V",
                                  reinterpret_cast<void*>(ended));
  if (!bound) return bound;
  return BindNative(jni, natives_, "count", "(JJJZ)J", reinterpret_cast<void*>(count));
}

Status ParkProbes::Open(JNIEnv* jni, const ParkPermit& permit) const {
  jni->CallStaticVoidMethod(class_, open_, jlong{permit.parker}, jlong{permit.counter});
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
