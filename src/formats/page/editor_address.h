// EditorAddress: the address at which an editor opens a line of a file, as a template. Plain value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace jprof {

struct EditorAddress {
  std::string text;               // "idea://open?file={path}&line={line}"; empty: none
  bool needs_whole_path = false;  // an editor of editors.def: it knows no folders of sources

  // `text`: a name of editors.def or a template; empty: none. The error is one line with a remedy.
  static Result<EditorAddress> Parse(std::string_view text);

  // What an address may begin with, without "://": "http", "https", "idea", ...
  static std::vector<std::string_view> Schemes();
};

}  // namespace jprof
