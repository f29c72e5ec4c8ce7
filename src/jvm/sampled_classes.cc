#include "jvm/sampled_classes.h"

#include <utility>

#include "jvm/method_capture.h"

namespace jprof {
namespace {

// Returns the signature of a class, and the signature and the name of its loader. The three texts
// are separated by zero bytes, which no text of JVMTI contains.
std::string IdentityOf(const ClassTexts& texts) {
  std::string identity(texts.signature);
  if (!texts.loader) return identity;
  return (identity.append(1, '\0').append(texts.loader->signature).append(1, '\0'))
      .append(texts.loader->name);
}

}  // namespace

uint32_t SampledClasses::NumberOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass sampled) {
  const JvmtiClass described(jvmti, jni, sampled);
  const std::string identity = IdentityOf(described.texts());
  const std::lock_guard lock(mutex_);
  if (const uint32_t* number = numbers_.Find(identity)) {
    if (classes_.Find(*number) != nullptr) return *number;
  }
  const uint32_t number = ++last_number_;
  numbers_.Set(identity, number);
  classes_.Set(number, MakeClass(described.texts()));
  return number;
}

std::shared_ptr<const ClassInfo> SampledClasses::Find(uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto* found = classes_.Find(number);
  return found == nullptr ? nullptr : *found;
}

void SampledClasses::BeginGeneration() {
  const std::lock_guard lock(mutex_);
  numbers_.BeginGeneration();
  classes_.BeginGeneration();
}

size_t SampledClasses::size() const {
  const std::lock_guard lock(mutex_);
  return classes_.size();
}

}  // namespace jprof
