#include "agent/command.h"

#include <utility>

#include "agent/version.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "base/scoped_fd.h"
#include "base/write_all.h"
#include "session/options/file_pattern.h"
#include "session/options/help_text.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

Status WriteText(const std::string& path, const std::string& text) {
  Result<OutputPlace> place = OutputPlace::Resolve(path);
  if (!place) return place.error();
  if (place.value().kind() == OutputPlace::Kind::kStream) {
    const Result<ScopedFd> stream = place.value().OpenStream(OutputPlace::Unread::kRefuse);
    return stream ? WriteAll(stream.value().get(), text, path) : stream.error();
  }
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  const Status written = WriteAll(file.value().fd(), text, path);
  return written ? file.value().Publish() : written;
}

}  // namespace

Session& TheSession() {
  static Session* session = new Session;
  return *session;
}

Status ApplyLogOptions(const Options& options) {
  if (options.log_level) Log::SetLevel(*options.log_level);
  if (options.log_file) return Log::SetFile(*options.log_file);
  return {};
}

Result<AgentAnswer> AnswerInfo(const Options& options) {
  JPROF_CHECK(options.command == Command::kHelp || options.command == Command::kVersion);
  const std::string text =
      options.command == Command::kHelp ? HelpText() : std::string("jprof ") + kVersion + "\n";
  if (!options.file) return AgentAnswer{text};
  const Result<std::string> path =
      ExpandFilePattern(*options.file, FilePatternContext::OfThisProcess());
  if (!path) return path.error();
  const Status written = WriteText(path.value(), text);
  if (!written) return written.error();
  return AgentAnswer{"written to " + path.value()};
}

Result<AgentAnswer> Execute(const Options& options, const std::function<bool()>& is_awaited) {
  const Status logging = ApplyLogOptions(options);
  if (!logging) return logging.error();
  switch (options.command) {
    case Command::kStart:
      return TheSession().Start(options, is_awaited);
    case Command::kStop:
      return TheSession().Stop(options);
    case Command::kDump:
      return TheSession().Dump(options);
    case Command::kStatus:
      return AgentAnswer{TheSession().StatusLines() + "agent     " + kVersion + '\n'};
    case Command::kMethods:
      return TheSession().Methods();
    case Command::kHelp:
    case Command::kVersion:
      break;
  }
  return AnswerInfo(options);
}

}  // namespace jprof
