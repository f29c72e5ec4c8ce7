// Generates docs/cli.md.
#include "cli/doc/cli_markdown.h"
#include "support/doc_main.h"

int main(int argc, char** argv) {
  return jprof::test::DocMain(argc, argv, "cli_doc", jprof::CliMarkdown());
}
