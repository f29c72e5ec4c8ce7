#include "jvm/vm_tables.h"

#include <cstring>
#include <string>

#include "jvm/libjvm.h"

namespace jprof {
namespace {

// The most entries that are read: several times the longest known table (826 fields in JDK 21).
// Guards against a table without an end mark.
constexpr int kMaxEntries = 16384;

template <typename T>
T Load(const char* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

std::string_view OrEmpty(const char* text) { return text != nullptr ? text : ""; }

// Reads the exported variables that describe the tables, and remembers the first that is absent.
class Exports {
 public:
  explicit Exports(const Libjvm& libjvm) : libjvm_(libjvm) {}

  template <typename T>
  T Value(const char* name) {
    const void* symbol = libjvm_.Symbol(name);
    if (symbol != nullptr) return Load<T>(static_cast<const char*>(symbol));
    if (absent_ == nullptr) absent_ = name;
    return T{};
  }

  const char* absent() const { return absent_; }

 private:
  const Libjvm& libjvm_;
  const char* absent_ = nullptr;
};

VmFieldArray FindFields(Exports& exports) {
  VmFieldArray array = {};
  array.entries = exports.Value<const char*>("gHotSpotVMStructs");
  array.stride = exports.Value<uint64_t>("gHotSpotVMStructEntryArrayStride");
  array.type_name_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryTypeNameOffset");
  array.field_name_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryFieldNameOffset");
  array.value_type_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryTypeStringOffset");
  array.is_static_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryIsStaticOffset");
  array.offset_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryOffsetOffset");
  array.address_offset = exports.Value<uint64_t>("gHotSpotVMStructEntryAddressOffset");
  return array;
}

// A table of named numbers: the table of types or of constants.
struct NumberArray {
  const char* entries;
  uint64_t stride;
  uint64_t name_offset;
  uint64_t number_offset;
};

template <typename Number, typename Entry>
std::vector<Entry> ReadNumbers(const NumberArray& array) {
  std::vector<Entry> numbers;
  if (array.entries == nullptr || array.stride == 0) return numbers;
  const char* at = array.entries;
  for (int i = 0; i < kMaxEntries; ++i, at += array.stride) {
    const auto* name = Load<const char*>(at + array.name_offset);
    if (name == nullptr) break;
    numbers.push_back({name, Load<Number>(at + array.number_offset)});
  }
  return numbers;
}

}  // namespace

std::vector<VmTables::Field> ReadFields(const VmFieldArray& array) {
  std::vector<VmTables::Field> fields;
  const char* at = array.entries;
  for (int i = 0; i < kMaxEntries; ++i, at += array.stride) {
    const auto* name = Load<const char*>(at + array.field_name_offset);
    if (name == nullptr) break;
    fields.push_back(
        {OrEmpty(Load<const char*>(at + array.type_name_offset)), name,
         OrEmpty(Load<const char*>(at + array.value_type_offset)),
         Load<int32_t>(at + array.is_static_offset) != 0 ? VmTables::FieldKind::kStatic
                                                         : VmTables::FieldKind::kInstance,
         Load<uint64_t>(at + array.offset_offset), Load<const void*>(at + array.address_offset)});
  }
  return fields;
}

Result<VmTables> VmTables::Load(const Libjvm& libjvm) {
  Exports exports(libjvm);
  const VmFieldArray fields = FindFields(exports);
  const NumberArray types{exports.Value<const char*>("gHotSpotVMTypes"),
                          exports.Value<uint64_t>("gHotSpotVMTypeEntryArrayStride"),
                          exports.Value<uint64_t>("gHotSpotVMTypeEntryTypeNameOffset"),
                          exports.Value<uint64_t>("gHotSpotVMTypeEntrySizeOffset")};
  const NumberArray constants{exports.Value<const char*>("gHotSpotVMIntConstants"),
                              exports.Value<uint64_t>("gHotSpotVMIntConstantEntryArrayStride"),
                              exports.Value<uint64_t>("gHotSpotVMIntConstantEntryNameOffset"),
                              exports.Value<uint64_t>("gHotSpotVMIntConstantEntryValueOffset")};
  if (exports.absent() != nullptr || fields.entries == nullptr || fields.stride == 0) {
    return Error(libjvm.path() + " does not export " +
                 (exports.absent() != nullptr ? exports.absent() : "a filled gHotSpotVMStructs") +
                 ": it is not HotSpot, or a release that dropped its tables.");
  }
  return VmTables{ReadFields(fields), ReadNumbers<uint64_t, Type>(types),
                  ReadNumbers<int32_t, Constant>(constants)};
}

std::optional<uint64_t> VmTables::SizeOf(std::string_view type) const {
  for (const Type& one : types) {
    if (one.name == type) return one.size;
  }
  return std::nullopt;
}

std::optional<int32_t> VmTables::ValueOf(std::string_view constant) const {
  for (const Constant& one : constants) {
    if (one.name == constant) return one.value;
  }
  return std::nullopt;
}

}  // namespace jprof
