#include "jvm/method_memory.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/modified_utf8.h"
#include "sigsafe/hotspot/java_method.h"
#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

constexpr uint64_t kWord = 8;
// A method has at most 64 KiB of bytecodes (JVMS 4.7.3), and tables of about that size.
constexpr int64_t kMaxConstWords = 1 << 17;
// The smallest id that is an address; smaller ids are numbers (class_catalog.cc).
constexpr uint64_t kSmallestAddress = uint64_t{1} << 32;
// The flags that JVMTI reports for a method (jdk-17+35 src/hotspot/share/include/jvm.h,
// JVM_RECOGNIZED_METHOD_MODIFIERS), and the flags that it reports for a class.
constexpr int64_t kMethodModifiers = 0x1dff;
constexpr int64_t kClassModifiers = 0x7611;

const void* At(uint64_t address) { return reinterpret_cast<const void*>(address); }

bool LoadWord(uint64_t address, uint64_t* to) {
  return address % kWord == 0 && SafeLoad(At(address), to) && *to != 0 && *to % kWord == 0;
}

// REQUIRES: field.exists().
bool LoadPointer(const VmField& field, uint64_t object, uint64_t* to) {
  return LoadWord(object + field.offset, to);
}

bool AllExist(const VmFields& fields) {
  const VmField needed[] = {
      fields.method_const, fields.method_access_flags, fields.const_constants, fields.const_words,
      fields.const_name,   fields.const_signature,     fields.const_code_size, fields.pool_holder,
      fields.pool_length,  fields.klass_name,          fields.symbol_length};
  return std::ranges::all_of(needed, &VmField::exists) && fields.pool_size && fields.symbol_body &&
         fields.const_method_size;
}

// Reads the VM's compressed table of line numbers. An entry has a step of the bytecode index and a
// step of the line number. Either one byte holds both steps, in its upper five and its lower three
// bits, or the byte 0xff is followed by the two steps as numbers. The byte 0 ends the table
// (jdk-17+35 src/hotspot/share/code/compressedStream.hpp and src/hotspot/share/oops/method.cpp,
// CompressedLineNumberReadStream::read_pair).
class LineReader {
 public:
  LineReader(const uint8_t* begin, const uint8_t* end, uint8_t bias)
      : at_(begin), end_(end), bias_(bias) {}

  // Reads the next line. Returns false at the end of the table.
  bool Next(MethodInfo::Line* line) {
    constexpr uint8_t kEscape = 0xff;
    const uint8_t code = Byte();
    if (code == 0) return false;
    if (code == kEscape) {
      line->first_bci += Number();
      line->number += Number();
    } else {
      line->first_bci += code >> 3;
      line->number += code & 7;
    }
    return true;
  }

 private:
  uint8_t Byte() { return at_ == end_ ? 0 : *at_++; }

  // Reads a number in the encoding UNSIGNED5 (sigsafe/hotspot/unsigned5.h). The lowest bit of the
  // number is its sign.
  int32_t Number() {
    constexpr uint32_t kFirstHighCode = 192;
    constexpr int kMaxBytes = 5;
    uint32_t sum = 0;
    for (int i = 0; i < kMaxBytes; ++i) {
      const uint8_t byte = Byte();
      sum += (uint32_t{byte} - bias_) << (6 * i);
      if (byte < kFirstHighCode) break;
    }
    return static_cast<int32_t>((sum >> 1) ^ (0 - (sum & 1)));
  }

  const uint8_t* at_;
  const uint8_t* const end_;
  const uint8_t bias_;
};

}  // namespace

struct MethodMemory::Copy {
  std::vector<uint8_t> bytes;

  // Returns the value of a field of the ConstMethod. REQUIRES: Contains(field).
  int64_t Value(const VmField& field) const {
    uint64_t value = 0;
    memcpy(&value, bytes.data() + field.offset, field.width);
    return static_cast<int64_t>(value);
  }
  bool Contains(const VmField& field) const { return field.offset + field.width <= bytes.size(); }
};

MethodMemory::MethodMemory(const VmStructs& structs, uint8_t unsigned5_bias)
    : fields_(structs.fields),
      has_lines_(
          structs.tables.ValueOf("ConstMethodFlags::_misc_has_linenumber_table")
              .value_or(structs.tables.ValueOf("ConstMethod::_has_linenumber_table").value_or(0))),
      bias_(unsigned5_bias),
      is_complete_(AllExist(structs.fields)) {}

// An id with a mark contains the address of the Method itself (sigsafe/hotspot/java_method.h). Up
// to JDK 25, an id without a mark is the address of a cell that contains the address of the Method.
uint64_t MethodMemory::MethodOf(uint64_t id) const {
  uint64_t method = 0;
  uint64_t const_method = 0;
  if (!HasMark(id)) return id >= kSmallestAddress && LoadWord(id, &method) ? method : 0;
  const AddressedMethod addressed = AddressedMethodOf(id);
  const bool is_there = LoadPointer(fields_.method_const, addressed.address, &const_method) &&
                        MethodCheck(const_method) == addressed.check;
  return is_there ? addressed.address : 0;
}

std::optional<MethodMemory::Copy> MethodMemory::CopyOf(uint64_t method) const {
  uint64_t const_method = 0;
  int64_t words = 0;
  if (!LoadPointer(fields_.method_const, method, &const_method) ||
      !fields_.const_words.LoadSafely(const_method, &words) || words <= 0 ||
      words > kMaxConstWords) {
    return std::nullopt;
  }
  Copy copy;
  copy.bytes.resize(static_cast<size_t>(words) * kWord);
  if (SafeCopy(copy.bytes.data(), At(const_method), copy.bytes.size()) != copy.bytes.size()) {
    return std::nullopt;
  }
  const VmField read[] = {fields_.const_constants, fields_.const_name, fields_.const_signature,
                          fields_.const_code_size, fields_.const_flags};
  if (!std::ranges::all_of(read, [&](const VmField& field) { return copy.Contains(field); })) {
    return std::nullopt;
  }
  return copy;
}

std::optional<std::string> MethodMemory::SymbolAt(uint64_t symbol) const {
  int64_t length = 0;
  if (!fields_.symbol_length.LoadSafely(symbol, &length) || length <= 0 || length > UINT16_MAX) {
    return std::nullopt;
  }
  std::string text(static_cast<size_t>(length), '\0');
  if (SafeCopy(text.data(), At(symbol + *fields_.symbol_body), text.size()) != text.size()) {
    return std::nullopt;
  }
  return Utf8FromModifiedUtf8(text);
}

// The entries of a constant pool follow its header, one word each (jdk-17+35
// src/hotspot/share/oops/constantPool.hpp, ConstantPool::base).
std::optional<std::string> MethodMemory::TextOf(uint64_t pool, int64_t index) const {
  int64_t length = 0;
  uint64_t symbol = 0;
  if (!fields_.pool_length.LoadSafely(pool, &length) || index <= 0 || index >= length ||
      !LoadWord(pool + *fields_.pool_size + static_cast<uint64_t>(index) * kWord, &symbol)) {
    return std::nullopt;
  }
  return SymbolAt(symbol);
}

std::shared_ptr<const ClassInfo> MethodMemory::ClassOf(uint64_t pool) const {
  uint64_t holder = 0;
  uint64_t name = 0;
  if (!LoadPointer(fields_.pool_holder, pool, &holder) ||
      !LoadPointer(fields_.klass_name, holder, &name)) {
    return nullptr;
  }
  std::optional<std::string> text = SymbolAt(name);
  if (!text) return nullptr;
  auto info = std::make_shared<ClassInfo>();
  info->hidden = text->find('+') != std::string::npos;
  info->name = std::move(*text);
  int64_t flags = 0;
  if (fields_.klass_access_flags.exists() &&
      fields_.klass_access_flags.LoadSafely(holder, &flags)) {
    info->modifiers = static_cast<uint32_t>(flags & kClassModifiers);
  }
  return info;
}

std::vector<MethodInfo::Line> MethodMemory::LinesOf(const Copy& copy) const {
  const uint64_t begin =
      *fields_.const_method_size + static_cast<uint64_t>(copy.Value(fields_.const_code_size));
  const bool has_lines = fields_.const_flags.exists() &&
                         (copy.Value(fields_.const_flags) & has_lines_) != 0 &&
                         begin < copy.bytes.size();
  std::vector<MethodInfo::Line> lines;
  if (!has_lines) return lines;
  LineReader reader(copy.bytes.data() + begin, copy.bytes.data() + copy.bytes.size(), bias_);
  MethodInfo::Line line{0, 0};
  while (reader.Next(&line)) lines.push_back(line);
  std::ranges::stable_sort(lines, {}, &MethodInfo::Line::first_bci);
  return lines;
}

std::optional<MethodInfo> MethodMemory::Describe(uint64_t id) const {
  if (!is_complete_) return std::nullopt;
  const uint64_t method = MethodOf(id);
  int64_t flags = 0;
  if (method == 0 || !fields_.method_access_flags.LoadSafely(method, &flags)) return std::nullopt;
  const std::optional<Copy> copy = CopyOf(method);
  if (!copy) return std::nullopt;
  const auto pool = static_cast<uint64_t>(copy->Value(fields_.const_constants));
  std::optional<std::string> name = TextOf(pool, copy->Value(fields_.const_name));
  std::optional<std::string> descriptor = TextOf(pool, copy->Value(fields_.const_signature));
  if (!name || !descriptor || !descriptor->starts_with('(')) return std::nullopt;
  MethodInfo info;
  info.declaring = ClassOf(pool);
  if (info.declaring == nullptr) return std::nullopt;
  info.name = std::move(*name);
  info.descriptor = std::move(*descriptor);
  info.modifiers = static_cast<uint32_t>(flags & kMethodModifiers);
  info.lines = LinesOf(*copy);
  return info;
}

}  // namespace jprof
