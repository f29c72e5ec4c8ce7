// JfrSchemaParser: part of JfrSchema. Reads the element tree of a metadata event. One use, one
// thread.
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
  // Empty if the element has no such attribute.
  std::string_view AttributeOf(const Element& element, std::string_view key) const;
  // The unit that an annotation gives to a number.
  JfrUnit UnitOf(std::string_view annotation, std::string_view value) const;

  const JfrIntegers integers_;
  std::vector<Attribute> attributes_;
  std::vector<Element> elements_;  // parents before their children
  struct Made {
    int32_t type = -1;   // index of the type that the element is, or is a field of
    int32_t field = -1;  // index of the field that it is
  };
  std::vector<Made> made_;  // by element
  JfrSchema schema_;
};

}  // namespace jprof::profile
