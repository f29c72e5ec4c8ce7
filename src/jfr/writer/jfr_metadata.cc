#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "jfr/format/jfr_types.h"
#include "jfr/writer/event_declarations.h"
#include "jfr/writer/jfr_encoder.h"
#include "jfr/writer/view_events.h"

namespace jprof {
namespace {

using Attribute = std::pair<std::string_view, std::string>;

struct Annotation {
  JfrType type;
  std::string_view value;  // empty: no value; array values are separated by '|'
};

std::vector<Annotation> AnnotationsOf(JfrMeaning meaning) {
  switch (meaning) {
    case JfrMeaning::kNone:
      return {};
    case JfrMeaning::kTicks:
      return {{JfrType::kTimestamp, "TICKS"}};
    case JfrMeaning::kTickDuration:
      return {{JfrType::kTimespan, "TICKS"}};
    case JfrMeaning::kEpochMillis:
      return {{JfrType::kTimestamp, "MILLISECONDS_SINCE_EPOCH"}};
    case JfrMeaning::kMillis:
      return {{JfrType::kTimespan, "MILLISECONDS"}};
    case JfrMeaning::kNanoDuration:
      return {{JfrType::kTimespan, "NANOSECONDS"}};
    case JfrMeaning::kBytes:
      return {{JfrType::kUnsigned, ""}, {JfrType::kDataAmount, "BYTES"}};
    case JfrMeaning::kAddress:
      return {{JfrType::kUnsigned, ""}, {JfrType::kMemoryAddress, ""}};
    case JfrMeaning::kPercentage:
      return {{JfrType::kPercentage, ""}};
    case JfrMeaning::kUnsigned:
      return {{JfrType::kUnsigned, ""}};
  }
  return {};
}

// Returns the annotations of a type or field of the table.
std::vector<Annotation> AnnotationsOf(const JfrRow& row) {
  std::vector<Annotation> annotations = AnnotationsOf(row.meaning);
  if (row.kind == JfrKind::kContentAnnotation) annotations.push_back({JfrType::kContentType, ""});
  if (!row.label.empty()) annotations.push_back({JfrType::kLabel, row.label});
  if (!row.category.empty()) annotations.push_back({JfrType::kCategory, row.category});
  return annotations;
}

// Returns the number of the first row after the type's fields.
size_t EndOfFields(size_t type) {
  size_t end = type + 1;
  while (end != kJfrTypeTable.size() && kPackedJfrRows[end].kind == JfrKind::kField) ++end;
  return end;
}

// Encodes the tree of elements in preorder. The encoding of an element has its name, its attributes
// and the number of its children. Strings are encoded as indices into a table.
class ElementTree {
 public:
  void Element(std::string_view name, const std::vector<Attribute>& attributes, size_t children) {
    elements_.Varint(Index(name));
    elements_.Varint(attributes.size());
    for (const auto& [key, value] : attributes) {
      elements_.Varint(Index(key));
      elements_.Varint(Index(value));
    }
    elements_.Varint(children);
  }

  void Annotate(const std::vector<Annotation>& annotations) {
    for (const Annotation& annotation : annotations) {
      std::vector<Attribute> attributes = {{"class", IdText(annotation.type)}};
      AddValues(annotation, attributes);
      Element("annotation", attributes, 0);
    }
  }

  static std::string IdText(JfrType type) { return std::to_string(TypeId(type)); }

  // Returns the encoding of the number of strings, the strings and the elements.
  JfrEncoder Content() const {
    JfrEncoder content(16 * 1024);
    content.Varint(strings_.size());
    for (const std::string& text : strings_) content.String(text);
    content.Bytes(elements_.bytes());
    return content;
  }

 private:
  static void AddValues(const Annotation& annotation, std::vector<Attribute>& attributes) {
    static constexpr std::string_view kValueKeys[] = {"value-0", "value-1", "value-2", "value-3"};
    if (annotation.value.empty()) return;
    if (annotation.type != JfrType::kCategory) {
      attributes.emplace_back("value", annotation.value);
      return;
    }
    std::string_view rest = annotation.value;
    for (const std::string_view key : kValueKeys) {
      const size_t bar = rest.find('|');
      attributes.emplace_back(key, rest.substr(0, bar));
      if (bar == std::string_view::npos) return;
      rest.remove_prefix(bar + 1);
    }
  }

  size_t Index(std::string_view text) {
    const auto known = indices_.find(text);
    if (known != indices_.end()) return known->second;
    indices_.emplace(strings_.emplace_back(text), indices_.size());
    return indices_.size() - 1;
  }

  std::deque<std::string> strings_;
  std::unordered_map<std::string_view, size_t> indices_;  // index into strings_ by text
  JfrEncoder elements_{8 * 1024};
};

std::vector<Attribute> AttributesOfType(const JfrRow& type) {
  std::vector<Attribute> attributes = {{"name", std::string(type.name)},
                                       {"id", ElementTree::IdText(type.type)}};
  switch (type.kind) {
    case JfrKind::kAnnotation:
    case JfrKind::kContentAnnotation:
      attributes.emplace_back("superType", "java.lang.annotation.Annotation");
      break;
    case JfrKind::kEvent:
      attributes.emplace_back("superType", "jdk.jfr.Event");
      break;
    case JfrKind::kSimple:
      attributes.emplace_back("simpleType", "true");
      break;
    case JfrKind::kPrimitive:
    case JfrKind::kStruct:
    case JfrKind::kField:
      break;
  }
  return attributes;
}

JfrRow RowOf(const TrailingField& field) {
  return {
      JfrKind::kField, JfrStorage::kInline, field.meaning, field.type, field.name, field.label, {}};
}

std::vector<Attribute> AttributesOfField(const JfrRow& field) {
  std::vector<Attribute> attributes = {{"name", std::string(field.name)},
                                       {"class", ElementTree::IdText(field.type)}};
  if (field.storage == JfrStorage::kPool) attributes.emplace_back("constantPool", "true");
  if (field.storage == JfrStorage::kArray) attributes.emplace_back("dimension", "1");
  return attributes;
}

void AddField(ElementTree& tree, const JfrRow& field) {
  const std::vector<Annotation> annotations = AnnotationsOf(field);
  tree.Element("field", AttributesOfField(field), annotations.size());
  tree.Annotate(annotations);
}

void AddType(ElementTree& tree, size_t number, std::span<const TrailingField> appended) {
  const JfrRow type = kJfrTypeTable[number];
  const size_t end = EndOfFields(number);
  const std::vector<Annotation> annotations = AnnotationsOf(type);
  tree.Element("class", AttributesOfType(type),
               end - number - 1 + appended.size() + annotations.size());
  for (size_t field = number + 1; field != end; ++field) AddField(tree, kJfrTypeTable[field]);
  for (const TrailingField& field : appended) AddField(tree, RowOf(field));
  tree.Annotate(annotations);
}

bool IsDeclared(const JfrRow& row, const EventDeclarations& declarations) {
  return row.kind != JfrKind::kField && (row.kind != JfrKind::kEvent || declarations.Has(row.type));
}

void AddViewEvent(ElementTree& tree, const ViewEvent& event, uint32_t id) {
  std::vector<JfrRow> fields;
  ForEachViewField(event, [&fields](const JfrRow& type, std::string_view name) {
    const bool is_inline = type.kind == JfrKind::kPrimitive;
    fields.push_back({JfrKind::kField,
                      is_inline ? JfrStorage::kInline : JfrStorage::kPool,
                      JfrMeaning::kNone,
                      type.type,
                      name,
                      {},
                      {}});
  });
  tree.Element("class",
               {{"name", std::string(event.name)},
                {"id", std::to_string(id)},
                {"superType", "jdk.jfr.Event"}},
               fields.size());
  for (const JfrRow& field : fields) AddField(tree, field);
}

// Returns the event types that the JDK's views read but `declarations` does not declare, each with
// a new id.
std::vector<std::pair<ViewEvent, uint32_t>> UndeclaredViewEvents(
    const EventDeclarations& declarations) {
  std::unordered_set<std::string_view> declared;
  for (const JfrRow row : kJfrTypeTable) {
    if (IsDeclared(row, declarations)) declared.insert(row.name);
  }
  std::vector<std::pair<ViewEvent, uint32_t>> events;
  uint32_t id = kJfrTypeIds;
  ForEachViewEvent([&](const ViewEvent& event) {
    if (!declared.contains(event.name)) events.emplace_back(event, id++);
  });
  return events;
}

JfrEncoder EncodeContent(const EventDeclarations& declarations) {
  const auto view_events = UndeclaredViewEvents(declarations);
  size_t types = view_events.size();
  for (const JfrRow row : kJfrTypeTable) types += IsDeclared(row, declarations);

  ElementTree tree;
  tree.Element("root", {}, 2);
  tree.Element("metadata", {}, types);
  for (size_t number = 0; number != kJfrTypeTable.size(); ++number) {
    const JfrRow row = kJfrTypeTable[number];
    if (!IsDeclared(row, declarations)) continue;
    AddType(tree, number, declarations.FieldsAppendedTo(row.type));
  }
  for (const auto& [event, id] : view_events) AddViewEvent(tree, event, id);
  // Times in the file are UTC; readers show them in a zone of their own choice.
  tree.Element("region", {{"locale", "en_US"}, {"gmtOffset", "0"}}, 0);
  return tree.Content();
}

// Returns the FNV-1a hash, cut to 63 bits because readers store it in a signed long.
uint64_t ContentId(std::span<const uint8_t> content) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const uint8_t byte : content) hash = (hash ^ byte) * 0x100000001B3ull;
  return hash >> 1;
}

}  // namespace

void EncodeMetadata(JfrEncoder& out, const EventDeclarations& declarations, int64_t start_ticks) {
  const JfrEncoder content = EncodeContent(declarations);
  const size_t start = out.BeginEvent(TypeId(JfrType::kMetadata));
  out.Long(start_ticks);
  out.Long(0);  // duration
  out.Varint(ContentId(content.bytes()));
  out.Bytes(content.bytes());
  out.EndEvent(start);
}

}  // namespace jprof
