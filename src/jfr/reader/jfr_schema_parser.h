// JfrSchemaParser: reads the element tree of a metadata event. Part of JfrSchema; an object parses
// one event. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "jfr/reader/byte_cursor.h"
#include "jfr/reader/jfr_schema.h"

namespace jprof::profile {

class JfrSchemaParser {
 public:
  explicit JfrSchemaParser(JfrIntegers integers) : integers_(integers) {}

  Result<JfrSchema> Parse(ByteCursor cursor);

 private:
  struct Attribute {
    uint32_t key, value;  // indices into the schema's texts
  };
  struct Element {
    uint32_t name;  // index into the schema's texts
    uint32_t parent;
    uint32_t first_attribute, attributes;
  };

  bool ReadStrings(ByteCursor& cursor);
  bool ReadElements(ByteCursor& cursor);
  bool ReadAttributes(ByteCursor& cursor, Element& element);
  void MakeTypes();
  void MakeFields();
  void ApplyAnnotations();
  void MarkReadable();
  bool IsReadableNow(const RecordedType& type) const;
  uint32_t VarintsOf(const RecordedType& type) const;

  std::string_view Text(uint32_t index) const { return schema_.texts_[index]; }
  // Returns the value of an attribute; empty if the element does not have it.
  std::string_view AttributeOf(const Element& element, std::string_view key) const;
  // Returns the unit that an annotation gives to a number.
  JfrUnit UnitOf(std::string_view annotation, std::string_view value) const;

  const JfrIntegers integers_;
  std::vector<Attribute> attributes_;
  std::vector<Element> elements_;  // parents before their children
  struct Made {
    int32_t type = -1;   // index of the element's type, or of the type whose field it is; -1: none
    int32_t field = -1;  // index of the element's field; -1: it is not a field
  };
  std::vector<Made> made_;  // indexed by element
  JfrSchema schema_;
};

}  // namespace jprof::profile
