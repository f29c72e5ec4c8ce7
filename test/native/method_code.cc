// Native half of test/java/workloads/TracedRestored.java: returns the bytecodes that the JVM runs.
#include <jvmti.h>

#include <string>

namespace {

jvmtiEnv* Jvmti(JNIEnv* jni) {
  static jvmtiEnv* const jvmti = [jni] {
    JavaVM* vm = nullptr;
    jvmtiEnv* made = nullptr;
    jni->GetJavaVM(&vm);
    vm->GetEnv(reinterpret_cast<void**>(&made), JVMTI_VERSION_1_2);
    jvmtiCapabilities wanted{};
    wanted.can_get_bytecodes = 1;
    made->AddCapabilities(&wanted);
    return made;
  }();
  return jvmti;
}

void AppendHex(std::string& text, const unsigned char* bytes, jint count) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (jint i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
}

}  // namespace

// Returns the name and bytecodes of each method of a class. The constant pool is left out, because
// HotSpot never removes entries from it (jdk-17+35
// src/hotspot/share/prims/jvmtiRedefineClasses.cpp, merge_constant_pools).
extern "C" JNIEXPORT jstring JNICALL Java_TracedRestored_code(JNIEnv* jni, jclass, jclass clazz) {
  jvmtiEnv* const jvmti = Jvmti(jni);
  std::string text;
  jint count = 0;
  jmethodID* methods = nullptr;
  if (jvmti->GetClassMethods(clazz, &count, &methods) != JVMTI_ERROR_NONE) return nullptr;
  for (jint i = 0; i < count; ++i) {
    char* name = nullptr;
    jint size = 0;
    unsigned char* bytes = nullptr;
    jvmti->GetMethodName(methods[i], &name, nullptr, nullptr);
    text += name;
    text += ' ';
    if (jvmti->GetBytecodes(methods[i], &size, &bytes) == JVMTI_ERROR_NONE) {
      AppendHex(text, bytes, size);
      jvmti->Deallocate(bytes);
    }
    text += '\n';
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(name));
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(methods));
  return jni->NewStringUTF(text.c_str());
}
