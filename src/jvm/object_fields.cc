#include "jvm/object_fields.h"

#include "jvm/jvm_errors.h"

namespace jprof {
namespace {

constexpr jint kReferences = 8;

}  // namespace

bool ObjectFields::HasFailed() const {
  const ClearedException cleared = ClearException(jni_);
  ran_out_of_memory_ |= cleared == ClearedException::kOutOfMemory;
  return cleared != ClearedException::kNone;
}

ObjectFields::ObjectFields(JNIEnv* jni)
    : jni_(jni), has_frame_(jni->PushLocalFrame(kReferences) == JNI_OK) {
  if (HasFailed()) return;
  const jclass unsafe_class = jni->FindClass("jdk/internal/misc/Unsafe");
  if (HasFailed()) return;
  const jmethodID get_unsafe =
      jni->GetStaticMethodID(unsafe_class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;");
  if (HasFailed()) return;
  object_field_offset_ =
      jni->GetMethodID(unsafe_class, "objectFieldOffset", "(Ljava/lang/Class;Ljava/lang/String;)J");
  if (HasFailed()) return;
  class_ = jni->FindClass("java/lang/Class");
  if (HasFailed()) return;
  for_name_ = jni->GetStaticMethodID(
      class_, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
  if (HasFailed()) return;
  unsafe_ = jni->CallStaticObjectMethod(unsafe_class, get_unsafe);
  if (HasFailed()) unsafe_ = nullptr;
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
    HasFailed();
    return std::nullopt;
  }
  std::optional<uint32_t> offset;
  const jobject owner = ClassNamed(class_name);
  const jstring name = HasFailed() ? nullptr : jni_->NewStringUTF(field);
  if (name != nullptr) {
    const jlong found = jni_->CallLongMethod(unsafe_, object_field_offset_, owner, name);
    if (!HasFailed()) offset = static_cast<uint32_t>(found);
  }
  HasFailed();
  jni_->PopLocalFrame(nullptr);
  return offset;
}

}  // namespace jprof
