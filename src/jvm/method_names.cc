#include "jvm/method_names.h"

#include <algorithm>
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

// A method whose class could not be held.
MethodInfo Unnamed(const char* class_name) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = class_name;
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = "unknown";
  info.descriptor = "()V";
  return info;
}

}  // namespace

int32_t MethodInfo::LineAt(int32_t bci) const {
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), bci,
                       [](int32_t at, const Line& line) { return at < line.first_bci; });
  return bci < 0 || after == lines.begin() ? -1 : std::prev(after)->number;
}

const MethodInfo& MethodNames::Of(jmethodID method) {
  const auto known = methods_.find(method);
  if (known != methods_.end()) return known->second;
  return methods_.emplace(method, Capture(method)).first->second;
}

MethodInfo MethodNames::Capture(jmethodID method) {
  // AsyncGetCallTrace gives no id for a method whose class was being prepared.
  if (method == nullptr) return Unnamed("[no method id]");
  const LocalFrame frame(jni_, 8);
  const jclass declaring = catalog_.HolderOf(jni_, method);
  if (declaring == nullptr) {
    ++unloaded_;
    return Unnamed("[unloaded class]");
  }
  MethodInfo info;
  info.declaring = CaptureClass(declaring);
  JvmtiPtr<char> name(jvmti_);
  JvmtiPtr<char> descriptor(jvmti_);
  if (jvmti_->GetMethodName(method, name.out(), descriptor.out(), nullptr) != JVMTI_ERROR_NONE) {
    return Unnamed("[no method name]");
  }
  info.name = Utf8FromModifiedUtf8(name.get());
  info.descriptor = Utf8FromModifiedUtf8(descriptor.get());
  jint modifiers = 0;
  if (jvmti_->GetMethodModifiers(method, &modifiers) == JVMTI_ERROR_NONE) {
    info.modifiers = static_cast<uint32_t>(modifiers);
  }
  jint lines = 0;
  JvmtiPtr<jvmtiLineNumberEntry> table(jvmti_);
  if (jvmti_->GetLineNumberTable(method, &lines, table.out()) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < lines; ++i) {
      info.lines.push_back({static_cast<int32_t>(table[i].start_location), table[i].line_number});
    }
    std::stable_sort(info.lines.begin(), info.lines.end(),
                     [](const auto& a, const auto& b) { return a.first_bci < b.first_bci; });
  }
  return info;
}

std::shared_ptr<const ClassInfo> MethodNames::CaptureClass(jclass declaring) {
  auto info = std::make_shared<ClassInfo>();
  info->name = InternalName(SignatureOf(declaring));
  info->hidden = IsHidden(info->name);
  jint modifiers = 0;
  if (jvmti_->GetClassModifiers(declaring, &modifiers) == JVMTI_ERROR_NONE) {
    info->modifiers = static_cast<uint32_t>(modifiers);
  }
  info->loader = CaptureLoader(declaring);
  return info;
}

std::shared_ptr<const ClassLoaderInfo> MethodNames::CaptureLoader(jclass declaring) {
  jobject loader = nullptr;
  if (jvmti_->GetClassLoader(declaring, &loader) != JVMTI_ERROR_NONE || loader == nullptr) {
    return nullptr;
  }
  auto info = std::make_shared<ClassLoaderInfo>();
  const jclass loader_class = jni_->GetObjectClass(loader);
  info->class_name = InternalName(SignatureOf(loader_class));
  // ClassLoader.name came with JDK 9; the field is read, no Java code runs.
  const jfieldID field = jni_->GetFieldID(loader_class, "name", "Ljava/lang/String;");
  if (field == nullptr) {
    jni_->ExceptionClear();
    return info;
  }
  const auto name = static_cast<jstring>(jni_->GetObjectField(loader, field));
  if (name == nullptr) return info;
  if (const char* chars = jni_->GetStringUTFChars(name, nullptr)) {
    info->name = Utf8FromModifiedUtf8(chars);
    jni_->ReleaseStringUTFChars(name, chars);
  } else {
    jni_->ExceptionClear();
  }
  return info;
}

std::string MethodNames::SignatureOf(jclass clazz) {
  JvmtiPtr<char> signature(jvmti_);
  if (jvmti_->GetClassSignature(clazz, signature.out(), nullptr) != JVMTI_ERROR_NONE) return "?";
  return Utf8FromModifiedUtf8(signature.get());
}

}  // namespace jprof
