#include "engines/method/probe_resolution.h"

#include <algorithm>
#include <string>

#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

constexpr jint kLocals = 8;

jstring JavaName(JNIEnv* jni, std::string_view name) {
  std::string dotted(name);
  std::ranges::replace(dotted, '/', '.');
  return jni->NewStringUTF(dotted.c_str());
}

// Returns java.lang.Class, without FindClass, which asks the loader of the calling method.
jclass ClassOfClasses(JNIEnv* jni, jobject object) {
  return jni->GetObjectClass(jni->GetObjectClass(object));
}

// Calls a private native of the JDK. That native and the one of FindLoaded are the same from jdk8u
// to jdk-25 (src/java.base/share/classes/java/lang/{Class,ClassLoader}.java). In JDKs that change
// it, calls the public forName, which takes the referrer from the stack; a security manager is
// asked about the referrer's protection domain.
jobject ForName(JNIEnv* jni, jstring name, jobject loader, jclass referrer) {
  const jclass classes = ClassOfClasses(jni, loader);
  jmethodID for_name = jni->GetStaticMethodID(
      classes, "forName0",
      "(Ljava/lang/String;ZLjava/lang/ClassLoader;Ljava/lang/Class;)Ljava/lang/Class;");
  if (for_name != nullptr) {
    return jni->CallStaticObjectMethod(classes, for_name, name, JNI_FALSE, loader, referrer);
  }
  jni->ExceptionClear();
  for_name = jni->GetStaticMethodID(
      classes, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
  if (for_name == nullptr) return nullptr;
  return jni->CallStaticObjectMethod(classes, for_name, name, JNI_FALSE, loader);
}

jobject FindLoaded(JNIEnv* jni, jstring name, jobject loader) {
  // JNI finds a private method also by a subclass.
  const jmethodID find = jni->GetMethodID(jni->GetObjectClass(loader), "findLoadedClass0",
                                          "(Ljava/lang/String;)Ljava/lang/Class;");
  return find == nullptr ? nullptr : jni->CallObjectMethod(loader, find, name);
}

bool IsFound(JNIEnv* jni, jobject found) {
  const bool has_thrown = jni->ExceptionCheck() != JNI_FALSE;
  if (has_thrown) jni->ExceptionClear();
  return found != nullptr && !has_thrown;
}

}  // namespace

bool HasFoundProbeClass(JNIEnv* jni, std::string_view name, jobject loader) {
  if (loader == nullptr) return true;
  const LocalFrame frame(jni, kLocals);
  const jstring text = JavaName(jni, name);
  return IsFound(jni, text == nullptr ? nullptr : FindLoaded(jni, text, loader));
}

bool ResolveProbeClass(JNIEnv* jni, std::string_view name, jobject loader, jclass referrer) {
  if (loader == nullptr) return true;
  const LocalFrame frame(jni, kLocals);
  const jstring text = JavaName(jni, name);
  return IsFound(jni, text == nullptr ? nullptr : ForName(jni, text, loader, referrer));
}

}  // namespace jprof
