#include "jfr/reader/jfr_schema.h"

#include <charconv>
#include <utility>

#include "jfr/reader/jfr_string.h"
#include "sigsafe/base/check.h"

namespace jprof::profile {
namespace {

constexpr uint32_t kNoParent = 0xFFFFFFFF;

struct NamedPrimitive {
  std::string_view name;
  JfrPrimitive primitive;
};
constexpr NamedPrimitive kPrimitives[] = {
    {"boolean", JfrPrimitive::kBoolean},
    {"byte", JfrPrimitive::kByte},
    {"char", JfrPrimitive::kChar},
    {"short", JfrPrimitive::kShort},
    {"int", JfrPrimitive::kInt},
    {"long", JfrPrimitive::kLong},
    {"float", JfrPrimitive::kFloat},
    {"double", JfrPrimitive::kDouble},
    {"java.lang.String", JfrPrimitive::kString},
};

struct NamedUnit {
  std::string_view annotation;
  std::string_view value;  // empty: any value
  JfrUnit unit;
};
constexpr NamedUnit kUnits[] = {
    {"jdk.jfr.Timestamp", "TICKS", JfrUnit::kTicks},
    {"jdk.jfr.Timestamp", "MILLISECONDS_SINCE_EPOCH", JfrUnit::kEpochMillis},
    {"jdk.jfr.Timespan", "TICKS", JfrUnit::kTickDuration},
    {"jdk.jfr.Timespan", "NANOSECONDS", JfrUnit::kNanos},
    {"jdk.jfr.Timespan", "MICROSECONDS", JfrUnit::kMicros},
    {"jdk.jfr.Timespan", "MILLISECONDS", JfrUnit::kMillis},
    {"jdk.jfr.Timespan", "SECONDS", JfrUnit::kSeconds},
    {"jdk.jfr.DataAmount", "BYTES", JfrUnit::kBytes},
    {"jdk.jfr.MemoryAddress", "", JfrUnit::kAddress},
    {"jdk.jfr.Percentage", "", JfrUnit::kPercentage},
};

// Parses an id. Returns false if the text is not a number in decimal digits.
bool ParseId(std::string_view text, uint64_t* id) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *id);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

JfrPrimitive PrimitiveNamed(std::string_view name) {
  for (const NamedPrimitive& row : kPrimitives) {
    if (row.name == name) return row.primitive;
  }
  return JfrPrimitive::kNone;
}

}  // namespace

// JfrSchemaParser: reads the element tree of a metadata event. An object parses one event.
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
    int32_t type = -1;   // the type of a type element, the owner of a field element; -1: none
    int32_t field = -1;  // index of the element's field; -1: the element is not a field
  };
  std::vector<Made> made_;  // indexed by element
  JfrSchema schema_;
};

Result<JfrSchema> JfrSchemaParser::Parse(ByteCursor cursor) {
  cursor.Long();  // start
  cursor.Long();  // duration
  cursor.Long();  // id of this metadata
  if (!ReadStrings(cursor) || !ReadElements(cursor)) {
    return Error("the description of its events is damaged");
  }
  MakeTypes();
  MakeFields();
  ApplyAnnotations();
  MarkReadable();
  return std::move(schema_);
}

bool JfrSchemaParser::ReadStrings(ByteCursor& cursor) {
  const uint64_t count = cursor.Count();
  for (uint64_t i = 0; i < count && !cursor.failed(); ++i) {
    schema_.texts_.push_back(ReadJfrString(cursor).text.value_or(""));
  }
  return !cursor.failed();
}

// Reads the tree without recursion: `open` has the ancestors of the current element, each with the
// number of its children that are not read yet.
bool JfrSchemaParser::ReadElements(ByteCursor& cursor) {
  struct Open {
    uint32_t element;
    uint64_t children;
  };
  std::vector<Open> open = {{kNoParent, 1}};
  while (!open.empty()) {
    if (open.back().children == 0) {
      open.pop_back();
      continue;
    }
    --open.back().children;
    Element element{cursor.Int(), open.back().element, 0, 0};
    if (!ReadAttributes(cursor, element)) return false;
    const uint64_t children = cursor.Count();
    if (cursor.failed()) return false;
    open.push_back({static_cast<uint32_t>(elements_.size()), children});
    elements_.push_back(element);
  }
  return true;
}

bool JfrSchemaParser::ReadAttributes(ByteCursor& cursor, Element& element) {
  const uint64_t count = cursor.Count();
  element.first_attribute = static_cast<uint32_t>(attributes_.size());
  element.attributes = static_cast<uint32_t>(count);
  for (uint64_t i = 0; i < count; ++i) {
    const Attribute attribute{cursor.Int(), cursor.Int()};
    if (cursor.failed() || attribute.key >= schema_.texts_.size() ||
        attribute.value >= schema_.texts_.size()) {
      return false;
    }
    attributes_.push_back(attribute);
  }
  return !cursor.failed() && element.name < schema_.texts_.size();
}

std::string_view JfrSchemaParser::AttributeOf(const Element& element, std::string_view key) const {
  for (uint32_t i = 0; i < element.attributes; ++i) {
    const Attribute& attribute = attributes_[element.first_attribute + i];
    if (Text(attribute.key) == key) return Text(attribute.value);
  }
  return {};
}

void JfrSchemaParser::MakeTypes() {
  made_.resize(elements_.size());
  for (size_t i = 0; i < elements_.size(); ++i) {
    RecordedType type;
    if (Text(elements_[i].name) != "class" || !ParseId(AttributeOf(elements_[i], "id"), &type.id)) {
      continue;
    }
    uint32_t& number = schema_.by_id_.At(type.id);
    if (number != 0) continue;  // of two types with the same id, the first is used
    type.name = AttributeOf(elements_[i], "name");
    // Oracle's JDK 9 and 10 write com.oracle.jdk.ExecutionSample for jdk.ExecutionSample.
    constexpr std::string_view kOracle = "com.oracle.";
    if (type.name.starts_with("com.oracle.jdk.")) type.name.remove_prefix(kOracle.size());
    type.is_event = AttributeOf(elements_[i], "superType") == "jdk.jfr.Event";
    type.primitive = PrimitiveNamed(type.name);
    made_[i].type = static_cast<int32_t>(schema_.types_.size());
    schema_.types_.push_back(std::move(type));
    number = static_cast<uint32_t>(schema_.types_.size());
  }
}

void JfrSchemaParser::MakeFields() {
  for (size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    if (element.parent == kNoParent || Text(element.name) != "field") continue;
    const int32_t owner = made_[element.parent].type;
    if (owner < 0 || made_[element.parent].field >= 0) continue;
    JfrField field;
    field.name = AttributeOf(element, "name");
    field.in_pool = AttributeOf(element, "constantPool") == "true";
    const std::string_view dimension = AttributeOf(element, "dimension");
    field.is_array = !dimension.empty() && dimension != "0";
    uint64_t id = 0;
    const bool has_id = ParseId(AttributeOf(element, "class"), &id);
    const RecordedType* type = has_id ? schema_.WithId(id) : nullptr;
    // A field of an unknown type gets the type of its owner, stored inline. This is a cycle, so the
    // owner becomes unreadable.
    field.type = type != nullptr ? schema_.IndexOf(*type) : static_cast<uint32_t>(owner);
    if (type == nullptr) field.in_pool = false;
    std::vector<JfrField>& fields = schema_.types_[static_cast<size_t>(owner)].fields;
    made_[i] = {owner, static_cast<int32_t>(fields.size())};
    fields.push_back(field);
  }
}

JfrUnit JfrSchemaParser::UnitOf(std::string_view annotation, std::string_view value) const {
  for (const NamedUnit& row : kUnits) {
    if (row.annotation == annotation && (row.value.empty() || row.value == value)) return row.unit;
  }
  return JfrUnit::kNone;
}

void JfrSchemaParser::ApplyAnnotations() {
  for (const Element& element : elements_) {
    if (element.parent == kNoParent || Text(element.name) != "annotation") continue;
    const Made& target = made_[element.parent];
    uint64_t id = 0;
    if (target.type < 0 || !ParseId(AttributeOf(element, "class"), &id)) continue;
    const RecordedType* annotation = schema_.WithId(id);
    if (annotation == nullptr) continue;
    const std::string_view value = AttributeOf(element, "value");
    RecordedType& type = schema_.types_[static_cast<size_t>(target.type)];
    if (annotation->name == "jdk.jfr.Label") {
      (target.field < 0 ? type.label : type.fields[static_cast<size_t>(target.field)].label) =
          value;
    } else if (target.field >= 0) {
      const JfrUnit unit = UnitOf(annotation->name, value);
      JfrField& field = type.fields[static_cast<size_t>(target.field)];
      if (unit != JfrUnit::kNone) field.unit = unit;
      if (annotation->name == "jdk.jfr.Unsigned") field.is_unsigned = true;
    }
  }
}

// Marks types from the leaves up, one level per round. So a type from which a cycle can be reached
// is never marked.
void JfrSchemaParser::MarkReadable() {
  for (int level = 0; level <= JfrSchema::kMaxNesting; ++level) {
    std::vector<RecordedType*> found;
    for (RecordedType& type : schema_.types_) {
      if (!type.is_readable && IsReadableNow(type)) found.push_back(&type);
    }
    if (found.empty()) return;
    for (RecordedType* type : found) {
      type->is_readable = true;
      if (integers_ == JfrIntegers::kCompressed) type->varints = VarintsOf(*type);
    }
  }
}

bool JfrSchemaParser::IsReadableNow(const RecordedType& type) const {
  if (type.primitive != JfrPrimitive::kNone) return true;
  for (const JfrField& field : type.fields) {
    if (field.in_pool) continue;
    const RecordedType& inner = schema_.types_[field.type];
    // A struct without fields is refused: its values would take no bytes, so a small file could
    // have an array of any length.
    const bool has_bytes = inner.primitive != JfrPrimitive::kNone || !inner.fields.empty();
    if (!inner.is_readable || !has_bytes) return false;
  }
  return true;
}

uint32_t JfrSchemaParser::VarintsOf(const RecordedType& type) const {
  if (type.primitive != JfrPrimitive::kNone) return 0;
  for (const JfrField& field : type.fields) {
    const JfrPrimitive primitive = schema_.types_[field.type].primitive;
    const bool is_integer = primitive == JfrPrimitive::kChar || primitive == JfrPrimitive::kShort ||
                            primitive == JfrPrimitive::kInt || primitive == JfrPrimitive::kLong;
    if (field.is_array || !(field.in_pool || is_integer)) return 0;
  }
  return static_cast<uint32_t>(type.fields.size());
}

int RecordedType::IndexOf(std::string_view field) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

Result<JfrSchema> JfrSchema::Parse(ByteCursor fields, JfrIntegers integers) {
  return JfrSchemaParser(integers).Parse(fields);
}

const RecordedType* JfrSchema::Named(std::string_view name) const {
  for (const RecordedType& type : types_) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

void JfrSchema::SkipFields(ByteCursor& cursor, const RecordedType& type) const {
  JPROF_CHECK(type.is_readable);
  if (type.varints != 0) {
    cursor.SkipVarints(type.varints);
    return;
  }
  for (const JfrField& field : type.fields) {
    if (cursor.failed()) return;
    SkipField(cursor, field);
  }
}

void JfrSchema::SkipField(ByteCursor& cursor, const JfrField& field) const {
  const RecordedType& type = types_[field.type];
  uint64_t count = field.is_array ? cursor.Count() : 1;
  if (type.varints != 0 && !field.in_pool) {
    cursor.SkipVarints(count * type.varints);  // bounded: `count` is at most the number of bytes
    return;
  }
  for (; count != 0 && !cursor.failed(); --count) {
    if (field.in_pool) {
      cursor.Long();
    } else {
      SkipValue(cursor, type);
    }
  }
}

void JfrSchema::SkipValue(ByteCursor& cursor, const RecordedType& type) const {
  switch (type.primitive) {
    case JfrPrimitive::kNone:
      SkipFields(cursor, type);
      return;
    case JfrPrimitive::kBoolean:
    case JfrPrimitive::kByte:
      cursor.Byte();
      return;
    case JfrPrimitive::kChar:
    case JfrPrimitive::kShort:
      cursor.Short();
      return;
    case JfrPrimitive::kInt:
      cursor.Int();
      return;
    case JfrPrimitive::kLong:
      cursor.Long();
      return;
    case JfrPrimitive::kFloat:
      cursor.Bytes(4);
      return;
    case JfrPrimitive::kDouble:
      cursor.Bytes(8);
      return;
    case JfrPrimitive::kString:
      SkipJfrString(cursor);
      return;
  }
}

}  // namespace jprof::profile
