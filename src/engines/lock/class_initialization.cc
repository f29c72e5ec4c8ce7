#include "engines/lock/class_initialization.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "instrument/bytes.h"
#include "instrument/code.h"
#include "instrument/constant_pool.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr jint kMostFramesSearched = 1024;  // frames of a stack

// Returns the entry of the constant pool that the instruction names, if the instruction initializes
// a class; else 0.
uint16_t EntryUsedAt(jvmtiEnv* jvmti, jmethodID method, jlocation location) {
  jint size = 0;
  JvmtiPtr<unsigned char> code(jvmti);
  if (location < 0 || jvmti->GetBytecodes(method, &size, code.out()) != JVMTI_ERROR_NONE ||
      location >= size) {
    return 0;
  }
  const instrument::Bytes bytes(code.get(), static_cast<size_t>(size));
  instrument::ByteReader reader(bytes.subspan(static_cast<size_t>(location)));
  switch (reader.U1()) {
    case instrument::kOp_getstatic:
    case instrument::kOp_putstatic:
    case instrument::kOp_invokestatic:
    case instrument::kOp_new:
      return reader.U2();
    default:
      return 0;
  }
}

// Returns the class that an entry of the constant pool of `user` names, itself or as the class of a
// field or method; empty: none.
std::string ClassNameAt(jvmtiEnv* jvmti, jclass user, uint16_t entry) {
  jint count = 0;
  jint size = 0;
  JvmtiPtr<unsigned char> bytes(jvmti);
  if (jvmti->GetConstantPool(user, &count, &size, bytes.out()) != JVMTI_ERROR_NONE) return {};
  instrument::ByteReader reader({bytes.get(), static_cast<size_t>(size)});
  instrument::ConstantPool pool;
  if (!pool.ReadEntries(static_cast<uint16_t>(count), reader)) return {};
  const std::string_view name = pool.ClassName(entry);
  return std::string(name.empty() ? pool.MemberClass(entry) : name);
}

bool HasSignature(jvmtiEnv* jvmti, jclass candidate, const std::string& signature) {
  JvmtiPtr<char> text(jvmti);
  return jvmti->GetClassSignature(candidate, text.out(), nullptr) == JVMTI_ERROR_NONE &&
         signature == text.get();
}

// Returns the class of that name among those that the loader of `user` has found; nullptr: none.
jclass FindFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass user, const std::string& name) {
  const std::string signature = name.starts_with('[') ? name : 'L' + name + ';';
  jobject loader = nullptr;
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetClassLoader(user, &loader) != JVMTI_ERROR_NONE ||
      jvmti->GetClassLoaderClasses(loader, &count, classes.out()) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  jclass found = nullptr;
  for (jint i = 0; i < count; ++i) {
    if (found == nullptr && HasSignature(jvmti, classes[i], signature)) {
      found = classes[i];
    } else {
      jni->DeleteLocalRef(classes[i]);
    }
  }
  return found;
}

jint StatusOf(jvmtiEnv* jvmti, jclass of) {
  jint status = 0;
  return jvmti->GetClassStatus(of, &status) == JVMTI_ERROR_NONE ? status : 0;
}

}  // namespace

// The JVM initializes a class under the monitor of an int[0] that programs do not see
// (InstanceKlass::init_lock in src/hotspot/share/oops/instanceKlass.cpp, jdk-17+35, jdk-25+36).
// It waits there without announcing the start of the wait.
bool IsLockOfClass(JNIEnv* jni, jobject object) {
  const jclass ints = jni->FindClass("[I");
  const bool is_array = ints != nullptr && jni->IsInstanceOf(object, ints) != JNI_FALSE;
  if (ints == nullptr) jni->ExceptionClear();
  jni->DeleteLocalRef(ints);
  return is_array && jni->GetArrayLength(static_cast<jarray>(object)) == 0;
}

jclass ClassUsedBy(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  jvmtiFrameInfo frame{};
  jint frames = 0;
  if (jvmti->GetStackTrace(thread, 0, 1, &frame, &frames) != JVMTI_ERROR_NONE || frames != 1) {
    return nullptr;
  }
  const uint16_t entry = EntryUsedAt(jvmti, frame.method, frame.location);
  jclass user = nullptr;
  if (entry == 0 || jvmti->GetMethodDeclaringClass(frame.method, &user) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  const std::string name = ClassNameAt(jvmti, user, entry);
  return name.empty() ? nullptr : FindFor(jvmti, jni, user, name);
}

// A thread that waits for the initialization of a superclass has begun that of `used`.
jclass ClassAwaitedFor(jvmtiEnv* jvmti, JNIEnv* jni, jclass used) {
  constexpr jint kEnded = JVMTI_CLASS_STATUS_INITIALIZED | JVMTI_CLASS_STATUS_ERROR;
  for (jclass at = used; at != nullptr; at = jni->GetSuperclass(at)) {
    if ((StatusOf(jvmti, at) & kEnded) != 0) return at;
  }
  return used;
}

bool ClassInitializers::FindAll(const std::vector<WaitingThread>& waiting) {
  constexpr Nanos kMostLooking = 50'000'000;
  const Nanos deadline_ns = MonotonicNanos() + kMostLooking;
  for (const WaitingThread& each : waiting) {
    if (each.is_class_initialization()) Add(each.thread);
    if (MonotonicNanos() > deadline_ns) return false;
  }
  jint count = 0;
  JvmtiPtr<jthread> threads(jvmti_);
  if (jvmti_->GetAllThreads(&count, threads.out()) != JVMTI_ERROR_NONE) return false;
  for (jint i = 0; i < count; ++i) {
    const bool is_known = std::ranges::any_of(waiting, [&](const WaitingThread& each) {
      return each.is_class_initialization() &&
             jni_->IsSameObject(each.thread, threads[i]) != JNI_FALSE;
    });
    if (!is_known) Add(threads[i]);
    if (MonotonicNanos() > deadline_ns) return false;
  }
  return true;
}

// Adds an initializer for each <clinit> on the thread's stack.
void ClassInitializers::Add(jthread thread) {
  std::vector<jvmtiFrameInfo> frames(kMostFramesSearched);
  jint count = 0;
  if (jvmti_->GetStackTrace(thread, 0, kMostFramesSearched, frames.data(), &count) !=
      JVMTI_ERROR_NONE) {
    return;
  }
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> name(jvmti_);
    jclass initialized = nullptr;
    if (jvmti_->GetMethodName(frames[i].method, name.out(), nullptr, nullptr) == JVMTI_ERROR_NONE &&
        strcmp(name.get(), "<clinit>") == 0 &&
        jvmti_->GetMethodDeclaringClass(frames[i].method, &initialized) == JVMTI_ERROR_NONE) {
      all_.push_back({initialized, thread});
    }
  }
}

const ClassInitializers::Initializer* ClassInitializers::AwaitedBy(jthread thread,
                                                                   jclass used) const {
  const Initializer* found = nullptr;
  for (const Initializer& each : all_) {
    if (jni_->IsSameObject(each.thread, thread) != JNI_FALSE) continue;
    if (used != nullptr && jni_->IsSameObject(each.initialized, used) != JNI_FALSE) return &each;
    if (used != nullptr && jni_->IsAssignableFrom(used, each.initialized) == JNI_FALSE) continue;
    // Each of several candidates can be the class that the thread waits for.
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

}  // namespace jprof
