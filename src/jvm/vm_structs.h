// VmStructs: the offsets of fields and the addresses of static variables of the running HotSpot.
// The table vm_structs.def lists the fields and their names in each release.
//
// Called once at start, on any thread outside handlers. A field that this release does not export
// is empty in `fields` or nullptr in `statics`; this is no error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jvm/vm_tables.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// Addresses of static variables inside libjvm.so; nullptr where not exported.
struct VmStatics {
#define JPROF_VM_OFFSET(member, without, names)
#define JPROF_VM_SIZE(member, without, type)
#define JPROF_VM_STATIC(member, type, without, names) type const* member = nullptr;
#define JPROF_VM_FIELD(member, without, names)
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_SIZE
#undef JPROF_VM_OFFSET
};

// Fields of the VM's classes, and sizes of the classes. hotspot_layout_reader.h makes a layout from
// them.
struct VmFields {
#define JPROF_VM_OFFSET(member, without, names) std::optional<uint32_t> member;
#define JPROF_VM_SIZE(member, without, type) std::optional<uint32_t> member;
#define JPROF_VM_STATIC(member, type, without, names)
#define JPROF_VM_FIELD(member, without, names) VmField member;
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_SIZE
#undef JPROF_VM_OFFSET
};

struct VmStructs {
  VmTables tables;
  VmStatics statics;
  VmFields fields;
  std::vector<std::string> missing;  // sentences: "This JVM does not export X.y: the loss."
  // The first missing field without which frames cannot be walked, "X.y or Z.y"; empty: none is
  // missing.
  std::string missing_for_walks;
};

// Reads the tables of the libjvm.so of this process. An error if the process has no libjvm.so, or
// the library exports no tables.
Result<VmStructs> LoadVmStructs();

VmStructs ReadVmStructs(VmTables tables);

}  // namespace jprof
