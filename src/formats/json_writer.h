// JsonWriter: writes JSON for an HTML script element: no text of a profile can
// end the element or start a comment. One thread. Strings must be valid UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/output_stream.h"

namespace jprof {

class JsonWriter {
 public:
  explicit JsonWriter(OutputStream& out) : out_(out) {}

  void BeginObject();
  void EndObject();
  void BeginArray(std::string_view key);
  void EndArray();
  void Text(std::string_view key, std::string_view value);
  void Number(std::string_view key, uint64_t value);

  template <class Strings>
  void Texts(std::string_view key, const Strings& values) {
    BeginArray(key);
    for (const auto& value : values) {
      Separate();
      Quoted(value);
    }
    EndArray();
  }

 private:
  void Separate();
  void Key(std::string_view key);
  void Quoted(std::string_view text);

  OutputStream& out_;
  bool is_first_ = true;  // of the innermost object or array
};

}  // namespace jprof
