// JniScope: gives the calling thread a JNIEnv. A thread that is not attached yet is attached as a
// daemon, until the end of the scope. Its name in the JVM is `name` unless `name` is nullptr.
#pragma once

#include <jni.h>

namespace jprof {

class JniScope {
 public:
  explicit JniScope(JavaVM* vm, const char* name = nullptr) : vm_(vm) {
    const jint state = vm->GetEnv(reinterpret_cast<void**>(&jni_), JNI_VERSION_1_6);
    if (state == JNI_OK) return;
    jni_ = nullptr;
    if (state != JNI_EDETACHED) return;
    // The field is not const because the struct is C; the VM only copies the name.
    JavaVMAttachArgs args{JNI_VERSION_1_6, const_cast<char*>(name), nullptr};
    attached_here_ =
        vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&jni_), &args) == JNI_OK;
    if (!attached_here_) jni_ = nullptr;
  }
  ~JniScope() {
    if (attached_here_) vm_->DetachCurrentThread();
  }
  JniScope(const JniScope&) = delete;
  JniScope& operator=(const JniScope&) = delete;

  // False if the VM has refused to attach the thread, because the VM is starting or ending.
  explicit operator bool() const { return jni_ != nullptr; }
  JNIEnv* get() const { return jni_; }

 private:
  JavaVM* const vm_;
  JNIEnv* jni_ = nullptr;
  bool attached_here_ = false;
};

}  // namespace jprof
