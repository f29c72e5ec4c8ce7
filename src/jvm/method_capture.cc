#include "jvm/method_capture.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/modified_utf8.h"
#include "base/placeholders.h"
#include "jvm/line_table.h"

namespace jprof {
namespace {

// The flag ACC_SUPER (JVMS 4.1) says nothing about a class. JVMTI sets it on some releases for
// interfaces, too.
constexpr uint32_t kAccSuper = 0x20;
constexpr char kUnknownName[] = "?";

// Returns the internal name of a signature: "Ljava/lang/String;" -> "java/lang/String". In the
// signature of a hidden class, a '.' precedes the suffix. In the VM's name of the class, a '+'
// takes the place of this '.' (OpenJDK jdk-17+35 src/hotspot/share/oops/instanceKlass.cpp,
// signature_name).
std::string InternalName(std::string_view signature) {
  if (signature.empty()) return kUnknownName;
  std::string name = Utf8FromModifiedUtf8(signature);
  if (name.size() < 2 || name.front() != 'L') return name;
  name = name.substr(1, name.size() - 2);
  std::replace(name.begin(), name.end(), '.', '+');
  return name;
}

// Returns the class java.lang.ClassLoader. In the chain of superclasses of every class loader, it
// is the last one before Object. FindClass is not used because it can run Java code.
jclass ClassLoaderOf(JNIEnv* jni, jobject loader) {
  jclass type = jni->GetObjectClass(loader);
  jclass super = jni->GetSuperclass(type);
  while (const jclass next = super == nullptr ? nullptr : jni->GetSuperclass(super)) {
    type = super;
    super = next;
  }
  return type;
}

// Returns the field ClassLoader.name, which came with JDK 9; nullptr in earlier releases. The field
// is not looked up in the loader's own class: that class might declare another field with this
// name, and the look-up would initialise the class. A look-up that fails because memory is short is
// repeated by the next call.
jfieldID LoaderNameField(JNIEnv* jni, jobject loader) {
  constexpr jint kVersion9 = 0x00090000;
  if (jni->GetVersion() < kVersion9) return nullptr;
  static constinit std::atomic<jfieldID> found{nullptr};  // relaxed: the id refers to no data
  const jfieldID known = found.load(std::memory_order_relaxed);
  if (known != nullptr) return known;
  const LocalFrame frame(jni, 16);
  const jfieldID field = jni->GetFieldID(ClassLoaderOf(jni, loader), "name", "Ljava/lang/String;");
  jni->ExceptionClear();
  found.store(field, std::memory_order_relaxed);
  return field;
}

// Reads the name of a class loader from its field: no Java code runs.
jstring LoaderName(JNIEnv* jni, jobject loader) {
  const jfieldID field = LoaderNameField(jni, loader);
  return field == nullptr ? nullptr : static_cast<jstring>(jni->GetObjectField(loader, field));
}

// The longest name that a file can have (NAME_MAX of Linux).
constexpr size_t kMaxFileName = 255;

// True if readers of recordings look for the class in this file by default: "Main.java" for
// a/Main$Inner (profile/class_text.h).
bool IsNamedAfter(std::string_view file, std::string_view class_name) {
  constexpr std::string_view kExtension = ".java";
  class_name.remove_prefix(class_name.rfind('/') + 1);
  if (class_name.find("$$") != std::string_view::npos) return false;
  const std::string_view outermost = class_name.substr(0, class_name.find('$', 1));
  return file.size() == outermost.size() + kExtension.size() && file.starts_with(outermost) &&
         file.ends_with(kExtension);
}

// Returns the value of ClassInfo::source_file for a class.
std::string SourceFile(std::string_view file, std::string_view class_name) {
  const bool is_told =
      !file.empty() && file.size() <= kMaxFileName && !IsNamedAfter(file, class_name);
  return is_told ? Utf8FromModifiedUtf8(file) : std::string();
}

// True if the VM's name of a class is that of a hidden class: a '+' and an address follow the name
// (jdk-17+35 src/hotspot/share/classfile/classFileParser.cpp, mangle_hidden_class_name).
bool IsNameOfHidden(std::string_view name) {
  constexpr std::string_view kSuffix = "+0x";
  const size_t at = name.rfind('+');
  return at != std::string_view::npos && name.substr(at).starts_with(kSuffix);
}

std::string_view SignatureOf(jvmtiEnv* jvmti, jclass clazz, JvmtiPtr<char>* memory) {
  const jvmtiError error = jvmti->GetClassSignature(clazz, memory->out(), nullptr);
  return error == JVMTI_ERROR_NONE ? std::string_view(memory->get()) : std::string_view();
}

}  // namespace

bool ClassTexts::IsHidden() const { return signature.find('.') != std::string_view::npos; }

JvmtiLoader::JvmtiLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader)
    : jni_(jni), signature_(jvmti), name_(LoaderName(jni, loader)) {
  texts_.signature = SignatureOf(jvmti, jni->GetObjectClass(loader), &signature_);
  if (name_ == nullptr) return;
  name_chars_ = jni->GetStringUTFChars(name_, nullptr);
  if (name_chars_ == nullptr) {
    jni->ExceptionClear();
  } else {
    texts_.name = name_chars_;
  }
}

JvmtiLoader::~JvmtiLoader() {
  if (name_chars_ != nullptr) jni_->ReleaseStringUTFChars(name_, name_chars_);
}

JvmtiClass::JvmtiClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass clazz)
    : signature_(jvmti), source_file_(jvmti) {
  texts_.signature = SignatureOf(jvmti, clazz, &signature_);
  jint modifiers = 0;
  if (jvmti->GetClassModifiers(clazz, &modifiers) == JVMTI_ERROR_NONE) {
    texts_.modifiers = static_cast<uint32_t>(modifiers) & ~kAccSuper;
  }
  jobject loader = nullptr;
  if (jvmti->GetClassLoader(clazz, &loader) == JVMTI_ERROR_NONE && loader != nullptr) {
    texts_.loader = loader_.emplace(jvmti, jni, loader).texts();
  }
}

void JvmtiClass::ReadSourceFile(jvmtiEnv* jvmti, jclass clazz) {
  if (jvmti->GetSourceFileName(clazz, source_file_.out()) != JVMTI_ERROR_NONE) return;
  texts_.source_file = source_file_.get();
}

JvmtiMethod::JvmtiMethod(jvmtiEnv* jvmti, jmethodID method)
    : name_(jvmti), descriptor_(jvmti), lines_(jvmti) {
  if (jvmti->GetMethodName(method, name_.out(), descriptor_.out(), nullptr) != JVMTI_ERROR_NONE) {
    return;
  }
  texts_.name = name_.get();
  texts_.descriptor = descriptor_.get();
  jint modifiers = 0;
  if (jvmti->GetMethodModifiers(method, &modifiers) == JVMTI_ERROR_NONE) {
    texts_.modifiers = static_cast<uint32_t>(modifiers);
  }
  jint count = 0;
  if (jvmti->GetLineNumberTable(method, &count, lines_.out()) == JVMTI_ERROR_NONE) {
    texts_.lines = {lines_.get(), static_cast<size_t>(count)};
  }
}

std::shared_ptr<const ClassInfo> MakeClass(const ClassTexts& texts) {
  auto info = std::make_shared<ClassInfo>();
  info->name = InternalName(texts.signature);
  info->hidden = texts.IsHidden();
  info->modifiers = texts.modifiers;
  info->source_file = SourceFile(texts.source_file, info->name);
  if (texts.loader) info->loader = MakeLoader(*texts.loader);
  return info;
}

std::shared_ptr<const ClassInfo> MakeClass(const ClassRecord& record) {
  auto info = std::make_shared<ClassInfo>();
  info->name = Utf8FromModifiedUtf8(record.name());
  info->hidden = IsNameOfHidden(record.name());
  info->modifiers = record.modifiers;
  info->source_file = SourceFile(record.source_file(), info->name);
  if (record.has_loader) {
    auto loader = std::make_shared<ClassLoaderInfo>();
    loader->class_name =
        record.loader_class().empty() ? kUnknownName : Utf8FromModifiedUtf8(record.loader_class());
    loader->name = Utf8FromModifiedUtf8(record.loader_name());
    info->loader = std::move(loader);
  }
  return info;
}

MethodInfo MakeMethod(const MethodRecord& record, std::shared_ptr<const ClassInfo> declaring) {
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = Utf8FromModifiedUtf8(record.name());
  info.descriptor = Utf8FromModifiedUtf8(record.descriptor());
  info.modifiers = record.modifiers;
  return info;
}

std::shared_ptr<const ClassLoaderInfo> MakeLoader(const LoaderTexts& texts) {
  auto info = std::make_shared<ClassLoaderInfo>();
  info->class_name = InternalName(texts.signature);
  info->name = Utf8FromModifiedUtf8(texts.name);
  return info;
}

MethodInfo MakeMethod(const MethodTexts& texts, std::shared_ptr<const ClassInfo> declaring) {
  if (texts.name.empty()) return UnnamedMethod(Text(Placeholder::kNoMethodName));
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = Utf8FromModifiedUtf8(texts.name);
  info.descriptor = Utf8FromModifiedUtf8(texts.descriptor);
  info.modifiers = texts.modifiers;
  info.lines.reserve(texts.lines.size());
  for (const jvmtiLineNumberEntry& line : texts.lines) {
    info.lines.push_back({static_cast<int32_t>(line.start_location), line.line_number});
  }
  SortLines(info.lines);
  return info;
}

MethodInfo UnnamedMethod(std::string_view reason) {
  auto declaring = std::make_shared<ClassInfo>();
  declaring->name = kMarkerClass;
  MethodInfo info;
  info.declaring = std::move(declaring);
  info.name = reason;
  info.descriptor = "()V";
  return info;
}

}  // namespace jprof
