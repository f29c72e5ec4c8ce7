// JsonObject: a JSON object on one line, as jprof --json prints it.
//
// Texts can contain any bytes: invalid UTF-8 becomes U+FFFD. Used on jprof's only thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "answers/agent_answer.h"

namespace jprof {

class JsonObject {
 public:
  JsonObject& Text(std::string_view key, std::string_view value);
  JsonObject& Number(std::string_view key, uint64_t value);
  JsonObject& Null(std::string_view key);
  JsonObject& Bool(std::string_view key, bool value);
  // Adds a value that is JSON already.
  JsonObject& Value(std::string_view key, std::string_view json);

  // Returns the text of the object.
  std::string Done() const { return '{' + members_ + '}'; }

 private:
  std::string members_;
};

// Returns `text` as a JSON string.
std::string JsonText(std::string_view text);

// Returns a JSON array of values that are JSON already.
std::string JsonArray(const std::vector<std::string>& values);

// Returns an object with the facts of an answer, its notes, and the version of the agent. Keys such
// as "a.b" become nested objects. Because the answer is not trusted, the depth of nesting is
// limited: at the deepest level, the rest of a key is one name. An invalid number becomes a text.
JsonObject JsonOf(const AgentAnswer& answer);

}  // namespace jprof
