// JniScope: a JNIEnv for the calling thread; a thread that was not attached is attached as a daemon
// for the scope, with a name for Java if it has one.
#pragma once

#include <jni.h>

namespace jprof {

class JniScope {
 public:
  explicit JniScope(JavaVM* vm, const char* name = nullptr);
  ~JniScope();
  JniScope(const JniScope&) = delete;
  JniScope& operator=(const JniScope&) = delete;

  // False: the VM refuses to attach the thread, because it is starting or ending.
  explicit operator bool() const { return jni_ != nullptr; }
  JNIEnv* get() const { return jni_; }

 private:
  JavaVM* const vm_;
  JNIEnv* jni_ = nullptr;
  bool attached_here_ = false;
};

}  // namespace jprof
