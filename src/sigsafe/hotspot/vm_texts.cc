#include "sigsafe/hotspot/vm_texts.h"

#include <algorithm>

#include "sigsafe/hotspot/unsigned5.h"

namespace jprof {
namespace {

// A method has at most 64 KiB of bytecodes (JVMS 4.7.3), and tables of about that size.
constexpr int64_t kMaxConstWords = 1 << 17;
// The flags that JVMTI reports for a method (jdk-17+35 src/hotspot/share/include/jvm.h,
// JVM_RECOGNIZED_METHOD_MODIFIERS), and the flags that it reports for a class.
constexpr int64_t kMethodModifiers = 0x1dff;
constexpr uint32_t kClassModifiers = 0x761f;
// More superclasses than a class loader has.
constexpr int kMaxSupers = 64;

// Finds the text of a Symbol. A text has at most 64 KiB (JVMS 4.4.7).
bool FindSymbol(const NameLayout& names, uint64_t symbol, VmText* to) {
  int64_t length = 0;
  if (!names.symbol_length.Load(symbol, &length) || length <= 0 || length > UINT16_MAX) {
    return false;
  }
  *to = {symbol + names.symbol_body, static_cast<uint32_t>(length)};
  return true;
}

bool FindSymbolIn(const NameLayout& names, const VmField& field, uint64_t object, VmText* to) {
  uint64_t symbol = 0;
  return field.LoadPointer(object, &symbol) && FindSymbol(names, symbol, to);
}

// Finds the text at an index of a constant pool. The entries of a constant pool follow its header,
// one word each (jdk-17+35 src/hotspot/share/oops/constantPool.hpp, ConstantPool::base).
bool FindEntry(const NameLayout& names, uint64_t pool, int64_t index, VmText* to) {
  int64_t length = 0;
  uint64_t symbol = 0;
  return names.pool_length.Load(pool, &length) && index > 0 && index < length &&
         GuardedLoad(pool + names.pool_size + static_cast<uint64_t>(index) * kWordSize, &symbol) &&
         symbol != 0 && symbol % kWordSize == 0 && FindSymbol(names, symbol, to);
}

// Finds the compressed table of lines, which follows the bytecodes. The byte 0 ends the table; the
// byte 0xff is followed by two numbers (jdk-17+35 src/hotspot/share/oops/method.cpp,
// CompressedLineNumberReadStream::read_pair).
VmText FindLines(const HotspotLayout& vm, const JavaMethod& method) {
  const NameLayout& names = vm.names_of_methods;
  int64_t flags = 0;
  int64_t words = 0;
  int64_t code_size = 0;
  if (names.has_lines == 0 || !names.const_flags.Load(method.const_method, &flags) ||
      (flags & names.has_lines) == 0 || !names.const_words.Load(method.const_method, &words) ||
      words > kMaxConstWords || !vm.const_code_size.Load(method.const_method, &code_size)) {
    return {};
  }
  constexpr uint8_t kEscape = 0xff;
  const uint64_t begin =
      method.const_method + vm.const_method_size + static_cast<uint64_t>(code_size);
  const uint64_t limit = method.const_method + static_cast<uint64_t>(words) * kWordSize;
  uint64_t end = begin;
  uint8_t code = 0;
  while (end < limit && GuardedLoad(end, &code) && code != 0) {
    ++end;
    if (code != kEscape) continue;
    uint32_t steps[2] = {};  // of the bytecode index and of the line
    for (uint32_t& step : steps) {
      if (!ReadUnsigned5(vm.unsigned5_bias, &end, &step)) return {};
    }
  }
  return {begin, static_cast<uint32_t>(std::min(end, limit) - begin)};
}

// Reads the modifiers of a class that is nested in another one from the class's own table of inner
// classes. The entry of the class is the one whose name is the same Symbol. An entry has four
// numbers: the class, its outer class, its simple name and its modifiers. In the constant pool, the
// upper half of the entry of a class is the index of its name (jdk-25+36
// src/hotspot/share/oops/instanceKlass.cpp, compute_modifier_flags, and constantPool.hpp).
void ReadNestedModifiers(const NameLayout& names, uint64_t holder, uint32_t* modifiers) {
  constexpr uint64_t kHeader = 4;  // the length of the array
  constexpr uint64_t kEntry = 4;   // numbers of two bytes each
  constexpr uint64_t kMostEntries = 1024;
  uint64_t array = 0;
  uint64_t pool = 0;
  uint64_t name = 0;
  uint32_t length = 0;
  if (!names.inner_classes.LoadPointer(holder, &array) || !GuardedLoad(array, &length) ||
      !names.klass_constants.LoadPointer(holder, &pool) ||
      !names.klass_name.LoadPointer(holder, &name)) {
    return;
  }
  for (uint64_t i = 0; i + kEntry <= length && i < kMostEntries * kEntry; i += kEntry) {
    const uint64_t entry = array + kHeader + i * sizeof(uint16_t);
    uint16_t inner = 0;
    uint32_t constant = 0;
    uint64_t symbol = 0;
    uint16_t flags = 0;
    if (!GuardedLoad(entry, &inner)) return;
    if (inner == 0) continue;
    const uint64_t entries = pool + names.pool_size;
    if (!GuardedLoad(entries + inner * kWordSize, &constant) ||
        !GuardedLoad(entries + (constant >> 16) * kWordSize, &symbol)) {
      return;
    }
    if (symbol != name) continue;
    if (GuardedLoad(entry + 3 * sizeof(uint16_t), &flags)) *modifiers = flags;
    return;
  }
}

uint32_t ModifiersOf(const NameLayout& names, uint64_t holder) {
  int64_t flags = 0;
  int64_t own = 0;
  if (!names.klass_access_flags.exists() || !names.klass_access_flags.Load(holder, &flags)) {
    return 0;
  }
  auto modifiers = static_cast<uint32_t>(flags);
  if (names.klass_modifiers.exists()) {
    if (names.klass_modifiers.Load(holder, &own)) modifiers = static_cast<uint32_t>(own);
  } else if (names.inner_classes.exists()) {
    ReadNestedModifiers(names, holder, &modifiers);
  }
  return modifiers & kClassModifiers;
}

bool IsLoaderClass(const NameLayout& names, uint64_t klass) {
  for (int i = 0; i < kMaxSupers && klass % kWordSize == 0; ++i) {
    if (klass == names.class_of_loaders) return true;
    if (!names.klass_super.LoadPointer(klass, &klass)) return false;
  }
  return false;
}

// Finds the class of the object at `object`, which has to be a class loader, in JDK 8. The header
// of the object has the class as a narrow or a wide pointer. If a collection moves the object
// during the call, the class that is read might not be that of a loader, and the call fails.
bool FindClassOfLoader(const NameLayout& names, uint64_t object, uint64_t* to) {
  int64_t word = 0;
  if (!names.object_class.Load(object, &word)) return false;
  const auto wide = static_cast<uint64_t>(word);
  *to = names.narrow_base + (uint64_t{static_cast<uint32_t>(wide)} << names.narrow_shift);
  if (IsLoaderClass(names, *to)) return true;
  *to = wide;
  return IsLoaderClass(names, wide);
}

void FindLoader(const NameLayout& names, uint64_t holder, VmClassTexts* to) {
  uint64_t loader = 0;
  uint64_t object = 0;
  if (!names.klass_loader.LoadPointer(holder, &loader) ||
      !names.loader_object.LoadPointer(loader, &object)) {
    return;
  }
  to->has_loader = true;
  uint64_t loader_class = 0;
  if (names.loader_class.exists()) {
    if (!names.loader_class.LoadPointer(loader, &loader_class)) return;
    static_cast<void>(FindSymbolIn(names, names.loader_name, loader, &to->loader_name));
  } else if (!names.object_class.exists() || !FindClassOfLoader(names, object, &loader_class)) {
    return;
  }
  static_cast<void>(FindSymbolIn(names, names.klass_name, loader_class, &to->loader_class));
}

}  // namespace

bool VmText::CopyTo(uint8_t* to) const {
  uint32_t done = 0;
  for (; done + kWordSize <= size; done += kWordSize) {
    uint64_t word = 0;
    if (!GuardedLoad(address + done, &word)) return false;
    __builtin_memcpy(to + done, &word, sizeof word);
  }
  for (; done < size; ++done) {
    if (!GuardedLoad(address + done, to + done)) return false;
  }
  return true;
}

bool FindTexts(const HotspotLayout& vm, const JavaMethod& method, VmMethodTexts* to) {
  const NameLayout& names = vm.names_of_methods;
  int64_t name = 0;
  int64_t descriptor = 0;
  int64_t flags = 0;
  if (!names.method_name.Load(method.const_method, &name) ||
      !names.method_descriptor.Load(method.const_method, &descriptor) ||
      !vm.method_access_flags.Load(method.address, &flags) ||
      !FindEntry(names, method.constants, name, &to->name) ||
      !FindEntry(names, method.constants, descriptor, &to->descriptor)) {
    return false;
  }
  to->modifiers = static_cast<uint32_t>(flags & kMethodModifiers);
  to->lines = FindLines(vm, method);
  return true;
}

bool FindTexts(const HotspotLayout& vm, const JavaMethod& method, VmClassTexts* to) {
  const NameLayout& names = vm.names_of_methods;
  if (!FindSymbolIn(names, names.klass_name, method.holder, &to->name)) return false;
  to->modifiers = ModifiersOf(names, method.holder);
  uint64_t pool = 0;
  int64_t file = 0;
  if (names.source_file.exists() && names.klass_constants.LoadPointer(method.holder, &pool) &&
      names.source_file.Load(names.source_is_in_pool ? pool : method.holder, &file)) {
    static_cast<void>(FindEntry(names, pool, file, &to->source_file));
  }
  if (names.klass_loader.exists() && names.loader_object.exists()) {
    FindLoader(names, method.holder, to);
  }
  return true;
}

}  // namespace jprof
