#include "instrument/annotations.h"

namespace jprof::instrument {
namespace {

constexpr int kMaxDepth = 64;

uint16_t SkipNested(ByteReader& reader, int depth);

void SkipElement(ByteReader& reader, int depth) {
  if (depth == kMaxDepth) return reader.Fail();
  switch (reader.U1()) {
    case 'e':
      reader.Take(4);
      return;
    case '@':
      SkipNested(reader, depth + 1);
      return;
    case '[':
      for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
        SkipElement(reader, depth + 1);
      }
      return;
    default:
      reader.U2();
  }
}

uint16_t SkipNested(ByteReader& reader, int depth) {
  const uint16_t type = reader.U2();
  for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
    reader.U2();  // name
    SkipElement(reader, depth);
  }
  return type;
}

}  // namespace

uint16_t SkipAnnotation(ByteReader& reader) { return SkipNested(reader, 0); }

bool HasAnnotation(Bytes content, const ConstantPool& pool, std::string_view type) {
  ByteReader reader(content);
  for (uint16_t left = reader.U2(); left > 0 && !reader.failed(); --left) {
    const uint16_t index = SkipAnnotation(reader);
    if (!reader.failed() && pool.Utf8(index) == type) return true;
  }
  return false;
}

}  // namespace jprof::instrument
