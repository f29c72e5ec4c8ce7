#include "session/options/given_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "session/options/wording.h"

namespace jprof {
namespace {

// jcmd takes `name=value` of its own argument apart and drops the value (JDK
// src/hotspot/share/services/diagnosticFramework.cpp, DCmdArgIter::next, jdk-17+35); quotes that
// reach it keep the argument whole.
constexpr std::string_view kJcmdQuoting =
    "jcmd cuts options at the first '=' unless they are quoted twice: jcmd PID JVMTI.agent_load "
    "/path/libprofiler.so '\"start,event=wall,file=/abs/out.jfr\"'";

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

std::string AllCommands() { return Join(NamesOf(kCommands)); }

Error UnknownWord(std::string_view name) {
  std::vector<std::string_view> names = NamesOf(kCommands);
  for (const OptionRow& row : kOptions) names.push_back(row.name);
  return Error(UnknownName("option", name, names) + " (help lists all options)");
}

Status CheckCharacters(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), IsControl)) {
    return Error("control character in " + Quote(text) + ": options are one line of words");
  }
  return {};
}

}  // namespace

Result<GivenWords> GivenWords::Split(std::string_view text) {
  if (Status status = CheckCharacters(text); !status.ok()) return status.error();
  GivenWords words;
  for (size_t begin = 0; !text.empty() && begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (word.empty()) {
      return Error("empty word in " + Quote(text) + ": put one comma between two words");
    }
    if (Status status = words.Add(word); !status.ok()) return status.error();
    begin = end + 1;
  }
  if (words.command_ == nullptr) {
    return Error("no command in " + Quote(text) + ": give exactly one of " + AllCommands() +
                 ", as in start,event=cpu,file=/abs/out.jfr");
  }
  if (Status status = words.CheckCommandTakesOptions(); !status.ok()) return status.error();
  return words;
}

Status GivenWords::Add(std::string_view word) {
  if (word.front() == ' ' || word.back() == ' ') {
    return Error("space around " + Quote(word) + ": write the words without spaces");
  }
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  Given given{word, {}};
  if (equals != std::string_view::npos) given.value = word.substr(equals + 1);

  if (const CommandRow* row = FindByName(kCommands, name)) return AddCommand(*row, word);
  if (const OptionRow* row = FindByName(kOptions, name)) return AddOption(*row, given);
  return UnknownWord(name);
}

Status GivenWords::AddCommand(const CommandRow& row, std::string_view word) {
  if (word != row.name) {
    return Error(Quote(word) + ": the command " + std::string(row.name) + " takes no value");
  }
  if (command_ != nullptr) {
    return Error("second command " + Quote(word) + " after " + Quote(command_->name) +
                 ": give exactly one of " + AllCommands());
  }
  command_ = &row;
  return {};
}

Status GivenWords::AddOption(const OptionRow& row, const Given& given) {
  if (!given.value && row.bare == Bare::kNeedsValue) {
    return Error(Quote(given.word) + " has no value: write " + FormOf(row) + "; " +
                 std::string(kJcmdQuoting));
  }
  if (given.value && given.value->empty()) {
    return Error(Quote(given.word) + " has an empty value: write " + FormOf(row));
  }
  if (Has(row.id)) {
    return Error("option " + Quote(row.name) + " is given twice: " + Quote(Word(row.id)) + " and " +
                 Quote(given.word));
  }
  given_[static_cast<size_t>(row.id)] = given;
  places_[static_cast<size_t>(row.id)] = ++count_;
  return {};
}

Status GivenWords::CheckCommandTakesOptions() const {
  std::vector<std::string_view> taken;
  const OptionRow* refused = nullptr;
  for (const OptionRow& row : kOptions) {
    if (row.commands.Has(command())) {
      taken.push_back(row.name);
    } else if (refused == nullptr && Has(row.id)) {
      refused = &row;
    }
  }
  if (refused == nullptr) return {};
  return Error(Quote(Word(refused->id)) + " is chosen at start: " + std::string(command_->name) +
               " takes only " + Join(taken));
}

}  // namespace jprof
