#include "formats/firefox/categories.h"

#include <string>
#include <vector>

#include "formats/json_writer.h"
#include "profile/class_text.h"

namespace jprof::firefox {
namespace {

using profile::FrameKind;

struct JvmSymbol {
  std::string_view prefix;
  CategoryPlace place;
};
constexpr JvmSymbol kJvmSymbols[] = {
#define JVM_SYMBOL(prefix, Id, subcategory) {prefix, {Category::k##Id, subcategory}},
#include "formats/firefox/category_rules.def"
};

struct IdleState {
  std::string_view prefix;
  uint8_t subcategory;
};
constexpr IdleState kIdleStates[] = {
#define IDLE_STATE(prefix, subcategory) {prefix, subcategory},
#include "formats/firefox/category_rules.def"
};

// The subcategories, numbered as in categories.def.
enum Tier : uint8_t { kUnknownTier, kInterpreted, kC1, kC2, kInlined };
constexpr uint8_t kLibrary = 1, kJni = 2, kSyscall = 1, kStub = 1;

Tier TierOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kInterpreted:
      return kInterpreted;
    case FrameKind::kC1:
      return kC1;
    case FrameKind::kC2:
      return kC2;
    case FrameKind::kInlined:
      return kInlined;
    default:
      return kUnknownTier;
  }
}

CategoryPlace NativePlace(std::string_view library, std::string_view symbol) {
  if (library.starts_with("libjvm.")) {
    for (const JvmSymbol& row : kJvmSymbols) {
      if (symbol.starts_with(row.prefix)) return row.place;
    }
  }
  if (library.empty()) return {Category::kJvm, kStub};
  return {Category::kNative, symbol.starts_with("Java_") ? kJni : kLibrary};
}

CategoryPlace KernelPlace(std::string_view symbol) {
  const bool is_call = symbol.find("sys_") != std::string_view::npos ||
                       symbol.starts_with("do_syscall") || symbol.starts_with("entry_SYSCALL");
  return {Category::kKernel, is_call ? kSyscall : uint8_t{0}};
}

}  // namespace

std::optional<CategoryPlace> CategoryOf(const profile::Profile& profile,
                                        const profile::ProfileFrame& frame) {
  const profile::ProfileMethod& method = profile.methods()[frame.method];
  const std::string& owner = profile.texts[method.owner];
  const std::string& name = profile.texts[method.name];
  switch (frame.kind) {
    case FrameKind::kClass:
      return std::nullopt;
    case FrameKind::kMarker:
      return CategoryPlace{};
    case FrameKind::kKernel:
      return KernelPlace(name);
    case FrameKind::kNative:
    case FrameKind::kCpp:
      // Native methods of Java have a descriptor, so Profile::IsNative is false for them.
      if (!profile.IsNative(frame.method)) return CategoryPlace{Category::kNative, kJni};
      return NativePlace(owner, name);
    default:
      return CategoryPlace{profile::IsOfJdk(owner) ? Category::kJavaOfJdk : Category::kJava,
                           TierOf(frame.kind)};
  }
}

uint8_t IdleSubcategory(std::string_view state) {
  for (const IdleState& row : kIdleStates) {
    if (state.starts_with(row.prefix)) return row.subcategory;
  }
  return 0;
}

void WriteCategories(JsonWriter& json) {
  struct CategoryRow {
    std::string_view name, colour;
    std::vector<std::string_view> subcategories;
  };
  const CategoryRow rows[] = {
#define CATEGORY(Id, name, colour, ...) {name, colour, {__VA_ARGS__}},
#include "formats/firefox/categories.def"
  };
  json.BeginArray();
  for (const CategoryRow& row : rows) {
    json.BeginObject();
    json.Text("name", row.name);
    json.Text("color", row.colour);
    json.Texts("subcategories", row.subcategories);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace jprof::firefox
