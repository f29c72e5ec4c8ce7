#include "jvm/lock_stack_reader.h"

#include "jvm/vm_flags.h"

namespace jprof {

LockStackLayout ReadLockStackLayout(const VmStructs& structs) {
  bool moves_in_pauses = false;
  for (const char* flag : {"UseSerialGC", "UseParallelGC", "UseG1GC"}) {
    moves_in_pauses = moves_in_pauses || BoolFlag(structs, flag).value_or(false);
  }
  const VmFields& fields = structs.fields;
  const uint64_t* const heap = structs.statics.collected_heap;
  if (!moves_in_pauses || heap == nullptr || *heap == 0 || !fields.thread_lock_stack ||
      !fields.lock_stack_top.exists() || !fields.lock_stack_base ||
      !fields.heap_collections.exists()) {
    return {};
  }
  LockStackLayout layout{fields.lock_stack_top, *fields.thread_lock_stack + *fields.lock_stack_base,
                         *heap, fields.heap_collections};
  layout.top.offset += *fields.thread_lock_stack;
  return layout;
}

}  // namespace jprof
