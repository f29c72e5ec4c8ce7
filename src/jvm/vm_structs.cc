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

// The consequence of a row that the JVM does not export.
struct Without {
  std::string_view
      walk_part;          // frames cannot be walked, unless another row with this part is found
  std::string_view loss;  // the sentence that says so
};

constexpr Without Nothing() { return {}; }
constexpr Without Loses(std::string_view loss) { return {{}, loss}; }
constexpr Without NoWalk(std::string_view part) { return {part, {}}; }

std::string Listed(std::initializer_list<FieldName> names) {
  std::string text;
  for (const FieldName& name : names) {
    if (!text.empty()) text += " or ";
    text.append(name.type).append(".").append(name.field);
  }
  return text;
}

// A part of a walk's needs, and the rows of the table that it has been looked for in.
struct WalkPart {
  std::string_view name;
  bool is_found;
  std::string rows;
};

// Looks fields up by their alternative names and notes those that are not found.
class FieldFinder {
 public:
  explicit FieldFinder(const VmTables& tables) : tables_(tables) {}

  std::optional<uint32_t> Offset(Without without, std::initializer_list<FieldName> names) {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    Note(without, field != nullptr, Listed(names));
    return field == nullptr ? std::nullopt : std::optional(static_cast<uint32_t>(field->offset));
  }

  std::optional<uint32_t> Size(Without without, std::string_view type) {
    const std::optional<uint64_t> size = tables_.SizeOf(type);
    Note(without, size.has_value(), "size of " + std::string(type));
    return size ? std::optional(static_cast<uint32_t>(*size)) : std::nullopt;
  }

  const void* Static(Without without, std::initializer_list<FieldName> names) {
    const VmTables::Field* field = Find(FieldKind::kStatic, names);
    Note(without, field != nullptr, Listed(names));
    return field == nullptr ? nullptr : field->address;
  }

  // A field of a type whose size is not known counts as not found.
  VmField Field(Without without, std::initializer_list<FieldName> names) {
    const VmField field = Find(names);
    Note(without, field.exists(), Listed(names));
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
  VmField Find(std::initializer_list<FieldName> names) const {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    if (field == nullptr) return {};
    const std::string_view type = field->value_type;
    const bool is_pointer = !type.empty() && type.back() == '*';
    const uint64_t width = is_pointer ? sizeof(void*) : tables_.SizeOf(type).value_or(0);
    return {static_cast<uint32_t>(field->offset), static_cast<uint8_t>(width),
            !type.empty() && type.front() != 'u'};
  }

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

  void Note(Without without, bool is_found, const std::string& row) {
    if (!without.loss.empty() && !is_found) {
      missing_.push_back("This JVM does not export " + row + ": " + std::string(without.loss) +
                         ".");
    }
    if (without.walk_part.empty()) return;
    for (WalkPart& part : walk_parts_) {
      if (part.name != without.walk_part) continue;
      part.is_found |= is_found;
      part.rows += " or " + row;
      return;
    }
    walk_parts_.push_back({without.walk_part, is_found, row});
  }

  const VmTables& tables_;
  std::vector<std::string> missing_;
  std::vector<WalkPart> walk_parts_;  // in the order of the table
};

}  // namespace

VmStructs ReadVmStructs(VmTables tables) {
  VmStructs found;
  found.tables = std::move(tables);
  FieldFinder finder(found.tables);
#define JPROF_VM_OFFSET(member, without, ...) \
  found.fields.member = finder.Offset(without, {__VA_ARGS__});
#define JPROF_VM_SIZE(member, without, type) found.fields.member = finder.Size(without, type);
#define JPROF_VM_STATIC(member, type, without, ...) \
  found.statics.member = static_cast<type const*>(finder.Static(without, {__VA_ARGS__}));
#define JPROF_VM_FIELD(member, without, ...) \
  found.fields.member = finder.Field(without, {__VA_ARGS__});
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
