// References in the Java heap and at its roots, as the running collector writes them.
//
// Async-signal-safe. A reference may be followed only on a thread that runs Java code or the VM's
// own (MayFollowReferences): then no safepoint can begin, so no collector that stops the world
// moves objects meanwhile, and the phase of one that does not stays what it is. Loads are guarded
// all the same.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct ReferenceLayout {
  bool narrow;  // in objects: 32 bits, shifted and based
  uint32_t narrow_shift;
  uint64_t narrow_base;
  // ZGC: the VM's own variables; nullptr: references have no colours. An address stands above the
  // colours. One whose colours are bad has to be looked up first, and is not followed (jdk-25+36
  // src/hotspot/share/gc/z/zAddress.hpp, ZPointerLoadBadMask and ZPointerLoadShift).
  const uint64_t* bad_colours;
  const uint64_t* colour_bits;
};

// Whether the running thread is in a state in which references may be followed.
struct FollowableStates {
  VmField thread_state;  // of JavaThread
  int64_t in_java;
  int64_t in_vm;

  bool Contains(uint64_t java_thread) const;
};

// The object that the reference at `address` leads to. False: none, or it may not be followed.
[[nodiscard]] bool LoadReference(const ReferenceLayout& layout, uint64_t address, uint64_t* object);

// The same for one outside the heap, which is never narrow. `handle`: the address of an OopHandle.
[[nodiscard]] bool LoadRoot(const ReferenceLayout& layout, uint64_t handle, uint64_t* object);

}  // namespace jprof
