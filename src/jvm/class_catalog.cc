#include "jvm/class_catalog.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/memory_reserve.h"
#include "jvm/exit_watch.h"
#include "jvm/jvm_errors.h"
#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

constexpr int kFirstRelease = 21;
constexpr int kLastRelease = 23;

uint64_t IdOf(jmethodID method) { return reinterpret_cast<uint64_t>(method); }

// True if `next` is the id directly after `id`. Ids are addresses of 8-byte cells up to JDK 25, and
// consecutive numbers from JDK 26 on (JDK-8268406).
bool AreNeighbours(uint64_t id, uint64_t next) {
  constexpr uint64_t kCell = 8;
  constexpr uint64_t kSmallestAddress = uint64_t{1} << 32;
  return id < kSmallestAddress ? next == id + 1 : next == id + kCell;
}

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

void ClassCatalog::Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared) {
  if (!HasRoom()) return;
  const Result<std::vector<jmethodID>> methods = AddMethods(jvmti, jni, prepared);
  if (methods && !methods.value().empty()) short_lived_.Add(jvmti, jni, prepared, methods.value());
}

void ClassCatalog::AddHolderOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  const LocalFrame frame(jni, 2);
  if (HolderOf(jni, method) != nullptr) return;
  jclass declaring = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return;
  // The id can be that of an old version of the method, which the class does not list. If memory is
  // short, the method has no name.
  static_cast<void>(AddRanges(jni, declaring, {IdOf(method)}));
}

// max_unswept_ is reached only if Expire has not been called for a long time, because the
// recorder's thread is blocked.
bool ClassCatalog::HasRoom() {
  const std::lock_guard lock(mutex_);
  if (unswept_ >= max_unswept_) return false;
  ++unswept_;
  return true;
}

Result<std::vector<jmethodID>> ClassCatalog::AddMethods(jvmtiEnv* jvmti, JNIEnv* jni,
                                                        jclass prepared) {
  jint count = 0;
  JvmtiPtr<jmethodID> array(jvmti);
  const jvmtiError error = jvmti->GetClassMethods(prepared, &count, array.out());
  if (error == JVMTI_ERROR_OUT_OF_MEMORY) {
    return NoMemoryInJvm("for GetClassMethods");
  }
  if (error != JVMTI_ERROR_NONE || count == 0) {
    return std::vector<jmethodID>();  // no methods, or ClassPrepare is still to come
  }
  std::vector<jmethodID> methods(array.get(), array.get() + count);
  std::vector<uint64_t> ids;
  ids.reserve(methods.size());
  for (const jmethodID method : methods) ids.push_back(IdOf(method));
  const Status added = AddRanges(jni, prepared, std::move(ids));
  if (!added) return added.error();
  return methods;
}

Status ClassCatalog::AddRanges(JNIEnv* jni, jclass prepared, std::vector<uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  for (size_t first = 0; first < ids.size();) {
    size_t last = first;
    while (last + 1 < ids.size() && AreNeighbours(ids[last], ids[last + 1])) ++last;
    const jweak holder = jni->NewWeakGlobalRef(prepared);
    if (holder == nullptr) {
      jni->ExceptionClear();
      return NoMemoryInJvm("for a reference to a class");
    }
    {
      const std::lock_guard lock(mutex_);
      const auto [place, is_new] = ranges_.try_emplace(ids[first], Range{ids[last], holder});
      if (!is_new) {
        // The old range belongs to an earlier class with these ids, or to this class: AddLoaded on
        // one thread and Add on another thread can add a class at the same time.
        dropped_.push_back(place->second.holder);
        place->second = {ids[last], holder};
      }
    }
    first = last + 1;
  }
  return {};
}

template <typename IsWanted>
Status ClassCatalog::AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni, IsWanted&& is_wanted) {
  // GetLoadedClasses makes a local reference for each class.
  const LocalFrame frame(jni, LocalFrame::kMost);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const Status listed =
      CheckAccepted(jvmti->GetLoadedClasses(&count, classes.out()), "GetLoadedClasses");
  if (!listed) return listed;
  for (jint i = 0; i < count; ++i) {
    if (MemoryIsShort()) return OutOfMemory();
    if (VmIsOutOfReach()) return {};
    if (is_wanted(classes[i])) {
      const Result<std::vector<jmethodID>> added = AddMethods(jvmti, jni, classes[i]);
      if (!added) return added.error();
    }
    jni->DeleteLocalRef(classes[i]);
  }
  return {};
}

Status ClassCatalog::AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni) {
  has_all_.store(true, std::memory_order_relaxed);
  return AddLoaded(jvmti, jni, [](jclass) { return true; });
}

// A failure of AddLoaded is ignored: the next call that lists the classes tries again.
void ClassCatalog::AddUnannounced(jvmtiEnv* jvmti, JNIEnv* jni, Nanos now_ns, bool is_chunk_end) {
  if (!has_all_.load(std::memory_order_relaxed)) return;
  if (is_chunk_end ? !unannounced_.MayExist() : !unannounced_.IsDue(now_ns)) return;
  if (VmIsOutOfReach()) return;
  static_cast<void>(AddLoaded(jvmti, jni, [&](jclass loaded) {
    jint count = 0;
    JvmtiPtr<jmethodID> methods(jvmti);
    if (jvmti->GetClassMethods(loaded, &count, methods.out()) != JVMTI_ERROR_NONE || count == 0) {
      return false;
    }
    const jclass holder = HolderOf(jni, methods[0]);
    if (holder == nullptr) return true;
    jni->DeleteLocalRef(holder);
    return false;
  }));
}

const ClassCatalog::Range* ClassCatalog::RangeOf(uint64_t id) const {
  auto after = ranges_.upper_bound(id);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return id <= range.last ? &range : nullptr;
}

jclass ClassCatalog::HolderOf(JNIEnv* jni, jmethodID method) const {
  jweak holder = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const Range* range = RangeOf(IdOf(method))) holder = range->holder;
  }
  return static_cast<jclass>(jni->NewLocalRef(holder));  // null for a null holder
}

size_t ClassCatalog::size() const {
  const std::lock_guard lock(mutex_);
  return ranges_.size();
}

void ClassCatalog::Expire(JNIEnv* jni, Nanos now_ns) {
  short_lived_.Expire(now_ns);
  if (VmIsOutOfReach()) return;
  std::vector<jweak> dropped;
  std::vector<Swept> some = NextToSweep(&dropped);
  std::erase_if(some, [jni](const Swept& range) {
    return VmIsOutOfReach() || jni->IsSameObject(range.holder, nullptr) == JNI_FALSE;
  });
  EraseUnloaded(some, &dropped);
  for (const jweak holder : dropped) jni->DeleteWeakGlobalRef(holder);
}

std::vector<ClassCatalog::Swept> ClassCatalog::NextToSweep(std::vector<jweak>* dropped) {
  const std::lock_guard lock(mutex_);
  dropped->swap(dropped_);
  unswept_ = 0;
  std::vector<Swept> some(std::min(ranges_.size(), ranges_.size() / kSweepCalls + 1));
  auto range = ranges_.lower_bound(swept_to_);
  for (Swept& next : some) {
    if (range == ranges_.end()) range = ranges_.begin();
    next = {range->first, range->second.holder};
    ++range;
  }
  swept_to_ = range == ranges_.end() ? 0 : range->first;
  return some;
}

void ClassCatalog::EraseUnloaded(const std::vector<Swept>& unloaded, std::vector<jweak>* dropped) {
  const std::lock_guard lock(mutex_);
  for (const Swept& gone : unloaded) {
    const auto range = ranges_.find(gone.first);
    // If the holders differ, another class has got these ids in the meantime. The reference of the
    // unloaded class is then already dropped.
    if (range == ranges_.end() || range->second.holder != gone.holder) continue;
    dropped->push_back(gone.holder);
    ranges_.erase(range);
  }
}

void ClassCatalog::Clear(JNIEnv* jni) {
  has_all_.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  for (const auto& [first, range] : ranges_) jni->DeleteWeakGlobalRef(range.holder);
  for (const jweak holder : dropped_) jni->DeleteWeakGlobalRef(holder);
  ranges_.clear();
  dropped_.clear();
  swept_to_ = 0;
  unswept_ = 0;
  short_lived_.Clear();
}

}  // namespace jprof
