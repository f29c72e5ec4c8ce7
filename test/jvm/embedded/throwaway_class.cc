#include "jvm/embedded/throwaway_class.h"

namespace jprof {
namespace {

jobject CallStatic(JNIEnv* env, const char* type, const char* name, const char* descriptor,
                   jobject first, jobject second = nullptr) {
  const jclass clazz = env->FindClass(type);
  return env->CallStaticObjectMethod(clazz, env->GetStaticMethodID(clazz, name, descriptor), first,
                                     second);
}

}  // namespace

jvmtiEnv* JvmtiOf(JNIEnv* env) {
  JavaVM* vm = nullptr;
  jvmtiEnv* jvmti = nullptr;
  env->GetJavaVM(&vm);
  vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_1_2);
  return jvmti;
}

jclass NewThrowawayClass(JNIEnv* env) {
  env->PushLocalFrame(16);
  const jobject no_urls = env->NewObjectArray(0, env->FindClass("java/net/URL"), nullptr);
  const jobject loader = CallStatic(env, "java/net/URLClassLoader", "newInstance",
                                    "([Ljava/net/URL;)Ljava/net/URLClassLoader;", no_urls);
  const jclass runnable = env->FindClass("java/lang/Runnable");
  const jobject interfaces = env->NewObjectArray(1, env->FindClass("java/lang/Class"), runnable);
  return static_cast<jclass>(env->PopLocalFrame(CallStatic(
      env, "java/lang/reflect/Proxy", "getProxyClass",
      "(Ljava/lang/ClassLoader;[Ljava/lang/Class;)Ljava/lang/Class;", loader, interfaces)));
}

void LoadThrowawayClass(JNIEnv* env) { env->DeleteLocalRef(NewThrowawayClass(env)); }

}  // namespace jprof
