#include "jvm/vm_structs.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "jvm/libjvm.h"

namespace jprof {
namespace {

using FieldKind = VmTables::FieldKind;

struct FieldName {
  std::string_view type;
  std::string_view field;
};

// Looks fields up by their alternative names and collects a sentence for each one not found.
class FieldFinder {
 public:
  explicit FieldFinder(const VmTables& tables) : tables_(tables) {}

  std::optional<uint32_t> Offset(std::string_view lost, std::initializer_list<FieldName> names) {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    if (field != nullptr) return static_cast<uint32_t>(field->offset);
    NoteMissing(lost, names);
    return std::nullopt;
  }

  const void* Static(std::string_view lost, std::initializer_list<FieldName> names) {
    const VmTables::Field* field = Find(FieldKind::kStatic, names);
    if (field != nullptr) return field->address;
    NoteMissing(lost, names);
    return nullptr;
  }

  VmField Field(std::initializer_list<FieldName> names) const {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    if (field == nullptr) return {};
    const std::string_view type = field->value_type;
    const bool is_pointer = !type.empty() && type.back() == '*';
    const uint64_t width = is_pointer ? sizeof(void*) : tables_.SizeOf(type).value_or(0);
    return {static_cast<uint32_t>(field->offset), static_cast<uint8_t>(width),
            !type.empty() && type.front() != 'u'};
  }

  std::vector<std::string> TakeMissing() { return std::move(missing_); }

 private:
  const VmTables::Field* Find(FieldKind kind, std::initializer_list<FieldName> names) const {
    for (const FieldName& name : names) {
      for (const VmTables::Field& field : tables_.fields) {
        if (field.kind == kind && field.type == name.type && field.name == name.field) {
          return &field;
        }
      }
    }
    return nullptr;
  }

  void NoteMissing(std::string_view lost, std::initializer_list<FieldName> names) {
    if (lost.empty()) return;
    std::string tried;
    for (const FieldName& name : names) {
      if (!tried.empty()) tried += " or ";
      tried.append(name.type).append(".").append(name.field);
    }
    missing_.push_back("This JVM does not export " + tried + ": " + std::string(lost) + ".");
  }

  const VmTables& tables_;
  std::vector<std::string> missing_;
};

}  // namespace

VmStructs ReadVmStructs(VmTables tables) {
  VmStructs found;
  found.tables = std::move(tables);
  FieldFinder finder(found.tables);
#define JPROF_VM_OFFSET(member, lost, ...) found.layout.member = finder.Offset(lost, {__VA_ARGS__});
#define JPROF_VM_STATIC(member, type, lost, ...) \
  found.statics.member = static_cast<type const*>(finder.Static(lost, {__VA_ARGS__}));
#define JPROF_VM_FIELD(member, ...) found.fields.member = finder.Field({__VA_ARGS__});
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_OFFSET
  found.missing = finder.TakeMissing();
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
