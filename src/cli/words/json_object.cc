#include "cli/words/json_object.h"

#include <algorithm>

#include "base/printable_text.h"

namespace jprof {
namespace {

constexpr int kDeepest = 8;
constexpr size_t kMostDigits = 20;
constexpr std::string_view kArrayMark = "[]";

std::string ValueOf(const AgentFact& fact) {
  const bool is_number = fact.is_number && !fact.value.empty() &&
                         fact.value.size() <= kMostDigits &&
                         fact.value.find_first_not_of("0123456789") == std::string::npos &&
                         (fact.value == "0" || fact.value.front() != '0');
  return is_number ? fact.value : JsonText(fact.value);
}

// Facts whose keys start with the same name. The keys in `facts` are without that name and its dot.
struct Member {
  std::string name;
  std::vector<AgentFact> facts;
};

std::vector<Member> MembersOf(const std::vector<AgentFact>& facts, int depth) {
  std::vector<Member> members;
  for (const AgentFact& fact : facts) {
    const size_t dot = depth < kDeepest ? fact.key.find('.') : std::string::npos;
    const std::string name = fact.key.substr(0, dot);
    auto member = std::ranges::find(members, name, &Member::name);
    if (member == members.end()) member = members.insert(members.end(), {name, {}});
    member->facts.push_back(fact);
    member->facts.back().key = dot == std::string::npos ? "" : fact.key.substr(dot + 1);
  }
  return members;
}

void AddMembers(const std::vector<AgentFact>& facts, int depth, JsonObject& object) {
  for (const Member& member : MembersOf(facts, depth)) {
    if (std::string_view(member.name).ends_with(kArrayMark)) {
      std::vector<std::string> values;
      for (const AgentFact& fact : member.facts) values.push_back(ValueOf(fact));
      const size_t length = member.name.size() - kArrayMark.size();
      object.Value(std::string_view(member.name).substr(0, length), JsonArray(values));
    } else if (member.facts.front().key.empty()) {
      object.Value(member.name, ValueOf(member.facts.front()));
    } else {
      JsonObject inner;
      AddMembers(member.facts, depth + 1, inner);
      object.Value(member.name, inner.Done());
    }
  }
}

}  // namespace

JsonObject& JsonObject::Text(std::string_view key, std::string_view value) {
  return Value(key, JsonText(value));
}

JsonObject& JsonObject::Number(std::string_view key, uint64_t value) {
  return Value(key, std::to_string(value));
}

JsonObject& JsonObject::Null(std::string_view key) { return Value(key, "null"); }

JsonObject& JsonObject::Bool(std::string_view key, bool value) {
  return Value(key, value ? "true" : "false");
}

JsonObject& JsonObject::Value(std::string_view key, std::string_view json) {
  members_ += (members_.empty() ? "" : ",") + JsonText(key) + ':';
  members_ += json;
  return *this;
}

std::string JsonText(std::string_view text) {
  return PrintableText(JsonQuoted(text), Layout::kJson);
}

std::string JsonArray(const std::vector<std::string>& values) {
  std::string array;
  for (const std::string& value : values) array += (array.empty() ? "" : ",") + value;
  return '[' + array + ']';
}

JsonObject JsonOf(const AgentAnswer& answer) {
  JsonObject object;
  AddMembers(answer.facts.all(), 0, object);
  std::vector<std::string> notes;
  for (const std::string& note : answer.notes) notes.push_back(JsonText(note));
  object.Value("notes", JsonArray(notes));
  if (!answer.version.empty()) object.Text("agent", answer.version);
  return object;
}

}  // namespace jprof
