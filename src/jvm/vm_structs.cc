#include "jvm/vm_structs.h"

#include <cstring>
#include <initializer_list>
#include <string_view>

#include "jvm/libjvm.h"

namespace jprof {
namespace {

// Several times the longest known table (826 entries in JDK 21): a guard against a table without
// its end mark.
constexpr int kMaxEntries = 16384;

enum class FieldKind { kInstance, kStatic };

struct FieldName {
  std::string_view type;
  std::string_view field;
};

struct Entry {
  std::string_view type;
  std::string_view field;
  FieldKind kind;
  uint64_t offset;
  const void* address;
};

template <typename T>
T Load(const char* from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

std::string_view OrEmpty(const char* text) { return text != nullptr ? text : ""; }

std::vector<Entry> EntriesOf(const VmStructsTable& table) {
  std::vector<Entry> entries;
  const char* at = table.entries;
  for (int i = 0; i < kMaxEntries; ++i, at += table.stride) {
    const auto* field = Load<const char*>(at + table.field_name_offset);
    if (field == nullptr) break;
    entries.push_back({OrEmpty(Load<const char*>(at + table.type_name_offset)), field,
                       Load<int32_t>(at + table.is_static_offset) != 0 ? FieldKind::kStatic
                                                                       : FieldKind::kInstance,
                       Load<uint64_t>(at + table.offset_offset),
                       Load<const void*>(at + table.address_offset)});
  }
  return entries;
}

// Looks fields up by their alternative names and collects a sentence for each one not found.
class FieldFinder {
 public:
  explicit FieldFinder(const VmStructsTable& table) : entries_(EntriesOf(table)) {}

  std::optional<uint32_t> Offset(std::string_view lost, std::initializer_list<FieldName> names) {
    const Entry* entry = Find(FieldKind::kInstance, lost, names);
    if (entry == nullptr) return std::nullopt;
    return static_cast<uint32_t>(entry->offset);
  }

  const void* Static(std::string_view lost, std::initializer_list<FieldName> names) {
    const Entry* entry = Find(FieldKind::kStatic, lost, names);
    return entry != nullptr ? entry->address : nullptr;
  }

  std::vector<std::string> TakeMissing() { return std::move(missing_); }

 private:
  const Entry* Find(FieldKind kind, std::string_view lost, std::initializer_list<FieldName> names) {
    std::string tried;
    for (const FieldName& name : names) {
      for (const Entry& entry : entries_) {
        if (entry.kind == kind && entry.type == name.type && entry.field == name.field) {
          return &entry;
        }
      }
      if (!tried.empty()) tried += " or ";
      tried.append(name.type).append(".").append(name.field);
    }
    missing_.push_back("This JVM does not export " + tried + ": " + std::string(lost) + ".");
    return nullptr;
  }

  std::vector<Entry> entries_;
  std::vector<std::string> missing_;
};

// Collects the exported variables that describe the table, remembering the first that is absent.
class TableSymbols {
 public:
  explicit TableSymbols(const Libjvm& libjvm) : libjvm_(libjvm) {}

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

Result<VmStructsTable> FindTable(const Libjvm& libjvm) {
  TableSymbols symbols(libjvm);
  VmStructsTable table = {};
  table.entries = symbols.Value<const char*>("gHotSpotVMStructs");
  table.stride = symbols.Value<uint64_t>("gHotSpotVMStructEntryArrayStride");
  table.type_name_offset = symbols.Value<uint64_t>("gHotSpotVMStructEntryTypeNameOffset");
  table.field_name_offset = symbols.Value<uint64_t>("gHotSpotVMStructEntryFieldNameOffset");
  table.is_static_offset = symbols.Value<uint64_t>("gHotSpotVMStructEntryIsStaticOffset");
  table.offset_offset = symbols.Value<uint64_t>("gHotSpotVMStructEntryOffsetOffset");
  table.address_offset = symbols.Value<uint64_t>("gHotSpotVMStructEntryAddressOffset");
  if (symbols.absent() != nullptr || table.entries == nullptr || table.stride == 0) {
    return Error(libjvm.path() + " does not export " +
                 (symbols.absent() != nullptr ? symbols.absent() : "a filled gHotSpotVMStructs") +
                 ": it is not HotSpot, or a release that dropped its tables.");
  }
  return table;
}

}  // namespace

VmStructs ReadVmStructs(const VmStructsTable& table) {
  FieldFinder finder(table);
  VmStructs found;
#define JPROF_VM_OFFSET(member, lost, ...) found.layout.member = finder.Offset(lost, {__VA_ARGS__});
#define JPROF_VM_STATIC(member, type, lost, ...) \
  found.statics.member = static_cast<type const*>(finder.Static(lost, {__VA_ARGS__}));
#include "jvm/vm_structs.def"
#undef JPROF_VM_STATIC
#undef JPROF_VM_OFFSET
  found.missing = finder.TakeMissing();
  return found;
}

Result<VmStructs> LoadVmStructs() {
  Result<Libjvm> libjvm = Libjvm::Find();
  if (!libjvm.ok()) return libjvm.error();
  Result<VmStructsTable> table = FindTable(libjvm.value());
  if (!table.ok()) return table.error();
  return ReadVmStructs(table.value());
}

}  // namespace jprof
