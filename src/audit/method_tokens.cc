#include "audit/method_tokens.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "jvm/jvmti_ptr.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/hotspot/vm_texts.h"

namespace jprof {
namespace {

bool Append(const VmText& text, std::string* to) {
  const size_t begin = to->size();
  to->resize(begin + text.size);
  return text.CopyTo(reinterpret_cast<uint8_t*>(to->data() + begin));
}

// Returns "package/Class.method(I)V"; an empty text if the names cannot be read.
std::string WalkedText(const HotspotLayout& vm, uint64_t id, uint64_t method) {
  JavaMethod java;
  VmMethodTexts texts;
  VmClassTexts declaring;
  if (!LoadJavaMethod(vm, method, &java) || java.id != id || !FindTexts(vm, java, &texts) ||
      !FindTexts(vm, java, &declaring)) {
    return "";
  }
  std::string text;
  if (!Append(declaring.name, &text)) return "";
  text += '.';
  return Append(texts.name, &text) && Append(texts.descriptor, &text) ? text : "";
}

// Returns the name of a class as the VM's memory has it. JVMTI separates the number of a hidden
// class by a dot. Before JDK 15, JVMTI appends "/" and a number to the name of an anonymous class.
std::string NameOfSignature(std::string_view signature) {
  if (signature.size() < 2) return "";
  std::string name(signature.substr(1, signature.size() - 2));  // "Lpackage/Class;"
  std::ranges::replace(name, '.', '+');
  const size_t digits = name.find_last_not_of("0123456789");
  if (digits != std::string::npos && digits + 1 < name.size() && name[digits] == '/') {
    name.resize(digits);
  }
  return name;
}

// Returns the text that WalkedText returns for the same method.
std::string JvmText(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  jclass declaring = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return "";
  JvmtiPtr<char> signature(jvmti);
  JvmtiPtr<char> name(jvmti);
  JvmtiPtr<char> descriptor(jvmti);
  const bool is_named =
      jvmti->GetClassSignature(declaring, signature.out(), nullptr) == JVMTI_ERROR_NONE &&
      jvmti->GetMethodName(method, name.out(), descriptor.out(), nullptr) == JVMTI_ERROR_NONE;
  jni->DeleteLocalRef(declaring);
  if (!is_named) return "";
  return NameOfSignature(signature.get()) + '.' + name.get() + descriptor.get();
}

}  // namespace

MethodTokens& MethodTokens::OfProcess() {
  static auto& tokens = *new MethodTokens;
  return tokens;
}

uint64_t MethodTokens::TokenOf(std::string_view names) {
  return std::max<uint64_t>(std::hash<std::string_view>()(names), 1);
}

// The id of a method without a number of its class can be that of another method later, so such a
// method is named each time.
uint64_t MethodTokens::OfWalked(const HotspotLayout& vm, uint64_t id, uint64_t method) {
  const bool is_lasting = ClassNumberOf(id) != 0;
  const uint64_t known = is_lasting ? Find(walked_, id) : 0;
  return known != 0 ? known : Learn(walked_, id, WalkedText(vm, id, method));
}

uint64_t MethodTokens::OfJvm(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  const auto key = reinterpret_cast<uintptr_t>(method);
  const uint64_t known = Find(of_jvm_, key);
  return known != 0 ? known : Learn(of_jvm_, key, JvmText(jvmti, jni, method));
}

std::string MethodTokens::TextOf(uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto found = texts_.find(token);
  return found == texts_.end() ? "?" : found->second;
}

uint64_t MethodTokens::Find(const Tokens& tokens, uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = tokens.find(key);
  return found == tokens.end() ? 0 : found->second;
}

uint64_t MethodTokens::Learn(Tokens& tokens, uint64_t key, std::string text) {
  if (text.empty()) return 0;
  const uint64_t token = TokenOf(text);
  const std::lock_guard lock(mutex_);
  if (texts_.size() >= kMostMethods || tokens.size() >= kMostMethods) {
    walked_.clear();
    of_jvm_.clear();
    texts_.clear();
  }
  tokens[key] = token;
  texts_.emplace(token, std::move(text));
  return token;
}

}  // namespace jprof
