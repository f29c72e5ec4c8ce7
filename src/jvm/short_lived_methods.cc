#include "jvm/short_lived_methods.h"

#include <string_view>
#include <utility>

#include "jvm/method_capture.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kRetention = kNanosPerSecond;

// Loaders that live as long as the VM: their ordinary classes are never unloaded.
bool IsPermanent(const ClassLoaderInfo* loader) {
  if (loader == nullptr) return true;
  constexpr std::string_view kPermanent[] = {
      "jdk/internal/loader/ClassLoaders$AppClassLoader",
      "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
      "sun/misc/Launcher$AppClassLoader",  // JDK 8
      "sun/misc/Launcher$ExtClassLoader",
  };
  for (const std::string_view name : kPermanent) {
    if (loader->class_name == name) return true;
  }
  return false;
}

}  // namespace

void ShortLivedMethods::Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared,
                            const std::vector<jmethodID>& methods) {
  const std::shared_ptr<const ClassInfo> declaring = CaptureClass(jvmti, jni, prepared);
  if (!declaring->hidden && IsPermanent(declaring->loader.get())) return;
  std::vector<std::pair<jmethodID, MethodInfo>> captured;
  captured.reserve(methods.size());
  for (const jmethodID method : methods) {
    captured.emplace_back(method, CaptureMethod(jvmti, method, declaring));
  }
  const std::lock_guard lock(mutex_);
  batches_.push_back({MonotonicNanos(), methods});
  for (auto& [method, info] : captured) methods_.insert_or_assign(method, std::move(info));
}

std::optional<MethodInfo> ShortLivedMethods::Find(jmethodID method) const {
  const std::lock_guard lock(mutex_);
  const auto found = methods_.find(method);
  if (found == methods_.end()) return std::nullopt;
  return found->second;
}

void ShortLivedMethods::Expire(Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  while (!batches_.empty() && now_ns - batches_.front().prepared_ns > kRetention) {
    for (const jmethodID method : batches_.front().methods) methods_.erase(method);
    batches_.pop_front();
  }
}

void ShortLivedMethods::Clear() {
  const std::lock_guard lock(mutex_);
  batches_.clear();
  methods_.clear();
}

}  // namespace jprof
