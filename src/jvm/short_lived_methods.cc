#include "jvm/short_lived_methods.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kRetention = kNanosPerSecond;

// Loaders that live as long as the VM: their ordinary classes are never unloaded.
bool HasPermanentLoader(const ClassTexts& texts) {
  if (!texts.has_loader) return true;
  constexpr std::string_view kPermanent[] = {
      "Ljdk/internal/loader/ClassLoaders$AppClassLoader;",
      "Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;",
      "Lsun/misc/Launcher$AppClassLoader;",  // JDK 8
      "Lsun/misc/Launcher$ExtClassLoader;",
  };
  return std::ranges::find(kPermanent, texts.loader_signature) != std::end(kPermanent);
}

}  // namespace

ShortLivedMethods::Copy::Text ShortLivedMethods::Copy::Keep(std::string_view text) {
  const size_t at = texts_.size();
  texts_ += text;
  return {at, text.size()};
}

std::string_view ShortLivedMethods::Copy::ViewOf(Text text) const {
  return {texts_.data() + text.at, text.size};
}

void ShortLivedMethods::Copy::Begin(Nanos prepared_ns, const ClassTexts& texts) {
  methods_.clear();
  lines_.clear();
  texts_.clear();
  prepared_ns_ = prepared_ns;
  class_ = {{}, texts.modifiers, texts.has_loader, {}, {}};
  signature_ = Keep(texts.signature);
  loader_signature_ = Keep(texts.loader_signature);
  loader_name_ = Keep(texts.loader_name);
}

void ShortLivedMethods::Copy::Add(jmethodID method, const MethodTexts& texts) {
  methods_.push_back({method, Keep(texts.name), Keep(texts.descriptor), texts.modifiers,
                      lines_.size(), texts.lines.size()});
  lines_.insert(lines_.end(), texts.lines.begin(), texts.lines.end());
}

std::optional<MethodInfo> ShortLivedMethods::Copy::Find(jmethodID method) const {
  const auto found = std::ranges::find(methods_, method, &Method::id);
  if (found == methods_.end()) return std::nullopt;
  ClassTexts declaring = class_;
  declaring.signature = ViewOf(signature_);
  declaring.loader_signature = ViewOf(loader_signature_);
  declaring.loader_name = ViewOf(loader_name_);
  return MakeMethod({ViewOf(found->name), ViewOf(found->descriptor), found->modifiers,
                     std::span(lines_).subspan(found->first_line, found->lines)},
                    MakeClass(declaring));
}

std::unique_ptr<ShortLivedMethods::Copy> ShortLivedMethods::TakeSpare() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) return std::make_unique<Copy>();
  std::unique_ptr<Copy> copy = std::move(spare_.back());
  spare_.pop_back();
  return copy;
}

void ShortLivedMethods::Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared,
                            const std::vector<jmethodID>& methods) {
  const LocalFrame frame(jni, 8);
  const JvmtiClass declaring(jvmti, jni, prepared);
  if (!declaring.texts().IsHidden() && HasPermanentLoader(declaring.texts())) return;
  std::unique_ptr<Copy> copy = TakeSpare();
  copy->Begin(MonotonicNanos(), declaring.texts());
  for (const jmethodID method : methods) copy->Add(method, JvmtiMethod(jvmti, method).texts());
  const std::lock_guard lock(mutex_);
  copies_.push_back(std::move(copy));
}

// The youngest first: of two classes with the same id the older one is gone.
std::optional<MethodInfo> ShortLivedMethods::Find(jmethodID method) const {
  const std::lock_guard lock(mutex_);
  for (size_t i = copies_.size(); i-- > 0;) {
    if (std::optional<MethodInfo> info = copies_[i]->Find(method)) return info;
  }
  return std::nullopt;
}

void ShortLivedMethods::Expire(Nanos now_ns) {
  const std::lock_guard lock(mutex_);
  while (!copies_.empty() && now_ns - copies_.front()->prepared_ns() > kRetention) {
    if (spare_.size() < kMaxSpare) spare_.push_back(std::move(copies_.front()));
    copies_.pop_front();
  }
}

void ShortLivedMethods::Clear() {
  const std::lock_guard lock(mutex_);
  copies_.clear();
  spare_.clear();
}

}  // namespace jprof
