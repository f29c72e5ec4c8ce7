#include "jvm/vm_flags.h"

namespace jprof {
namespace {

template <typename T>
std::optional<T> Flag(const VmStructs& structs, std::string_view name) {
  const std::optional<uint64_t> size = structs.tables.SizeOf("JVMFlag");
  const VmFields& fields = structs.fields;
  if (structs.statics.flags == nullptr || structs.statics.num_flags == nullptr || !size ||
      !fields.flag_name.exists() || !structs.fields.flag_address) {
    return std::nullopt;
  }
  for (uint64_t i = 0; i < *structs.statics.num_flags; ++i) {
    const uint64_t flag = *structs.statics.flags + i * *size;
    const auto* own = *reinterpret_cast<const char* const*>(flag + fields.flag_name.offset);
    if (own == nullptr || name != own) continue;
    const auto* value = *reinterpret_cast<const T* const*>(flag + *structs.fields.flag_address);
    if (value == nullptr) return std::nullopt;
    return *value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> BoolFlag(const VmStructs& structs, std::string_view name) {
  return Flag<bool>(structs, name);
}

std::optional<uint64_t> SizeFlag(const VmStructs& structs, std::string_view name) {
  return Flag<uint64_t>(structs, name);
}

bool HasTextFlag(const VmStructs& structs, std::string_view name) {
  return Flag<const char*>(structs, name).value_or(nullptr) != nullptr;
}

bool HasConcurrentCollector(const VmStructs& structs) {
  return BoolFlag(structs, "UseZGC").value_or(false) ||
         BoolFlag(structs, "UseShenandoahGC").value_or(false);
}

}  // namespace jprof
