// JvmtiPtr: owns memory that JVMTI allocated (strings, arrays). LocalFrame: owns the JNI local
// references that are created in a scope.
//
// An object is used and destroyed on the thread that created it; not for signal handlers.
#pragma once

#include <jvmti.h>

namespace jprof {

template <typename T>
class JvmtiPtr {
 public:
  explicit JvmtiPtr(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  ~JvmtiPtr() {
    if (pointer_ != nullptr) jvmti_->Deallocate(reinterpret_cast<unsigned char*>(pointer_));
  }
  JvmtiPtr(const JvmtiPtr&) = delete;
  JvmtiPtr& operator=(const JvmtiPtr&) = delete;

  // Returns the out parameter for one JVMTI call.
  T** out() { return &pointer_; }

  T* get() const { return pointer_; }
  T& operator[](jint index) const { return pointer_[index]; }

 private:
  jvmtiEnv* const jvmti_;
  T* pointer_ = nullptr;
};

class LocalFrame {
 public:
  // The largest capacity that HotSpot accepts (globals.hpp, MaxJNILocalCapacity). -Xcheck:jni warns
  // if there are more references than the capacity.
  static constexpr jint kMost = 65536;

  // `capacity`: the expected number of references; more are allowed.
  LocalFrame(JNIEnv* jni, jint capacity) : jni_(jni), pushed_(jni->PushLocalFrame(capacity) == 0) {
    if (!pushed_) jni_->ExceptionClear();  // out of memory: the outer frame gets the references
  }
  ~LocalFrame() {
    if (pushed_) jni_->PopLocalFrame(nullptr);
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

 private:
  JNIEnv* const jni_;
  const bool pushed_;
};

}  // namespace jprof
