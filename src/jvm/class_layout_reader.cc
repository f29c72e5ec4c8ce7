#include "jvm/class_layout_reader.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

constexpr size_t kWord = sizeof(uint64_t);
// The number of times that a list is read which other threads change meanwhile.
constexpr int kReadings = 20;

const void* At(uint64_t address) { return reinterpret_cast<const void*>(address); }

// Returns the words of an object; an empty list if they cannot be read.
std::vector<uint64_t> WordsOf(uint64_t object, size_t bytes) {
  std::vector<uint64_t> words(bytes / kWord);
  const size_t size = words.size() * kWord;
  if (object % kWord != 0 || SafeCopy(words.data(), At(object), size) != size) words.clear();
  return words;
}

// ---- the number of a class

// The number of classes that are looked at, and the number without which no word is chosen. At the
// end of its start, a JVM has more than 400 classes.
constexpr size_t kMostClasses = 2000;
constexpr size_t kFewestClasses = 200;
// The maximum number of Klasses that are read, including those of other loaders.
constexpr size_t kMostVisits = 100'000;

// Returns the words of the Klasses of the boot loader, found through their superclasses. These
// classes are never unloaded. Classes of other loaders can be unloaded meanwhile; what is read of
// them is not used.
std::vector<std::vector<uint64_t>> ReadKlasses(const VmStructs& structs) {
  const VmFields& fields = structs.fields;
  std::vector<std::vector<uint64_t>> klasses;
  std::vector<uint64_t> next{*structs.statics.class_of_objects};
  uint64_t boot_loader = 0;  // that of Object, which comes first
  std::unordered_set<uint64_t> visited;
  while (!next.empty() && klasses.size() < kMostClasses && visited.size() < kMostVisits) {
    const uint64_t klass = next.back();
    next.pop_back();
    if (!visited.insert(klass).second) continue;
    std::vector<uint64_t> words = WordsOf(klass, *fields.klass_size);
    if (words.empty()) continue;
    int32_t layout_helper = 0;
    memcpy(&layout_helper,
           reinterpret_cast<const uint8_t*>(words.data()) + fields.klass_layout_helper.offset,
           sizeof layout_helper);
    for (const VmField& link : {fields.klass_next_sibling, fields.klass_subclass}) {
      const uint64_t linked = words[link.offset / kWord];
      if (linked != 0) next.push_back(linked);
    }
    const uint64_t loader = words[fields.klass_loader.offset / kWord];
    if (boot_loader == 0) boot_loader = loader;
    const bool is_array = layout_helper < 0;
    if (!is_array && loader == boot_loader) klasses.push_back(std::move(words));
  }
  return klasses;
}

// True if the word with this index can be the number of a class.
bool IsNumber(const std::vector<std::vector<uint64_t>>& klasses, size_t index) {
  constexpr uint64_t kMost = uint64_t{1} << 32;
  std::vector<uint64_t> numbers;
  numbers.reserve(klasses.size());
  for (const auto& words : klasses) numbers.push_back(words[index] >> kClassFlagBits);
  std::ranges::sort(numbers);
  return numbers.front() != 0 && numbers.back() < kMost &&
         std::ranges::adjacent_find(numbers) == numbers.end();
}

// True if an object of this size has the field.
bool IsIn(const VmField& field, const std::optional<uint32_t>& size) {
  return field.exists() && size && field.offset + field.width <= *size;
}

VmField FindNumber(const VmStructs& structs) {
  const std::vector<std::vector<uint64_t>> klasses = ReadKlasses(structs);
  if (klasses.size() < kFewestClasses) return {};
  std::optional<size_t> found;
  for (size_t i = 0; i < klasses.front().size(); ++i) {
    if (!IsNumber(klasses, i)) continue;
    if (found) return {};
    found = i;
  }
  if (!found) return {};
  return {static_cast<uint32_t>(*found * kWord), kWord, false};
}

// ---- the class and the name of a loader

// The loaders that every JVM from 11 on has.
struct KnownLoader {
  std::string_view class_name;
  std::string_view name;
};
constexpr KnownLoader kKnownLoaders[] = {
    {"jdk/internal/loader/ClassLoaders$AppClassLoader", "app"},
    {"jdk/internal/loader/ClassLoaders$PlatformClassLoader", "platform"}};
constexpr size_t kLongestText = 64;  // of those above

// True if there is a Symbol with this text at the address.
bool IsSymbol(const VmFields& fields, uint64_t symbol, std::string_view text) {
  int64_t length = 0;
  if (symbol == 0 || symbol % kWord != 0 || !fields.symbol_length.LoadSafely(symbol, &length) ||
      static_cast<uint64_t>(length) != text.size()) {
    return false;
  }
  char found[kLongestText];
  return SafeCopy(found, At(symbol + *fields.symbol_body), text.size()) == text.size() &&
         text == std::string_view(found, text.size());
}

bool IsClass(const VmFields& fields, uint64_t klass, std::string_view name) {
  uint64_t symbol = 0;
  return klass != 0 && klass % kWord == 0 &&
         SafeLoad(At(klass + fields.klass_name.offset), &symbol) && IsSymbol(fields, symbol, name);
}

// Returns the index of the word with the class of a loader, after which the name comes. On all
// releases, both come after the link to the next loader.
std::optional<size_t> FindLoaderClass(const VmFields& fields, const std::vector<uint64_t>& words) {
  for (size_t i = fields.loader_next.offset / kWord + 1; i + 1 < words.size(); ++i) {
    for (const KnownLoader& known : kKnownLoaders) {
      if (IsClass(fields, words[i], known.class_name) &&
          IsSymbol(fields, words[i + 1], known.name)) {
        return i;
      }
    }
  }
  return std::nullopt;
}

// Finds the words in the list of loaders. Returns false if the list ends before: another thread can
// free the loader that is being read.
bool FindLoaderTexts(const VmStructs& structs, NameLayout& names) {
  // More loaders than a JVM has when the agent starts in it, or is loaded into it.
  constexpr int kMostLoaders = 100'000;
  const VmFields& fields = structs.fields;
  if (structs.statics.loaders == nullptr || !IsIn(fields.loader_next, fields.loader_size)) {
    return true;
  }
  uint64_t loader = *structs.statics.loaders;
  for (int i = 0; i < kMostLoaders && loader != 0; ++i) {
    const std::vector<uint64_t> words = WordsOf(loader, *fields.loader_size);
    if (words.empty()) return false;
    if (const std::optional<size_t> at = FindLoaderClass(fields, words)) {
      names.loader_class = {static_cast<uint32_t>(*at * kWord), kWord, false};
      names.loader_name = {static_cast<uint32_t>((*at + 1) * kWord), kWord, false};
      return true;
    }
    loader = words[fields.loader_next.offset / kWord];
  }
  return false;
}

// Sets how the class of a loader is read in JDK 8, whose objects have their class after the mark
// word (jdk8u src/share/vm/oops/oop.hpp).
void PlaceObjectClass(const VmStructs& structs, NameLayout& names) {
  constexpr uint32_t kMark = 8;
  const VmStatics& statics = structs.statics;
  if (statics.narrow_class_base == nullptr || statics.narrow_class_shift == nullptr ||
      statics.class_of_loaders == nullptr || !structs.fields.klass_super.exists()) {
    return;
  }
  names.object_class = {kMark, kWord, false};
  names.narrow_base = *statics.narrow_class_base;
  names.narrow_shift = static_cast<uint32_t>(*statics.narrow_class_shift);
  names.klass_super = structs.fields.klass_super;
  names.class_of_loaders = *statics.class_of_loaders;
}

NameLayout ReadNames(const VmStructs& structs, int java_release) {
  const VmFields& fields = structs.fields;
  NameLayout names{};
  names.symbol_length = fields.symbol_length;
  names.symbol_body = *fields.symbol_body;
  names.pool_length = fields.pool_length;
  names.pool_size = *fields.pool_size;
  names.method_name = fields.const_name;
  names.method_descriptor = fields.const_signature;
  names.const_words = fields.const_words;
  names.const_flags = fields.const_flags;
  const VmTables& tables = structs.tables;
  names.has_lines =
      fields.const_flags.exists()
          ? tables.ValueOf("ConstMethodFlags::_misc_has_linenumber_table")
                .value_or(tables.ValueOf("ConstMethod::_has_linenumber_table").value_or(0))
          : 0;
  names.klass_name = fields.klass_name;
  names.klass_access_flags = fields.klass_access_flags;
  names.klass_modifiers = fields.klass_modifiers;
  if (!fields.klass_modifiers.exists() && fields.klass_constants.exists()) {
    names.inner_classes = fields.klass_inner_classes;
  }
  names.klass_constants = fields.klass_constants;
  names.source_is_in_pool = fields.pool_source_file.exists();
  names.source_file = names.source_is_in_pool ? fields.pool_source_file : fields.klass_source_file;
  if (!fields.klass_constants.exists()) names.source_file = {};
  if (fields.klass_loader.exists() && fields.loader_object) {
    names.klass_loader = fields.klass_loader;
    names.loader_object = {*fields.loader_object, kWord, false};
    constexpr int kFirstWithTexts = 11;
    constexpr int kLastWithObject = 8;
    if (java_release <= kLastWithObject) PlaceObjectClass(structs, names);
    for (int i = 0; i < kReadings && java_release >= kFirstWithTexts; ++i) {
      if (FindLoaderTexts(structs, names)) break;
    }
  }
  return names;
}

}  // namespace

void ReadClassLayout(const VmStructs& structs, int java_release, HotspotLayout& layout) {
  const VmFields& fields = structs.fields;
  const bool can_find = structs.statics.class_of_objects != nullptr &&
                        IsIn(fields.klass_layout_helper, fields.klass_size) &&
                        IsIn(fields.klass_loader, fields.klass_size) &&
                        IsIn(fields.klass_subclass, fields.klass_size) &&
                        IsIn(fields.klass_next_sibling, fields.klass_size);
  for (int i = 0; i < kReadings && can_find && !layout.klass_number.exists(); ++i) {
    layout.klass_number = FindNumber(structs);
  }
  layout.names_of_methods = ReadNames(structs, java_release);
}

}  // namespace jprof
