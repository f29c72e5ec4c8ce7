#include "jvm/vm_structs.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "jvm/libjvm.h"

namespace jprof {
namespace {

// The maximum number of entries that are read: several times the longest known table (826 fields in
// JDK 21). Guards against a table without an end mark.
constexpr int kMaxEntries = 16384;

template <typename T>
T Load(const char* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

std::string_view OrEmpty(const char* text) { return text != nullptr ? text : ""; }

// Reads the exported variables that describe the tables, and remembers the name of the first
// variable that is absent.
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

using FieldKind = VmTables::FieldKind;

// The consequence if the JVM does not export the field of a row.
struct Without {
  enum class Consequence : uint8_t {
    kNone,
    kLoss,    // `text` describes the loss
    kNoWalk,  // frames cannot be walked, unless another row with this `text` is found
  };
  Consequence consequence;
  const char* text;
};

constexpr Without Nothing() { return {Without::Consequence::kNone, ""}; }
constexpr Without Loses(const char* loss) { return {Without::Consequence::kLoss, loss}; }
constexpr Without NoWalk(const char* part) { return {Without::Consequence::kNoWalk, part}; }

constexpr std::string_view kBetweenNames = " or ";

// A part of the layout that walks need, and the rows of vm_structs.def that can provide it.
struct WalkPart {
  std::string_view name;
  bool is_found;
  std::string rows;
};

// Looks fields up by their names, such as "X.y or Z.y", and collects those that are not found.
class FieldFinder {
 public:
  explicit FieldFinder(const VmTables& tables) : tables_(tables) {}

  std::optional<uint32_t> Offset(Without without, const char* names) {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    Note(without, field != nullptr, names);
    return field == nullptr ? std::nullopt : std::optional(static_cast<uint32_t>(field->offset));
  }

  std::optional<uint32_t> Size(Without without, const char* type) {
    const std::optional<uint64_t> size = tables_.SizeOf(type);
    Note(without, size.has_value(), "size of " + std::string(type));
    return size ? std::optional(static_cast<uint32_t>(*size)) : std::nullopt;
  }

  const void* Static(Without without, const char* names) {
    const VmTables::Field* field = Find(FieldKind::kStatic, names);
    Note(without, field != nullptr, names);
    return field == nullptr ? nullptr : field->address;
  }

  // A field of a type whose size is not known counts as not found.
  VmField Field(Without without, const char* names) {
    const VmField field = Find(names);
    Note(without, field.exists(), names);
    return field;
  }

  std::vector<std::string> TakeMissing() { return std::move(missing_); }

  std::string FirstMissingForWalks() const {
    for (const WalkPart& part : walk_parts_) {
      if (!part.is_found) return part.rows;
    }
    return {};
  }

 private:
  VmField Find(const char* names) const {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    if (field == nullptr) return {};
    const std::string_view type = field->value_type;
    const bool is_pointer = !type.empty() && type.back() == '*';
    const uint64_t width = is_pointer ? sizeof(void*) : tables_.SizeOf(type).value_or(0);
    return {static_cast<uint32_t>(field->offset), static_cast<uint8_t>(width),
            !type.empty() && type.front() != 'u'};
  }

  const VmTables::Field* Find(FieldKind kind, std::string_view names) const {
    while (true) {
      const size_t end = names.find(kBetweenNames);
      const std::string_view name = names.substr(0, end);
      const size_t dot = name.find('.');
      for (const VmTables::Field& field : tables_.fields) {
        if (field.kind == kind && field.type == name.substr(0, dot) &&
            field.name == name.substr(dot + 1)) {
          return &field;
        }
      }
      if (end == std::string_view::npos) return nullptr;
      names.remove_prefix(end + kBetweenNames.size());
    }
  }

  void Note(Without without, bool is_found, const std::string& row) {
    if (without.consequence == Without::Consequence::kLoss && !is_found) {
      missing_.push_back("This JVM does not export " + row + ": " + without.text + ".");
    }
    if (without.consequence != Without::Consequence::kNoWalk) return;
    for (WalkPart& part : walk_parts_) {
      if (part.name != without.text) continue;
      part.is_found |= is_found;
      part.rows.append(kBetweenNames).append(row);
      return;
    }
    walk_parts_.push_back({without.text, is_found, row});
  }

  const VmTables& tables_;
  std::vector<std::string> missing_;
  std::vector<WalkPart> walk_parts_;  // in the order of vm_structs.def
};

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

VmStructs ReadVmStructs(VmTables tables) {
  VmStructs found;
  found.tables = std::move(tables);
  FieldFinder finder(found.tables);
#define JPROF_VM_OFFSET(member, without, names) found.fields.member = finder.Offset(without, names);
#define JPROF_VM_SIZE(member, without, type) found.fields.member = finder.Size(without, type);
#define JPROF_VM_STATIC(member, type, without, names) \
  found.statics.member = static_cast<type const*>(finder.Static(without, names));
#define JPROF_VM_FIELD(member, without, names) found.fields.member = finder.Field(without, names);
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_SIZE
#undef JPROF_VM_OFFSET
  found.missing = finder.TakeMissing();
  found.missing_for_walks = finder.FirstMissingForWalks();
  return found;
}

Result<VmStructs> LoadVmStructs() {
  const Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm) return libjvm.error();
  Result<VmTables> tables = VmTables::Load(libjvm.value());
  if (!tables) return tables.error();
  return ReadVmStructs(std::move(tables).value());
}

}  // namespace jprof
