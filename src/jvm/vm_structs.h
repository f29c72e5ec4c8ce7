// VmStructs: offsets and static variables of the running HotSpot. Which fields, under which names:
// the table vm_structs.def.
//
// Called once at start, on any thread outside handlers. A field that this release does not export
// is empty in `layout`, absent in `fields` or nullptr in `statics`; what is lost without it has a
// sentence in `missing`. Never a failure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/vm_tables.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/hotspot/vm_layout.h"

namespace jprof {

// Addresses of static variables inside libjvm.so; nullptr where not exported.
struct VmStatics {
#define JPROF_VM_OFFSET(member, lost, ...)
#define JPROF_VM_STATIC(member, type, lost, ...) type const* member = nullptr;
#define JPROF_VM_FIELD(member, ...)
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_OFFSET
};

// What walking frames needs (hotspot_layout_reader.h says what of it).
struct VmFields {
#define JPROF_VM_OFFSET(member, lost, ...)
#define JPROF_VM_STATIC(member, type, lost, ...)
#define JPROF_VM_FIELD(member, ...) VmField member;
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_OFFSET
};

struct VmStructs {
  VmTables tables;
  VmLayout layout;
  VmStatics statics;
  VmFields fields;
  std::vector<std::string> missing;  // "JVM does not export X.y: what is lost"
};

// Of the libjvm.so in this process. An error if there is none or it exports no tables.
Result<VmStructs> LoadVmStructs();

VmStructs ReadVmStructs(VmTables tables);

}  // namespace jprof
