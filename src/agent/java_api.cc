// The native method of jprof.Profiler (src/java/jprof/Profiler.java).
#include <jni.h>

#include <string>

#include "profiler/profiler.h"

extern "C" {

// Bytes of UTF-8 in, bytes of UTF-8 out: the first byte of the answer is the code of
// profiler_execute. nullptr: an OutOfMemoryError is pending.
JNIEXPORT jbyteArray JNICALL Java_jprof_Profiler_execute0(JNIEnv* jni, jclass, jbyteArray command) {
  std::string words(static_cast<size_t>(jni->GetArrayLength(command)), '\0');
  jni->GetByteArrayRegion(command, 0, static_cast<jsize>(words.size()),
                          reinterpret_cast<jbyte*>(words.data()));
  std::string answer;
  const int code = profiler_execute(
      words.c_str(),
      [](const char* text, size_t length, void* context) {
        static_cast<std::string*>(context)->assign(text, length);
      },
      &answer);
  answer.insert(answer.begin(), static_cast<char>(code));
  const jbyteArray bytes = jni->NewByteArray(static_cast<jsize>(answer.size()));
  if (bytes == nullptr) return nullptr;
  jni->SetByteArrayRegion(bytes, 0, static_cast<jsize>(answer.size()),
                          reinterpret_cast<const jbyte*>(answer.data()));
  return bytes;
}

}  // extern "C"
