// JsonObject: an object of JSON on one line, as jprof --json prints it.
//
// Texts may hold any bytes: what is no valid UTF-8 becomes U+FFFD. jprof's one thread.
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
  // `json`: a value that is JSON already.
  JsonObject& Value(std::string_view key, std::string_view json);

  std::string Done() const { return '{' + members_ + '}'; }

 private:
  std::string members_;
};

std::string JsonText(std::string_view text);

// `values`: each is JSON.
std::string JsonArray(const std::vector<std::string>& values);

// Returns the facts of an answer, its notes, and the version of the agent. Nothing in the answer is
// trusted: a key of many names is one name, and a number that is none is a text.
JsonObject JsonOf(const AgentAnswer& answer);

}  // namespace jprof
