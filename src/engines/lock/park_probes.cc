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
  const BootMethod methods[] = {{&made.open_, "open", "(J)V"},
                                {&made.close_, "close", "()V"},
                                {&made.is_parked_, "isParked", "(Ljava/lang/Thread;)Z"},
                                {&made.read_, "read", "()[J"}};
  const Result<jclass> found = BootClass(jni, kName, kParkProbesBytes, methods);
  if (!found) return found.error();
  made.class_ = found.value();
  return &made;
}

Status ParkProbes::Bind(JNIEnv* jni, Ended ended, Owner owner) const {
  const Status bound = BindNative(jni, class_, "ended",
                                  "(Ljava/lang/Thread;Ljava/lang/Object;JJJIJLjava/lang/Thread;J)V",
                                  reinterpret_cast<void*>(ended));
  if (!bound) return bound;
  return BindNative(jni, class_, "owner", "(Ljava/lang/Object;)J", reinterpret_cast<void*>(owner));
}

Status ParkProbes::Open(JNIEnv* jni, Nanos interval_ns) const {
  jni->CallStaticVoidMethod(class_, open_, static_cast<jlong>(interval_ns));
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

WaitSums ParkProbes::Read(JNIEnv* jni) const {
  constexpr jsize kSums = 5;
  const LocalFrame frame(jni, 2);
  auto* const array = static_cast<jlongArray>(jni->CallStaticObjectMethod(class_, read_));
  if (!CheckBootCall(jni, "read") || array == nullptr) return {};
  jlong values[kSums] = {};
  jni->GetLongArrayRegion(array, 0, kSums, values);
  WaitSums sums;
  uint64_t* const to[] = {&sums.waits, &sums.total_ns, &sums.short_waits, &sums.short_ns,
                          &sums.longest_ns};
  for (jsize i = 0; i < kSums; ++i) *to[i] = static_cast<uint64_t>(values[i]);
  return sums;
}

}  // namespace jprof
