#include "jvm/unannounced_classes.h"

#include <utility>

namespace jprof {
namespace {

constexpr int kFirstRelease = 21;
constexpr int kLastRelease = 23;

}  // namespace

UnannouncedClasses::UnannouncedClasses(int jdk_release, const PerfCounters& counters)
    : may_exist_(jdk_release >= kFirstRelease && jdk_release <= kLastRelease),
      loaded_(counters.Number("java.cls.loadedClasses")),
      shared_(counters.Number("java.cls.sharedLoadedClasses")) {}

int64_t UnannouncedClasses::Loaded() const {
  return loaded_ == nullptr || shared_ == nullptr ? 0 : *loaded_ + *shared_;
}

bool UnannouncedClasses::IsDue(Nanos now_ns) {
  if (!may_exist_ || now_ns - last_ns_ < kSoon) return false;
  const int64_t loaded = Loaded();
  const bool is_changed = loaded != listed_;
  if (!is_changed && is_settled_ && now_ns - last_ns_ < kAnyway) return false;
  listed_ = loaded;
  is_settled_ = !is_changed;
  last_ns_ = now_ns;
  return true;
}

}  // namespace jprof
