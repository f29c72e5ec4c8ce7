// CodeBlob: a piece of generated code, found by an address in it.
//
// A blob of a frame on the running thread's stack stays while it is looked at; one found by a wrong
// address may be anything, so every answer is checked and every load guarded. Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct CodeBlob {
  uint64_t address;
  uint64_t code_begin;
  uint64_t code_end;
  int32_t frame_size;      // words, 0: has no frame of a fixed size
  int32_t frame_complete;  // from code_begin on the frame is complete; < 0: never
  bool is_nmethod;         // a compiled method or the wrapper of a native one; else a stub
};

// Whether `pc` lies in generated code at all.
inline bool IsGeneratedCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.code_low < vm.code_high - vm.code_low;
}

inline bool IsInterpreterCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.interpreter_begin < vm.interpreter_end - vm.interpreter_begin;
}

// Whether `blob` leads from interpreted methods to compiled ones, or back.
bool IsAdapter(const HotspotLayout& vm, const CodeBlob& blob);

// Whether `pc`, a return address in `blob`, is the return barrier: the thread goes on with frames
// of a virtual thread that are still in the heap.
bool IsReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// Whether it is the code of Continuation.enterSpecial, by which a carrier mounts a virtual thread:
// it calls the thread's first frame, or has the VM bring frames back and returns into them.
bool IsContinuationEntry(const HotspotLayout& vm, const CodeBlob& blob);

// False: `pc` is in no blob.
[[nodiscard]] bool FindCodeBlob(const HotspotLayout& vm, uint64_t pc, CodeBlob* blob);

}  // namespace jprof
