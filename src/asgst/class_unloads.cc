#include "asgst/class_unloads.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "asgst/own_faults.h"
#include "asgst/walk_service.h"
#include "base/log.h"
#include "jvm/jni_scope.h"
#include "jvm/jvmti_ptr.h"
#include "sigsafe/asgst/method_texts.h"
#include "sigsafe/asgst/stack_iterator.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/os/raw_syscall.h"

namespace jprof::asgst {
namespace {

constexpr Nanos kBetweenClassLooks = 500'000'000;
// The number of methods of a class that are asked for its jmethodIDs.
constexpr uint64_t kMostMethods = 65536;

thread_local bool t_is_watcher = false;

enum class Finding : uint8_t {
  kFound,
  kNoId,      // the class is there, and has no jmethodIDs
  kUnloaded,  // the memory of the method has none of the class any more
};

// True if `id` is the jmethodID of a method of the class. If jmethodIDs are numbers, the JVM checks
// them.
bool IsIdOfClass(const ApiState& state, uint64_t id, uint64_t klass) {
  if (!state.ids_are_addresses) return id != 0;
  uint64_t address = 0;
  JavaMethod java;
  return id != 0 && id % kWordSize == 0 && GuardedLoad(id, &address) &&
         LoadJavaMethod(*state.vm, address, &java) && ClassOf(java.id) == klass;
}

// Finds a jmethodID of the class, by a method that iterators have met.
Finding FindId(const ApiState& state, uint64_t klass, uint64_t method_address, jmethodID* to) {
  const WalkSession session;
  if (session.result() != kMore) return Finding::kNoId;
  JavaMethod java;
  uint64_t ids = 0;
  uint64_t length = 0;
  if (!LoadJavaMethod(*state.vm, method_address, &java) || ClassOf(java.id) != klass) {
    return Finding::kUnloaded;
  }
  if (!state.klass_method_ids.exists() || !state.klass_method_ids.LoadPointer(java.holder, &ids) ||
      !GuardedLoad(ids, &length)) {
    return Finding::kNoId;
  }
  for (uint64_t i = 1; i <= std::min(length, kMostMethods); ++i) {
    uint64_t id = 0;
    if (!GuardedLoad(ids + i * kWordSize, &id)) break;
    if (!IsIdOfClass(state, id, klass)) continue;
    *to = reinterpret_cast<jmethodID>(id);
    return Finding::kFound;
  }
  return Finding::kNoId;
}

// Returns the signature of the class as JVMTI has it. In the name of a hidden class, JVMTI has '.'
// in place of '+'.
std::string SignatureOf(std::string_view name) {
  std::string signature = "L" + std::string(name) + ";";
  std::replace(signature.begin(), signature.end(), '+', '.');
  return signature;
}

bool HasSignature(jvmtiEnv* jvmti, jclass type, const std::set<std::string>& signatures) {
  JvmtiPtr<char> signature(jvmti);
  return jvmti->GetClassSignature(type, signature.out(), nullptr) == JVMTI_ERROR_NONE &&
         signatures.count(signature.get()) != 0;
}

// Has the JVM make the jmethodIDs of all loaded classes with these signatures.
void MakeIds(jvmtiEnv* jvmti, JNIEnv* jni, const std::set<std::string>& signatures) {
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) {
    if (HasSignature(jvmti, classes[i], signatures)) {
      jint methods = 0;
      JvmtiPtr<jmethodID> ids(jvmti);
      static_cast<void>(jvmti->GetClassMethods(classes[i], &methods, ids.out()));
    }
    jni->DeleteLocalRef(classes[i]);
  }
}

// Returns a weak reference to the class of the jmethodID, if that class has the signature; nullptr
// if not.
jweak WeakReference(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID id, const std::string& signature) {
  jclass declaring = nullptr;
  if (jvmti->GetMethodDeclaringClass(id, &declaring) != JVMTI_ERROR_NONE || declaring == nullptr) {
    return nullptr;
  }
  const jweak weak =
      HasSignature(jvmti, declaring, {signature}) ? jni->NewWeakGlobalRef(declaring) : nullptr;
  jni->DeleteLocalRef(declaring);
  if (jni->ExceptionCheck() != JNI_FALSE) jni->ExceptionClear();
  return weak;
}

}  // namespace

ClassUnloads& ClassUnloads::OfProcess() {
  static auto* const unloads = new ClassUnloads;
  return *unloads;
}

bool ClassUnloads::Add(ASGST_ClassUnloadHandler handler, void* argument) {
  if (TheApiState() == nullptr) return false;
  const std::lock_guard lock(mutex_);
  if (!is_watching_) {
    Result<NativeThread> thread = NativeThread::Start("jprof-unloads", [this] { Watch(); });
    if (!thread) {
      Log::Warn("unloaded classes are not told: %s", thread.error().message().c_str());
      return false;
    }
    thread.value().Detach();
    is_watching_ = true;
  }
  handlers_.push_back({handler, argument});
  return true;
}

bool ClassUnloads::Remove(ASGST_ClassUnloadHandler handler, void* argument) {
  const Handler removed{handler, argument};
  uint64_t calls = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(handlers_.begin(), handlers_.end(), removed);
    if (found == handlers_.end()) return false;
    handlers_.erase(found);
    if (!is_calling_ || called_ != removed || t_is_watcher) return true;
    calls = calls_;
  }
  constexpr Nanos kPause = 1'000'000;
  for (;;) {
    RawSleep(kPause);
    const std::lock_guard lock(mutex_);
    if (calls_ != calls) return true;
  }
}

void ClassUnloads::Watch() {
  t_is_watcher = true;
  OpenFaults();
  JvmEvents& events = *WalkService::Events();
  const JniScope jni(events.vm(), "jprof unloads");
  Classes classes;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (handlers_.empty() || !jni) {
        is_watching_ = false;
        break;
      }
    }
    const ApiState* const state = TheApiState();
    if (state != nullptr && !events.is_ending()) Look(*state, jni.get(), classes);
    RawSleep(kBetweenClassLooks);
  }
  for (const auto& [klass, weak] : classes.live) jni.get()->DeleteWeakGlobalRef(weak);
}

void ClassUnloads::Look(const ApiState& state, JNIEnv* jni, Classes& classes) {
  if (classes.arena_used != state.arena->used()) ReadRecords(state, classes);
  FindNew(state, jni, classes);
  for (auto each = classes.live.begin(); each != classes.live.end();) {
    if (jni->IsSameObject(each->second, nullptr) == JNI_FALSE) {
      ++each;
      continue;
    }
    jni->DeleteWeakGlobalRef(each->second);
    classes.unloaded.insert(each->first);
    Report(each->first, classes.met[each->first]);
    each = classes.live.erase(each);
  }
}

void ClassUnloads::ReadRecords(const ApiState& state, Classes& classes) {
  classes.arena_used = state.arena->used();
  classes.met.clear();
  std::set<uint64_t> known;
  state.methods->ForEach(*state.arena, [&](const MethodRecord& record) {
    if (record.declaring == nullptr || !known.insert(record.id).second) return;
    classes.met[ClassOf(record.id)].push_back({record.id, record.address});
  });
}

// Finds the classes that have been met for the first time.
void ClassUnloads::FindNew(const ApiState& state, JNIEnv* jni, Classes& classes) {
  jvmtiEnv* const jvmti = WalkService::Events()->jvmti();
  std::set<std::string> without_ids;
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const auto& [klass, methods] : classes.met) {
      const ClassRecord* const record = asgst::FindClass(state, klass);
      if (classes.live.count(klass) != 0 || classes.unloaded.count(klass) != 0 ||
          record == nullptr) {
        continue;
      }
      const std::string signature = SignatureOf(record->name());
      jmethodID id = nullptr;
      Finding finding = Finding::kUnloaded;
      for (const MetMethod& method : methods) {
        finding = FindId(state, klass, method.address, &id);
        if (finding != Finding::kUnloaded) break;
      }
      if (finding == Finding::kUnloaded) {
        classes.unloaded.insert(klass);
        Report(klass, methods);
      } else if (finding == Finding::kNoId) {
        without_ids.insert(signature);
      } else if (const jweak weak = WeakReference(jvmti, jni, id, signature); weak != nullptr) {
        classes.live[klass] = weak;
      }
    }
    if (without_ids.empty() || attempt > 0) return;
    MakeIds(jvmti, jni, without_ids);
  }
}

void ClassUnloads::Report(uint64_t klass, const std::vector<MetMethod>& methods) {
  std::vector<ASGST_Method> ids;
  for (const MetMethod& method : methods) ids.push_back(reinterpret_cast<ASGST_Method>(method.id));
  std::vector<Handler> handlers;
  {
    const std::lock_guard lock(mutex_);
    handlers = handlers_;
  }
  for (const Handler& handler : handlers) {
    {
      const std::lock_guard lock(mutex_);
      if (std::find(handlers_.begin(), handlers_.end(), handler) == handlers_.end()) continue;
      called_ = handler;
      is_calling_ = true;
    }
    handler.function(reinterpret_cast<ASGST_Class>(klass), ids.data(), static_cast<int>(ids.size()),
                     false, handler.argument);
    const std::lock_guard lock(mutex_);
    is_calling_ = false;
    ++calls_;
  }
}

}  // namespace jprof::asgst
