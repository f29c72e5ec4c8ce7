#include "jfr/reader/jfr_schema_parser.h"

#include <charconv>
#include <utility>

#include "jfr/reader/jfr_string.h"

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

// Parses an id, which must consist of decimal digits alone.
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

// Reads the tree without recursion: `open` has the elements above the current one, with the number
// of their children that are still to be read.
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
    if (number != 0) continue;  // the first of two types with the same id counts
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
    // A field of an unknown type refers inline to its owner: that is a cycle, and so unreadable.
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

// Marks types from the leaves up, one level per round: a type that reaches a cycle is never marked.
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
    // A struct without fields would have values of no bytes, and any number of them in an array.
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

}  // namespace jprof::profile
