#include "jvm/vm_structs.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "jvm/libjvm.h"

namespace jprof {
namespace {

using FieldKind = VmTables::FieldKind;

enum class RowKind : uint8_t { kOffset, kSize, kStatic, kField };

// A row of the table.
struct Row {
  RowKind kind;
  uint16_t member;  // offset in VmStatics or VmFields
};

constexpr Row kRows[] = {
#define JPROF_VM_OFFSET(member, without, ...) {RowKind::kOffset, offsetof(VmFields, member)},
#define JPROF_VM_SIZE(member, without, type) {RowKind::kSize, offsetof(VmFields, member)},
#define JPROF_VM_STATIC(member, type, without, ...) {RowKind::kStatic, offsetof(VmStatics, member)},
#define JPROF_VM_FIELD(member, without, ...) {RowKind::kField, offsetof(VmFields, member)},
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_SIZE
#undef JPROF_VM_OFFSET
};

// The texts of the rows as the table has them, `without` and names, with quotation marks: code or
// pointers for each would be many times as large.
constexpr char kTexts[] =
#define JPROF_VM_OFFSET(member, without, ...) #without "\0" #__VA_ARGS__ "\0"
#define JPROF_VM_SIZE(member, without, type) #without "\0" #type "\0"
#define JPROF_VM_STATIC(member, type, without, ...) #without "\0" #__VA_ARGS__ "\0"
#define JPROF_VM_FIELD(member, without, ...) #without "\0" #__VA_ARGS__ "\0"
#include "jvm/vm_structs.def"
#undef JPROF_VM_FIELD
#undef JPROF_VM_STATIC
#undef JPROF_VM_SIZE
#undef JPROF_VM_OFFSET
    ;

// The quoted parts of a text.
std::vector<std::string_view> Quoted(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t mark = text.find('"'); mark != std::string_view::npos; mark = text.find('"')) {
    text.remove_prefix(mark + 1);
    parts.push_back(text.substr(0, text.find('"')));
    text.remove_prefix(parts.back().size() + 1);
  }
  return parts;
}

// Class and field, in turn.
using Names = std::vector<std::string_view>;

// The consequence of a row that the JVM does not export.
struct Without {
  std::string_view
      walk_part;          // frames cannot be walked, unless another row with this part is found
  std::string_view loss;  // the sentence that says so

  static Without Of(std::string_view text) {
    const std::vector<std::string_view> parts = Quoted(text);
    if (parts.empty()) return {};
    return text.starts_with("NoWalk") ? Without{parts.front(), {}} : Without{{}, parts.front()};
  }
};

std::string Listed(const Names& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i += 2) {
    if (!text.empty()) text += " or ";
    text.append(names[i]).append(".").append(names[i + 1]);
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

  // Sets the member of the row, unless nothing is found.
  void Read(const Row& row, std::string_view without, std::string_view texts, VmStructs* found) {
    const Names names = Quoted(texts);
    char* const fields = reinterpret_cast<char*>(&found->fields) + row.member;
    bool is_found = false;
    if (row.kind == RowKind::kField) {
      const VmField field = Find(names);
      is_found = field.exists();
      *reinterpret_cast<VmField*>(fields) = field;
    } else if (row.kind == RowKind::kSize) {
      const std::optional<uint64_t> size = tables_.SizeOf(names.front());
      is_found = size.has_value();
      if (is_found) SetNumber(fields, *size);
    } else if (row.kind == RowKind::kOffset) {
      const VmTables::Field* field = Find(FieldKind::kInstance, names);
      is_found = field != nullptr;
      if (is_found) SetNumber(fields, field->offset);
    } else {
      const VmTables::Field* field = Find(FieldKind::kStatic, names);
      is_found = field != nullptr;
      char* const statics = reinterpret_cast<char*>(&found->statics) + row.member;
      if (is_found) std::memcpy(statics, &field->address, sizeof field->address);
    }
    Note(Without::Of(without), is_found,
         row.kind == RowKind::kSize ? "size of " + std::string(names.front()) : Listed(names));
  }

  std::vector<std::string> TakeMissing() { return std::move(missing_); }

  std::string FirstMissingForWalks() const {
    for (const WalkPart& part : walk_parts_) {
      if (!part.is_found) return part.rows;
    }
    return {};
  }

 private:
  static void SetNumber(char* member, uint64_t number) {
    *reinterpret_cast<std::optional<uint32_t>*>(member) = static_cast<uint32_t>(number);
  }

  // A field of a type whose size is not known counts as not found.
  VmField Find(const Names& names) const {
    const VmTables::Field* field = Find(FieldKind::kInstance, names);
    if (field == nullptr) return {};
    const std::string_view type = field->value_type;
    const bool is_pointer = !type.empty() && type.back() == '*';
    const uint64_t width = is_pointer ? sizeof(void*) : tables_.SizeOf(type).value_or(0);
    return {static_cast<uint32_t>(field->offset), static_cast<uint8_t>(width),
            !type.empty() && type.front() != 'u'};
  }

  const VmTables::Field* Find(FieldKind kind, const Names& names) const {
    for (size_t i = 0; i < names.size(); i += 2) {
      for (const VmTables::Field& field : tables_.fields) {
        if (field.kind == kind && field.type == names[i] && field.name == names[i + 1]) {
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
  const char* text = kTexts;
  const auto next = [&text] {
    const std::string_view part = text;
    text += part.size() + 1;
    return part;
  };
  for (const Row& row : kRows) {
    const std::string_view without = next();
    finder.Read(row, without, next(), &found);
  }
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
