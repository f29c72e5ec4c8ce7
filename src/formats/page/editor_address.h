// EditorAddress is the template of an address that opens a line of a file in an editor. Plain
// value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

struct EditorAddress {
  std::string text;  // "idea://open?file={path}&line={line}"; empty if there is no editor
  // True for an editor of editors.def. Such an editor does not know the folders of sources, so
  // {path} must be the whole path of a file.
  bool needs_whole_path = false;

  // Parses a name of editors.def or a template of an address. An empty text means that there is no
  // editor. The error is one line with a remedy.
  static Result<EditorAddress> Parse(std::string_view text);

  // Returns the permitted schemes of addresses, without "://": "http", "https", "idea", ...
  static std::vector<std::string_view> Schemes();
};

}  // namespace jprof
