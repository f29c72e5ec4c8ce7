#include "jvm/class_catalog.h"

#include <algorithm>
#include <string>
#include <utility>

#include "jvm/jvmti_ptr.h"

namespace jprof {
namespace {

uint64_t IdOf(jmethodID method) { return reinterpret_cast<uint64_t>(method); }

// Whether no other id fits between two: ids are addresses of 8-byte cells up to JDK 25, and numbers
// in a row from 26 on (JDK-8268406).
bool AreNeighbours(uint64_t id, uint64_t next) {
  constexpr uint64_t kCell = 8;
  constexpr uint64_t kSmallestAddress = uint64_t{1} << 32;
  return id < kSmallestAddress ? next == id + 1 : next == id + kCell;
}

}  // namespace

void ClassCatalog::Add(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared) {
  const std::vector<jmethodID> methods = Note(jvmti, jni, prepared);
  if (!methods.empty()) short_lived_.Add(jvmti, jni, prepared, methods);
}

std::vector<jmethodID> ClassCatalog::Note(jvmtiEnv* jvmti, JNIEnv* jni, jclass prepared) {
  jint count = 0;
  JvmtiPtr<jmethodID> array(jvmti);
  if (jvmti->GetClassMethods(prepared, &count, array.out()) != JVMTI_ERROR_NONE || count == 0) {
    return {};  // not prepared yet: ClassPrepare will come
  }
  {
    const std::lock_guard lock(mutex_);
    const Range* known = RangeOf(IdOf(array[0]));
    if (known != nullptr && jni->IsSameObject(known->holder, prepared) != JNI_FALSE) return {};
  }
  const jweak holder = jni->NewWeakGlobalRef(prepared);
  if (holder == nullptr) {
    jni->ExceptionClear();  // out of memory: the methods of this class stay unnamed
    return {};
  }
  std::vector<jmethodID> methods(array.get(), array.get() + count);
  std::vector<uint64_t> ids;
  ids.reserve(methods.size());
  for (const jmethodID method : methods) ids.push_back(IdOf(method));
  AddRanges(std::move(ids), holder);
  return methods;
}

void ClassCatalog::AddRanges(std::vector<uint64_t> ids, jweak holder) {
  std::sort(ids.begin(), ids.end());
  const std::lock_guard lock(mutex_);
  holders_.push_back(holder);
  for (size_t first = 0; first < ids.size();) {
    size_t last = first;
    while (last + 1 < ids.size() && AreNeighbours(ids[last], ids[last + 1])) ++last;
    ranges_.insert_or_assign(ids[first], Range{ids[last], holder});
    first = last + 1;
  }
}

Status ClassCatalog::AddLoaded(jvmtiEnv* jvmti, JNIEnv* jni) {
  // GetLoadedClasses makes a local reference for each class; this is as many as HotSpot lets be
  // announced (globals.hpp, MaxJNILocalCapacity). With more, -Xcheck:jni warns.
  constexpr jint kMostLocals = 65536;
  const LocalFrame frame(jni, kMostLocals);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  const jvmtiError error = jvmti->GetLoadedClasses(&count, classes.out());
  if (error != JVMTI_ERROR_NONE) {
    return Error("GetLoadedClasses: JVMTI error " + std::to_string(error));
  }
  for (jint i = 0; i < count; ++i) {
    Note(jvmti, jni, classes[i]);
    jni->DeleteLocalRef(classes[i]);
  }
  return {};
}

const ClassCatalog::Range* ClassCatalog::RangeOf(uint64_t id) const {
  auto after = ranges_.upper_bound(id);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return id <= range.last ? &range : nullptr;
}

jclass ClassCatalog::HolderOf(JNIEnv* jni, jmethodID method) const {
  const std::lock_guard lock(mutex_);
  const Range* range = RangeOf(IdOf(method));
  return range == nullptr ? nullptr : static_cast<jclass>(jni->NewLocalRef(range->holder));
}

void ClassCatalog::Clear(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  for (const jweak holder : holders_) jni->DeleteWeakGlobalRef(holder);
  holders_.clear();
  ranges_.clear();
  short_lived_.Clear();
}

}  // namespace jprof
