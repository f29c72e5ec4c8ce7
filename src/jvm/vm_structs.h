// VmTables holds copies of the tables that libjvm.so exports for debuggers (gHotSpotVMStructs,
// gHotSpotVMTypes, gHotSpotVMIntConstants). VmStructs holds what the agent reads from these tables:
// the offsets of fields and the addresses of static variables of the running HotSpot. The table
// vm_structs.def lists the fields and their names in each release.
//
// Called once at start, on any thread outside signal handlers. The string views refer to memory of
// libjvm, which is never unloaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

class Libjvm;

struct VmTables {
  enum class FieldKind : uint8_t { kInstance, kStatic };

  struct Field {
    std::string_view type;  // the class that has the field
    std::string_view name;
    std::string_view value_type;  // C++ type: "int", "Method*"
    FieldKind kind;
    uint64_t offset;      // for a kInstance field, in bytes
    const void* address;  // for a kStatic field
  };
  struct Type {
    std::string_view name;
    uint64_t size;
  };
  struct Constant {
    std::string_view name;
    int32_t value;
  };

  std::vector<Field> fields;
  std::vector<Type> types;
  std::vector<Constant> constants;

  // Returns the size of a type in bytes; nullopt if this JVM does not export the type.
  std::optional<uint64_t> SizeOf(std::string_view type) const;
  // Returns the value of a constant; nullopt if this JVM does not export the constant.
  std::optional<int32_t> ValueOf(std::string_view constant) const;

  // Reads the tables of `libjvm`. Fails if the library exports no tables: for example, the library
  // of a JVM other than HotSpot exports none.
  static Result<VmTables> Load(const Libjvm& libjvm);
};

// The exported array of fields and the layout of its entries. libjvm.so exports this layout, too,
// so the agent does not depend on the layout in one JDK. The last entry has a null field name.
struct VmFieldArray {
  const char* entries;
  uint64_t stride;
  uint64_t type_name_offset;
  uint64_t field_name_offset;
  uint64_t value_type_offset;
  uint64_t is_static_offset;  // offset of an int32_t
  uint64_t offset_offset;     // offset of a uint64_t, for fields that are not static
  uint64_t address_offset;    // offset of a pointer, for static fields
};

// Reads the fields of `array`. REQUIRES: `array` describes an array as HotSpot exports it.
std::vector<VmTables::Field> ReadFields(const VmFieldArray& array);

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

// The tables, and the fields of vm_structs.def. A field that this release does not export is empty
// in `fields` or nullptr in `statics`; this is no error.
struct VmStructs {
  VmTables tables;
  VmStatics statics;
  VmFields fields;
  std::vector<std::string> missing;  // sentences: "This JVM does not export X.y: the loss."
  // The first missing field without which frames cannot be walked, such as "X.y or Z.y"; empty if
  // no such field is missing.
  std::string missing_for_walks;
};

// Reads the tables of the libjvm.so of this process. Fails if the process has no libjvm.so, or the
// library exports no tables.
Result<VmStructs> LoadVmStructs();

// Looks up the rows of vm_structs.def in `tables`.
VmStructs ReadVmStructs(VmTables tables);

}  // namespace jprof
