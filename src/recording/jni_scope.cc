#include "recording/jni_scope.h"

namespace jprof {

JniScope::JniScope(JavaVM* vm, const char* name) : vm_(vm) {
  const jint state = vm->GetEnv(reinterpret_cast<void**>(&jni_), JNI_VERSION_1_6);
  if (state == JNI_OK) return;
  jni_ = nullptr;
  if (state != JNI_EDETACHED) return;
  // The field is not const because the struct is C; the VM copies the name.
  JavaVMAttachArgs args{JNI_VERSION_1_6, const_cast<char*>(name), nullptr};
  attached_here_ =
      vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni_), &args) == JNI_OK;
  if (!attached_here_) jni_ = nullptr;
}

JniScope::~JniScope() {
  if (attached_here_) vm_->DetachCurrentThread();
}

}  // namespace jprof
