#include "agent/answer_file.h"

#include <fcntl.h>

#include "base/scoped_fd.h"
#include "options/option_table.h"
#include "options/parsed_arguments.h"

namespace jprof {

Status WriteAnswerFile(const std::string& path, const Result<AgentAnswer>& answer) {
  const ScopedFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return Error::FromErrno("open", path);
  return WriteAll(fd.get(), EncodeAnswer(answer), path);
}

std::optional<std::string> FindAnswerFile(std::string_view options) {
  for (OptionTokenizer tokenizer(options); !tokenizer.AtEnd();) {
    const Result<OptionToken> word = tokenizer.Next();
    if (!word) return std::nullopt;
    if (word.value().name == RowOf(OptionId::kAnswer).name) return word.value().value;
  }
  return std::nullopt;
}

}  // namespace jprof
