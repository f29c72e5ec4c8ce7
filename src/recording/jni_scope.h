// JniScope: gives the calling thread a JNIEnv. A thread that is not attached is attached as a
// daemon for the scope, under the given name, if any.
#pragma once

#include <jni.h>

namespace jprof {

class JniScope {
 public:
  explicit JniScope(JavaVM* vm, const char* name = nullptr);
  ~JniScope();
  JniScope(const JniScope&) = delete;
  JniScope& operator=(const JniScope&) = delete;

  // False if the VM has refused to attach the thread, because it is starting or ending.
  explicit operator bool() const { return jni_ != nullptr; }
  JNIEnv* get() const { return jni_; }

 private:
  JavaVM* const vm_;
  JNIEnv* jni_ = nullptr;
  bool attached_here_ = false;
};

}  // namespace jprof
