// VmTables: the tables that libjvm.so exports for debuggers, unchanged
// (gHotSpotVMStructs, gHotSpotVMTypes, gHotSpotVMIntConstants).
//
// Called once at start, on any thread outside handlers. Views are of libjvm's own memory, which
// stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

class Libjvm;

struct VmTables {
  enum class FieldKind : uint8_t { kInstance, kStatic };

  struct Field {
    std::string_view type;  // the class it is a member of
    std::string_view name;
    std::string_view value_type;  // as in C++: "int", "Method*"
    FieldKind kind;
    uint64_t offset;      // kInstance
    const void* address;  // kStatic
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

  // nullopt: this JVM does not export it.
  std::optional<uint64_t> SizeOf(std::string_view type) const;
  std::optional<int32_t> ValueOf(std::string_view constant) const;

  // An error if the library exports no tables: it is not HotSpot.
  static Result<VmTables> Load(const Libjvm& libjvm);
};

// The exported array of fields and the shape of its entries, so that no struct of a JDK is compiled
// in. The last entry has a null field name.
struct VmFieldArray {
  const char* entries;
  uint64_t stride;
  uint64_t type_name_offset;
  uint64_t field_name_offset;
  uint64_t value_type_offset;
  uint64_t is_static_offset;  // int32_t
  uint64_t offset_offset;     // uint64_t, of fields that are not static
  uint64_t address_offset;    // pointer, of static fields
};

// REQUIRES: `array` describes an array as HotSpot exports it.
std::vector<VmTables::Field> ReadFields(const VmFieldArray& array);

}  // namespace jprof
