#include "jvm/short_lived_methods.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kRetention = kNanosPerSecond;

// True if the loader of the class lives as long as the VM. Classes of such a loader are never
// unloaded, unless they are hidden.
bool HasPermanentLoader(const ClassTexts& texts) {
  if (!texts.loader) return true;
  constexpr std::string_view kPermanent[] = {
      "Ljdk/internal/loader/ClassLoaders$AppClassLoader;",
      "Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;",
      "Lsun/misc/Launcher$AppClassLoader;",  // JDK 8
      "Lsun/misc/Launcher$ExtClassLoader;",
  };
  return std::ranges::find(kPermanent, texts.loader->signature) != std::end(kPermanent);
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

size_t ShortLivedMethods::Copy::bytes() const {
  return sizeof *this + methods_.capacity() * sizeof(Method) +
         lines_.capacity() * sizeof(jvmtiLineNumberEntry) + texts_.capacity();
}

void ShortLivedMethods::Copy::Begin(const ClassTexts& texts) {
  methods_.clear();
  lines_.clear();
  texts_.clear();
  class_ = {};
  class_.modifiers = texts.modifiers;
  if (texts.loader) class_.loader.emplace();
  signature_ = Keep(texts.signature);
  source_file_ = Keep(texts.source_file);
  const LoaderTexts loader = texts.loader.value_or(LoaderTexts());
  loader_signature_ = Keep(loader.signature);
  loader_name_ = Keep(loader.name);
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
  declaring.source_file = ViewOf(source_file_);
  if (declaring.loader) declaring.loader = {ViewOf(loader_signature_), ViewOf(loader_name_)};
  return MakeMethod({ViewOf(found->name), ViewOf(found->descriptor), found->modifiers,
                     std::span(lines_).subspan(found->first_line, found->lines)},
                    MakeClass(declaring));
}

std::unique_ptr<ShortLivedMethods::Copy> ShortLivedMethods::TakeSpare() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) return std::make_unique<Copy>();
  std::unique_ptr<Copy> copy = std::move(spare_.back());
  spare_.pop_back();
  spare_bytes_ -= copy->bytes();
  return copy;
}

void ShortLivedMethods::Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared,
                            const std::vector<jmethodID>& methods) {
  const LocalFrame frame(jni, 8);
  JvmtiClass declaring(jvmti, jni, prepared);
  if (!declaring.texts().IsHidden() && HasPermanentLoader(declaring.texts())) return;
  declaring.ReadSourceFile(jvmti, prepared);
  std::unique_ptr<Copy> copy = TakeSpare();
  copy->Begin(declaring.texts());
  for (const jmethodID method : methods) copy->Add(method, JvmtiMethod(jvmti, method).texts());
  const auto [least, greatest] = std::ranges::minmax(methods);
  std::vector<std::unique_ptr<Copy>> useless;  // freed without the lock
  const std::lock_guard lock(mutex_);
  bytes_ += copy->bytes();
  entries_.push_back({MonotonicNanos(), least, greatest, std::move(copy)});
  // Expire is not called while the recorder's thread is blocked, for example by a file system that
  // hangs. So Add itself enforces the bound.
  while (bytes_ > max_bytes_) DropOldest(&useless);
}

// Searches the youngest entries first: if two classes have methods with the same id, the older
// class has been unloaded.
std::optional<MethodInfo> ShortLivedMethods::Find(jmethodID method) const {
  const std::lock_guard lock(mutex_);
  for (size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    if (method < entry.least || entry.greatest < method) continue;
    if (std::optional<MethodInfo> info = entry.copy->Find(method)) return info;
  }
  return std::nullopt;
}

void ShortLivedMethods::Expire(Nanos now_ns) {
  std::vector<std::unique_ptr<Copy>> useless;  // freed without the lock
  const std::lock_guard lock(mutex_);
  while (!entries_.empty() && now_ns - entries_.front().prepared_ns > kRetention) {
    DropOldest(&useless);
  }
  if (!entries_.empty() || spare_.empty()) return;
  for (std::unique_ptr<Copy>& copy : spare_) useless.push_back(std::move(copy));
  spare_.clear();
  spare_bytes_ = 0;
}

void ShortLivedMethods::DropOldest(std::vector<std::unique_ptr<Copy>>* useless) {
  std::unique_ptr<Copy> copy = std::move(entries_.front().copy);
  entries_.pop_front();
  const size_t bytes = copy->bytes();
  bytes_ -= bytes;
  if (bytes > kMaxSpareCopyBytes || spare_bytes_ + bytes > kMaxSpareBytes) {
    useless->push_back(std::move(copy));
  } else {
    spare_bytes_ += bytes;
    spare_.push_back(std::move(copy));
  }
}

size_t ShortLivedMethods::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void ShortLivedMethods::Clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
  bytes_ = 0;
  spare_.clear();
  spare_bytes_ = 0;
}

}  // namespace jprof
