// VmStructs: offsets and static variables of the running HotSpot, read from the tables that
// libjvm.so exports for debuggers (gHotSpotVMStructs). Which fields, under which names: the table
// vm_structs.def.
//
// Called once at start, on any thread outside handlers. A field that this release does not export
// is empty in `layout` or nullptr in `statics` and has a sentence in `missing`; never a failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sigsafe/hotspot/vm_layout.h"

namespace jprof {

// Addresses of static variables inside libjvm.so; nullptr where not exported.
struct VmStatics {
#define JPROF_VM_OFFSET(member, lost, ...)
#define JPROF_VM_STATIC(member, type, lost, ...) type const* member = nullptr;
#include "jvm/vm_structs.def"
#undef JPROF_VM_STATIC
#undef JPROF_VM_OFFSET
};

struct VmStructs {
  VmLayout layout;
  VmStatics statics;
  std::vector<std::string> missing;  // "JVM does not export X.y: what is lost"
};

// The exported array and the shape of its entries, so that no struct of a JDK is compiled in.
// It ends with an entry whose field name is null.
struct VmStructsTable {
  const char* entries;
  uint64_t stride;
  uint64_t type_name_offset;
  uint64_t field_name_offset;
  uint64_t is_static_offset;  // int32_t
  uint64_t offset_offset;     // uint64_t, of fields that are not static
  uint64_t address_offset;    // pointer, of static fields
};

// Of the libjvm.so in this process. An error if there is none or it exports no table (not HotSpot).
Result<VmStructs> LoadVmStructs();

// REQUIRES: `table` describes an array as HotSpot exports it.
VmStructs ReadVmStructs(const VmStructsTable& table);

}  // namespace jprof
