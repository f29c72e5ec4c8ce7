// The native method of jprof.Profiler (src/java/jprof/Profiler.java).
#include <jni.h>

#include <string>

#include "agent/command.h"

extern "C" {

// Bytes of UTF-8 in, bytes of UTF-8 out: the first byte of the answer is the code of
// ExecuteText. nullptr: an OutOfMemoryError is pending.
JNIEXPORT jbyteArray JNICALL Java_jprof_Profiler_execute0(JNIEnv* jni, jclass, jbyteArray command) {
  std::string words(static_cast<size_t>(jni->GetArrayLength(command)), '\0');
  jni->GetByteArrayRegion(command, 0, static_cast<jsize>(words.size()),
                          reinterpret_cast<jbyte*>(words.data()));
  JavaVM* vm = nullptr;
  static_cast<void>(jni->GetJavaVM(&vm));
  std::string answer;
  const int code = jprof::ExecuteText(vm, words, &answer);
  answer.insert(answer.begin(), static_cast<char>(code));
  const jbyteArray bytes = jni->NewByteArray(static_cast<jsize>(answer.size()));
  if (bytes == nullptr) return nullptr;
  jni->SetByteArrayRegion(bytes, 0, static_cast<jsize>(answer.size()),
                          reinterpret_cast<const jbyte*>(answer.data()));
  return bytes;
}

}  // extern "C"
