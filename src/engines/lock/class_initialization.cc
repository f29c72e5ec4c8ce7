#include "engines/lock/class_initialization.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr jint kMostFrames = 1024;  // of a stack that are looked at

uint32_t U2At(std::span<const unsigned char> bytes, size_t at) {
  return at + 1 < bytes.size() ? uint32_t{bytes[at]} << 8 | bytes[at + 1] : 0;
}

// The entries of a constant pool (JVMS 4.4), as JVMTI copies them.
class PoolEntries {
 public:
  PoolEntries(std::span<const unsigned char> bytes, jint count) : bytes_(bytes) {
    constexpr uint8_t kLong = 5;
    constexpr uint8_t kDouble = 6;
    size_t at = 0;
    places_.push_back(bytes_.size());  // entry 0 does not exist
    while (static_cast<jint>(places_.size()) < count && at < bytes_.size()) {
      places_.push_back(at);
      const uint8_t tag = bytes_[at];
      const size_t size = SizeOf(tag, at);
      if (size == 0) break;  // of a later version
      if (tag == kLong || tag == kDouble) places_.push_back(bytes_.size());
      at += size;
    }
  }

  // The name of a class entry, or of the class of a field or method entry; empty: neither.
  std::string ClassNameOf(uint32_t index) const {
    constexpr uint8_t kClass = 7;
    const std::optional<uint8_t> tag = TagOf(index);
    if (!tag) return {};
    if (*tag == kClass) return TextOf(U2At(bytes_, places_[index] + 1));
    const bool is_member = *tag >= 9 && *tag <= 11;  // Fieldref, Methodref, InterfaceMethodref
    if (!is_member) return {};
    const uint32_t of = U2At(bytes_, places_[index] + 1);
    return TagOf(of) == kClass ? ClassNameOf(of) : std::string();
  }

 private:
  size_t SizeOf(uint8_t tag, size_t at) const {
    switch (tag) {
      case 1:
        return 3 + U2At(bytes_, at + 1);
      case 3:
      case 4:
      case 9:
      case 10:
      case 11:
      case 12:
      case 17:
      case 18:
        return 5;
      case 5:
      case 6:
        return 9;
      case 7:
      case 8:
      case 16:
      case 19:
      case 20:
        return 3;
      case 15:
        return 4;
      default:
        return 0;
    }
  }
  std::optional<uint8_t> TagOf(uint32_t index) const {
    if (index >= places_.size() || places_[index] >= bytes_.size()) return std::nullopt;
    return bytes_[places_[index]];
  }
  std::string TextOf(uint32_t index) const {
    constexpr uint8_t kUtf8 = 1;
    if (TagOf(index) != kUtf8) return {};
    const size_t begin = places_[index] + 3;
    const size_t size = U2At(bytes_, places_[index] + 1);
    if (begin + size > bytes_.size()) return {};
    return {reinterpret_cast<const char*>(&bytes_[begin]), size};
  }

  const std::span<const unsigned char> bytes_;
  std::vector<size_t> places_;
};

// The entry that the instruction names, if it is one that initializes a class; 0: it is not.
uint32_t EntryUsedAt(jvmtiEnv* jvmti, jmethodID method, jlocation location) {
  constexpr uint8_t kGetStatic = 0xb2;
  constexpr uint8_t kPutStatic = 0xb3;
  constexpr uint8_t kInvokeStatic = 0xb8;
  constexpr uint8_t kNew = 0xbb;
  jint size = 0;
  JvmtiPtr<unsigned char> code(jvmti);
  if (location < 0 || jvmti->GetBytecodes(method, &size, code.out()) != JVMTI_ERROR_NONE ||
      location >= size) {
    return 0;
  }
  const uint8_t operation = code.get()[location];
  const bool initializes = operation == kGetStatic || operation == kPutStatic ||
                           operation == kInvokeStatic || operation == kNew;
  const std::span<const unsigned char> bytes(code.get(), static_cast<size_t>(size));
  return initializes ? U2At(bytes, static_cast<size_t>(location) + 1) : 0;
}

bool HasSignature(jvmtiEnv* jvmti, jclass candidate, const std::string& signature) {
  JvmtiPtr<char> text(jvmti);
  return jvmti->GetClassSignature(candidate, text.out(), nullptr) == JVMTI_ERROR_NONE &&
         signature == text.get();
}

// Of the classes that the loader of `user` has found, the one of the name.
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
// It waits there without announcing the begin.
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
  const uint32_t entry = EntryUsedAt(jvmti, frame.method, frame.location);
  jclass user = nullptr;
  jint count = 0;
  jint size = 0;
  JvmtiPtr<unsigned char> pool(jvmti);
  if (entry == 0 || jvmti->GetMethodDeclaringClass(frame.method, &user) != JVMTI_ERROR_NONE ||
      jvmti->GetConstantPool(user, &count, &size, pool.out()) != JVMTI_ERROR_NONE) {
    return nullptr;
  }
  const PoolEntries entries({pool.get(), static_cast<size_t>(size)}, count);
  const std::string name = entries.ClassNameOf(entry);
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

// Takes the <clinit> frames of the thread's stack in.
void ClassInitializers::Add(jthread thread) {
  std::vector<jvmtiFrameInfo> frames(kMostFrames);
  jint count = 0;
  if (jvmti_->GetStackTrace(thread, 0, kMostFrames, frames.data(), &count) != JVMTI_ERROR_NONE) {
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
    // Without a class in the code it can be no other one; of several superclasses it may be each.
    if (found != nullptr) return nullptr;
    found = &each;
  }
  return found;
}

}  // namespace jprof
