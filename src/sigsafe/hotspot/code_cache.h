// CodeBlob: a piece of generated code, found by an address in it.
//
// The VM does not free a blob while one of its frames is on the stack of the running thread. A
// wrong address leads to arbitrary memory, so every value is checked and every load is guarded.
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct CodeBlob {
  uint64_t address;
  uint64_t code_begin;
  uint64_t code_end;
  int32_t frame_size;      // size of a frame in words; 0 if not fixed
  int32_t frame_complete;  // offset from code_begin from which the frame is complete; < 0 if never
  bool is_nmethod;         // true for compiled methods and native wrappers, false for stubs
};

// True if `pc` lies in generated code.
inline bool IsGeneratedCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.code_low < vm.code_high - vm.code_low;
}

inline bool IsInterpreterCode(const HotspotLayout& vm, uint64_t pc) {
  return pc - vm.interpreter_begin < vm.interpreter_end - vm.interpreter_begin;
}

// True if `blob` is an adapter for calls from interpreted to compiled methods, or from compiled to
// interpreted ones.
bool IsAdapter(const HotspotLayout& vm, const CodeBlob& blob);

// True if `blob` is a stub by which native code calls Java through a function pointer that the
// foreign function API has made. Such stubs exist from JDK 20 on.
bool IsUpcallStub(const HotspotLayout& vm, const CodeBlob& blob);

// True if `blob` is a stub that replaces a compiled frame by interpreted frames.
bool IsDeoptimisation(const HotspotLayout& vm, const CodeBlob& blob);

// True if `pc`, a return address in `blob`, is the return barrier: the code to which a virtual
// thread's outermost frame on the stack returns while the callers of that frame are still in the
// heap.
bool IsReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// True if `blob` has the stubs that have the VM copy frames of a virtual thread from the heap to the
// stack: when it is mounted, and at a return barrier.
bool HasContinuationStubs(const HotspotLayout& vm, const CodeBlob& blob);

// True if `pc`, in `blob`, is in the code at a return barrier, which has the VM copy frames from the
// heap to the stack, and then returns into them. REQUIRES: HasContinuationStubs(vm, blob).
bool IsInReturnBarrier(const HotspotLayout& vm, const CodeBlob& blob, uint64_t pc);

// True if `blob` is Continuation.enterSpecial, by which a carrier mounts a virtual thread:
// enterSpecial either calls the first method of the virtual thread, or has the VM copy frames from
// the heap to the stack and returns into them.
bool IsContinuationEntry(const HotspotLayout& vm, const CodeBlob& blob);

// Finds the blob that contains `pc`. Returns false if there is none.
[[nodiscard]] bool FindCodeBlob(const HotspotLayout& vm, uint64_t pc, CodeBlob* blob);

}  // namespace jprof
