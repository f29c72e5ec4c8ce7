#include "jvm/object_fields.h"

namespace jprof {
namespace {

constexpr jint kReferences = 8;

bool Failed(JNIEnv* jni) {
  if (!jni->ExceptionCheck()) return false;
  jni->ExceptionClear();
  return true;
}

}  // namespace

ObjectFields::ObjectFields(JNIEnv* jni)
    : jni_(jni), has_frame_(jni->PushLocalFrame(kReferences) == JNI_OK) {
  if (Failed(jni)) return;
  const jclass unsafe_class = jni->FindClass("jdk/internal/misc/Unsafe");
  if (Failed(jni)) return;
  const jmethodID get_unsafe =
      jni->GetStaticMethodID(unsafe_class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;");
  if (Failed(jni)) return;
  object_field_offset_ =
      jni->GetMethodID(unsafe_class, "objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J");
  if (Failed(jni)) return;
  class_ = jni->FindClass("java/lang/Class");
  if (Failed(jni)) return;
  for_name_ = jni->GetStaticMethodID(
      class_, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
  if (Failed(jni)) return;
  unsafe_ = jni->CallStaticObjectMethod(unsafe_class, get_unsafe);
  if (Failed(jni)) unsafe_ = nullptr;
}

jobject ObjectFields::ClassNamed(const char* class_name) const {
  const jstring name = jni_->NewStringUTF(class_name);
  if (name == nullptr) return nullptr;
  const jboolean initialize = JNI_FALSE;
  const jobject boot_loader = nullptr;
  return jni_->CallStaticObjectMethod(class_, for_name_, name, initialize, boot_loader);
}

ObjectFields::~ObjectFields() {
  if (has_frame_) jni_->PopLocalFrame(nullptr);
}

std::optional<uint32_t> ObjectFields::OffsetOf(const char* class_name, const char* field) const {
  if (unsafe_ == nullptr || jni_->PushLocalFrame(kReferences) != JNI_OK) {
    Failed(jni_);
    return std::nullopt;
  }
  std::optional<uint32_t> offset;
  const jobject owner = ClassNamed(class_name);
  const jstring name = Failed(jni_) ? nullptr : jni_->NewStringUTF(field);
  if (name != nullptr) {
    const jlong found = jni_->CallLongMethod(unsafe_, object_field_offset_, owner, name);
    if (!Failed(jni_)) offset = static_cast<uint32_t>(found);
  }
  Failed(jni_);
  jni_->PopLocalFrame(nullptr);
  return offset;
}

}  // namespace jprof
