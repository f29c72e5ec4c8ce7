#include "jvm/early_attach.h"

namespace jprof {

bool MayAttach(const VmStructs& structs) {
  const uint64_t* const list = structs.statics.first_thread;
  if (list == nullptr || !structs.fields.thread_object) return true;
  // The head is the thread that came last. No thread ends while the JVM makes its first ones.
  const uint64_t thread = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  if (thread == 0) return false;
  const auto* const object =
      reinterpret_cast<const uint64_t*>(thread + *structs.fields.thread_object);
  return __atomic_load_n(object, __ATOMIC_ACQUIRE) != 0;
}

}  // namespace jprof
