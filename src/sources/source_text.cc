#include "sources/source_text.h"

#include <algorithm>

namespace jprof {

Result<SourceText> FindSourceOfPath(const FindSource& find, std::string_view path) {
  std::string class_name(path.substr(0, path.find('.', path.rfind('/') + 1)));
  std::ranges::replace(class_name, '/', '.');
  Result<SourceText> found = find(class_name, path.substr(path.rfind('/') + 1));
  if (found || !path.ends_with(".java")) return found;
  Result<SourceText> of_class = find(class_name, "");
  if (of_class) return of_class;
  return found;
}

}  // namespace jprof
