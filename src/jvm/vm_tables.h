// VmTables: copies of the tables that libjvm.so exports for debuggers (gHotSpotVMStructs,
// gHotSpotVMTypes, gHotSpotVMIntConstants).
//
// Called once at start, on any thread outside handlers. The string views refer to memory of libjvm,
// which is never unloaded.
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

  // Return the size of a type in bytes and the value of a constant; nullopt if this JVM does not
  // export the type or constant.
  std::optional<uint64_t> SizeOf(std::string_view type) const;
  std::optional<int32_t> ValueOf(std::string_view constant) const;

  // Reads the tables of `libjvm`. An error if the library exports no tables: then the JVM is not
  // HotSpot.
  static Result<VmTables> Load(const Libjvm& libjvm);
};

// The exported array of fields and the layout of its entries. libjvm.so exports the layout, too, so
// the agent does not depend on the struct of one JDK. The last entry has a null field name.
struct VmFieldArray {
  const char* entries;
  uint64_t stride;
  uint64_t type_name_offset;
  uint64_t field_name_offset;
  uint64_t value_type_offset;
  uint64_t is_static_offset;  // int32_t
  uint64_t offset_offset;     // uint64_t, for fields that are not static
  uint64_t address_offset;    // pointer, for static fields
};

// Reads the fields of `array`. REQUIRES: `array` describes an array as HotSpot exports it.
std::vector<VmTables::Field> ReadFields(const VmFieldArray& array);

}  // namespace jprof
