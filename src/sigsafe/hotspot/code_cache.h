// CodeBlob: a piece of generated code, found by an address in it.
//
// The blob of a frame on the running thread's stack lives while a walk reads it. A wrong address
// leads to arbitrary memory, so every value is checked and every load is guarded.
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct CodeBlob {
  uint64_t address;
  uint64_t code_begin;
  uint64_t code_end;
  int32_t frame_size;      // words; 0: no frame of fixed size
  int32_t frame_complete;  // offset from code_begin at which the frame is complete; < 0: never
  bool is_nmethod;         // a compiled method or the wrapper of a native one; else a stub
};

// True if `pc` lies in generated code.
inline bool IsGeneratedCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.code_low < vm.code_high - vm.code_low;
}

inline bool IsInterpreterCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.interpreter_begin < vm.interpreter_end - vm.interpreter_begin;
}

// True if `blob` is an adapter from interpreted to compiled methods, or back.
bool IsAdapter(const HotspotLayout& vm, const CodeBlob& blob);

// True if `blob` is a stub by which native code calls Java: a function pointer that the foreign
// function API has made. JDK 20 on.
bool IsUpcallStub(const HotspotLayout& vm, const CodeBlob& blob);

// True if `pc`, a return address in `blob`, is the return barrier: through it a virtual thread
// returns to frames that are still in the heap.
bool IsReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// True if `blob` is Continuation.enterSpecial, by which a carrier mounts a virtual thread:
// enterSpecial calls the thread's first frame, or has the VM copy frames back to the stack and
// returns into them.
bool IsContinuationEntry(const HotspotLayout& vm, const CodeBlob& blob);

// Finds the blob that contains `pc`. False: there is none.
[[nodiscard]] bool FindCodeBlob(const HotspotLayout& vm, uint64_t pc, CodeBlob* blob);

}  // namespace jprof
