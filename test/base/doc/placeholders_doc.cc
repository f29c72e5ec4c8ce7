// Generates docs/formats/placeholders.md.
#include <string>

#include "base/placeholders.h"
#include "support/doc_main.h"

namespace {

std::string Markdown() {
  std::string text =
      "# Names in brackets\n"
      "\n"
      "Where a frame, or the name of a thread, cannot be told, a placeholder stands there and "
      "keeps\n"
      "the weight, so that totals are right. In JFR files the class of such a frame is `jprof`, or "
      "the\n"
      "library that it is in. A flame graph explains each where the mouse is on it.\n"
      "\n"
      "| placeholder | what it stands for |\n"
      "|---|---|\n";
  for (const jprof::PlaceholderRow& row : jprof::kPlaceholders) {
    text += "| `" + std::string(row.text) + "` | " + std::string(row.explanation) + " |\n";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return jprof::test::DocMain(argc, argv, "placeholders_doc", Markdown());
}
