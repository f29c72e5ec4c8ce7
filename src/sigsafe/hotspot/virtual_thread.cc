#include "sigsafe/hotspot/virtual_thread.h"

#include <algorithm>

namespace jprof {
namespace {

// Values of java.lang.String.coder (jdk-25+36 src/java.base/share/classes/java/lang/String.java).
constexpr uint8_t kLatin1 = 0;
constexpr uint8_t kUtf16 = 1;

bool LoadCurrentThread(const HotspotLayout& vm, LoadFaults faults, uint64_t java_thread,
                       uint64_t* thread) {
  return faults == LoadFaults::kCaught && vm.names.array_data != 0 &&
         LoadMountedThread(vm.mounted, java_thread, thread);
}

bool LoadCurrentId(const HotspotLayout& vm, LoadFaults faults, uint64_t java_thread, int64_t* id) {
  if (vm.thread_current_id.exists()) return vm.thread_current_id.Load(java_thread, id);
  uint64_t thread = 0;
  return LoadCurrentThread(vm, faults, java_thread, &thread) &&
         GuardedLoad(thread + vm.names.thread_id, id);
}

bool CopyText(const HotspotLayout& vm, uint64_t text, ThreadNameBytes* name) {
  uint64_t array = 0;
  int32_t length = 0;
  uint8_t coder = 0;
  if (!LoadReference(vm.mounted.references, text + vm.names.text_value, &array) || array == 0 ||
      !GuardedLoad(text + vm.names.text_coder, &coder) ||
      !GuardedLoad(array + vm.names.array_length, &length)) {
    return false;
  }
  if (length <= 0 || (coder != kLatin1 && coder != kUtf16)) return false;
  name->utf16 = coder == kUtf16;
  name->size =
      static_cast<uint8_t>(std::min<uint64_t>(static_cast<uint64_t>(length), sizeof name->bytes));
  for (uint8_t i = 0; i < name->size; ++i) {
    if (!GuardedLoad(array + vm.names.array_data + i, &name->bytes[i])) return false;
  }
  return true;
}

}  // namespace

int64_t MountedThreadId(const HotspotLayout& vm, LoadFaults faults, const void* jni_env,
                        int64_t own_id) {
  if (jni_env == nullptr || own_id == 0) return 0;
  const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
  int64_t current = 0;
  if (!LoadCurrentId(vm, faults, java_thread, &current) || current == own_id) return 0;
  // The JavaThread has the id of the virtual thread already before the first frame of the
  // continuation runs, and still after the last frame has returned. At both times the carrier runs,
  // and no continuation.
  int64_t continuation = 1;
  if (vm.thread_continuation.exists() && !vm.thread_continuation.Load(java_thread, &continuation)) {
    return 0;
  }
  return continuation == 0 ? 0 : current;
}

bool CanReadMountedThread(const HotspotLayout& vm, LoadFaults faults, const void* jni_env) {
  if (jni_env == nullptr || !vm.finds_virtual_threads() || vm.thread_current_id.exists()) {
    return true;
  }
  const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
  int64_t continuation = 1;
  if (vm.thread_continuation.exists() && vm.thread_continuation.Load(java_thread, &continuation) &&
      continuation == 0) {
    return true;
  }
  uint64_t thread = 0;
  return LoadCurrentThread(vm, faults, java_thread, &thread);
}

bool CopyMountedThreadName(const HotspotLayout& vm, LoadFaults faults, const void* jni_env,
                           int64_t id, ThreadNameBytes* name) {
  const uint64_t java_thread = JavaThreadOf(jni_env, vm.env_offset);
  uint64_t thread = 0;
  uint64_t text = 0;
  int64_t found_id = 0;
  // The object found is the expected virtual thread only if it has the expected id.
  return LoadCurrentThread(vm, faults, java_thread, &thread) &&
         GuardedLoad(thread + vm.names.thread_id, &found_id) && found_id == id &&
         LoadReference(vm.mounted.references, thread + vm.names.thread_name, &text) && text != 0 &&
         CopyText(vm, text, name);
}

}  // namespace jprof
