// Generates docs/formats/placeholders.md: a section with a table for each group of placeholders.
#include <string>
#include <string_view>

#include "support/doc_main.h"

namespace {

// A row of placeholders.def: a group, or a placeholder of the group before it.
struct Row {
  bool is_group;
  std::string_view name;  // the heading of the group, or the text of the placeholder
  std::string_view text;  // the description of the group, or the explanation of the placeholder
};

constexpr Row kRows[] = {
#define PLACEHOLDER_GROUP(heading, description) {true, heading, description},
#define PLACEHOLDER(Id, text, explanation) {false, text, explanation},
#include "base/placeholders.def"
#undef PLACEHOLDER
};

std::string Markdown() {
  std::string text =
      "# Names in brackets\n"
      "\n"
      "If a frame or the name of a thread is unknown, a name in brackets stands in its place. This "
      "name is a *placeholder*. A\n"
      "placeholder has the weight of the samples for which it stands, so totals are right.\n"
      "\n"
      "To see how much of a recording is missing:\n"
      "\n"
      "```\n"
      "jprof view losses app.jfr\n"
      "```\n"
      "\n"
      "This view counts lost samples by reason and thread, and stacks with `[root not walked]` by "
      "thread. It also counts stacks by\n"
      "these placeholders: `[break: ...]`, `[unknown frame, ...]`, `[not walkable, ...]`, "
      "`[no method id]`, `[unloaded class]`,\n"
      "`[name not read]` and `[unknown method]`. It does not count the other placeholders.\n"
      "\n"
      "- In a flame graph, move the mouse to a placeholder to see its explanation.\n"
      "- In JFR files, the class of a placeholder frame is `jprof`. Only `[unknown]` has the "
      "library of the code in place of a class.\n";
  for (const Row& row : kRows) {
    if (row.is_group) {
      text += "\n## " + std::string(row.name) + "\n\n" + std::string(row.text) +
              "\n\n| placeholder | meaning |\n|---|---|\n";
    } else {
      text += "| `" + std::string(row.name) + "` | " + std::string(row.text) + " |\n";
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  return jprof::test::DocMain(argc, argv, "placeholders_doc", Markdown());
}
