#include "chunks/virtual_names.h"

#include <cstring>

#include "base/modified_utf8.h"

namespace jprof {
namespace {

// A unit of UTF-16 as modified UTF-8 has it.
void Append(uint16_t unit, std::string& out) {
  const auto continuation = [&](int shift) {
    out += static_cast<char>(0x80 | ((unit >> shift) & 0x3F));
  };
  if (unit != 0 && unit < 0x80) {
    out += static_cast<char>(unit);
  } else if (unit < 0x800) {
    out += static_cast<char>(0xC0 | unit >> 6);
    continuation(0);
  } else {
    out += static_cast<char>(0xE0 | unit >> 12);
    continuation(6);
    continuation(0);
  }
}

std::string TextOf(const ThreadNameBytes& name) {
  std::string text;
  if (name.utf16) {
    uint16_t unit = 0;
    for (size_t i = 0; i + sizeof unit <= name.size; i += sizeof unit) {
      memcpy(&unit, name.bytes + i, sizeof unit);
      Append(unit, text);
    }
  } else {
    for (size_t i = 0; i < name.size; ++i) Append(static_cast<uint8_t>(name.bytes[i]), text);
  }
  return Utf8FromModifiedUtf8(text);
}

}  // namespace

void VirtualNames::BeginDrain() {
  published_.TakeAll(
      [this](int64_t id, const ThreadNameBytes& name) { names_.Set(id, TextOf(name)); });
}

std::string VirtualNames::NameOf(int64_t id) {
  // What was published since.
  published_.Take(
      id, [this, id](int64_t, const ThreadNameBytes& name) { names_.Set(id, TextOf(name)); });
  // Also later than its last sample: time that a thread sleeps is added chunk after chunk.
  const std::string* name = names_.Find(id);
  return name == nullptr ? std::string() : *name;
}

}  // namespace jprof
