#include "jvm/method_capture.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/modified_utf8.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

// "Ljava/lang/String;" -> "java/lang/String". A hidden class has a '.' before its suffix there,
// which is a '+' inside the VM (OpenJDK jdk-17+35 src/hotspot/share/oops/instanceKlass.cpp,
// signature_name).
std::string InternalName(std::string_view signature) {
  if (signature.size() < 2 || signature.front() != 'L') return std::string(signature);
  std::string name(signature.substr(1, signature.size() - 2));
  std::replace(name.begin(), name.end(), '.', '+');
  return name;
}

bool IsHidden(std::string_view internal_name) {
  return internal_name.find('+') != std::string_view::npos;
}

std::string SignatureOf(jvmtiEnv* jvmti, jclass clazz) {
  JvmtiPtr<char> signature(jvmti);
  if (jvmti->GetClassSignature(clazz, signature.out(), nullptr) != JVMTI_ERROR_NONE) return "?";
  return Utf8FromModifiedUtf8(signature.get());
}

// ClassLoader.name came with JDK 9; the field is read, no Java code runs.
std::string LoaderName(JNIEnv* jni, jobject loader, jclass loader_class) {
  const jfieldID field = jni->GetFieldID(loader_class, "name", "Ljava/lang/String;");
  if (field == nullptr) {
    jni->ExceptionClear();
    return {};
  }
  const auto name = static_cast<jstring>(jni->GetObjectField(loader, field));
  if (name == nullptr) return {};
  const char* chars = jni->GetStringUTFChars(name, nullptr);
  if (chars == nullptr) {
    jni->ExceptionClear();
    return {};
  }
  std::string result = Utf8FromModifiedUtf8(chars);
  jni->ReleaseStringUTFChars(name, chars);
  return result;
}

std::shared_ptr<const ClassLoaderInfo> CaptureLoader(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz) {
  jobject loader = nullptr;
  if (jvmti->GetClassLoader(clazz, &loader) != JVMTI_ERROR_NONE || loader == nullptr) {
    return nullptr;
  }
  auto info = std::make_shared<ClassLoaderInfo>();
  const jclass loader_class = jni->GetObjectClass(loader);
  info->class_name = InternalName(SignatureOf(jvmti, loader_class));
  info->name = LoaderName(jni, loader, loader_class);
  return info;
}

std::vector<MethodInfo::Line> CaptureLines(jvmtiEnv* jvmti, jmethodID method) {
  std::vector<MethodInfo::Line> lines;
  jint count = 0;
  JvmtiPtr<jvmtiLineNumberEntry> table(jvmti);
  if (jvmti->GetLineNumberTable(method, &count, table.out()) != JVMTI_ERROR_NONE) return lines;
  lines.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i) {
    lines.push_back({static_cast<int32_t>(table[i].start_location), table[i].line_number});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first_bci < b.first_bci; });
  return lines;
}

}  // namespace

std::shared_ptr<const ClassInfo> CaptureClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz) {
  const LocalFrame frame(jni, 8);
  auto info = std::make_shared<ClassInfo>();
  info->name = InternalName(SignatureOf(jvmti, clazz));
  info->hidden = IsHidden(info->name);
  jint modifiers = 0;
  if (jvmti->GetClassModifiers(clazz, &modifiers) == JVMTI_ERROR_NONE) {
    info->modifiers = static_cast<uint32_t>(modifiers);
  }
  info->loader = CaptureLoader(jvmti, jni, clazz);
  return info;
}

MethodInfo CaptureMethod(jvmtiEnv* jvmti, jmethodID method,
                         std::shared_ptr<const ClassInfo> declaring) {
  JvmtiPtr<char> name(jvmti);
  JvmtiPtr<char> descriptor(jvmti);
  if (jvmti->GetMethodName(method, name.out(), descriptor.out(), nullptr) != JVMTI_ERROR_NONE) {
    return UnnamedMethod("[no method name]");
  }
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = Utf8FromModifiedUtf8(name.get());
  info.descriptor = Utf8FromModifiedUtf8(descriptor.get());
  jint modifiers = 0;
  if (jvmti->GetMethodModifiers(method, &modifiers) == JVMTI_ERROR_NONE) {
    info.modifiers = static_cast<uint32_t>(modifiers);
  }
  info.lines = CaptureLines(jvmti, method);
  return info;
}

MethodInfo UnnamedMethod(const char* reason) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = kMarkerClass;
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = reason;
  info.descriptor = "()V";
  return info;
}

}  // namespace jprof
