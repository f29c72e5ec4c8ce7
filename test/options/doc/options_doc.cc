// Generates docs/options.md.
#include "options/doc/options_markdown.h"
#include "support/doc_main.h"

int main(int argc, char** argv) {
  return jprof::test::DocMain(argc, argv, "options_doc", jprof::OptionsMarkdown());
}
