// Generates docs/cli.md.
#include "cli/words/manual.h"
#include "support/doc_main.h"

int main(int argc, char** argv) {
  return jprof::test::DocMain(argc, argv, "cli_doc", jprof::CliMarkdown());
}
