#include "options/parsed_arguments.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "options/error_text.h"
#include "sigsafe/base/check.h"

namespace jprof {
namespace {

bool IsQuote(char c) { return c == '\'' || c == '"'; }

// The hint for options that jcmd has cut: jcmd splits its own argument at `=` and drops the value
// (jdk-17+35 src/hotspot/share/services/diagnosticFramework.cpp, DCmdArgIter::next). Quotes that
// reach jcmd keep the argument whole.
constexpr std::string_view kJcmdQuoting =
    "jcmd cuts options at the first '=' unless they are quoted twice: jcmd PID JVMTI.agent_load "
    "/path/libprofiler.so '\"start,event=wall,file=/abs/out.jfr\"'";

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

std::string AllCommands() {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) {
    if (!IsHidden(row)) names.push_back(row.name);
  }
  return Join(names);
}

std::vector<std::string_view> NamesOfAllWords() {
  std::vector<std::string_view> names = NamesOf(kCommands);
  for (const OptionRow& row : kOptions) names.push_back(row.name);
  return names;
}

Error UnknownWord(std::string_view name) {
  if (std::ranges::find(kPatternOptions, name) != kPatternOptions.end()) {
    return Error::UnknownOption(
        name,
        Quote(name) +
            " takes a regular expression, which jprof alone has: record to FILE.jfr, then run " +
            Quote("jprof convert --" + std::string(name) + " REGEX FILE.jfr OUT"));
  }
  return Error::UnknownOption(
      name, UnknownName("option", name, NamesOfAllWords()) + " (help lists all options)");
}

Status CheckCharacters(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), IsControl)) {
    return Error("control character in " + Quote(text) + ": options are one line of words");
  }
  return {};
}

}  // namespace

size_t OptionTokenizer::ReadQuoted(size_t begin, std::string* value) const {
  const char quote = text_[begin];
  for (size_t end = begin + 1; end < text_.size(); ++end) {
    if (text_[end] == quote) {
      ++end;
      if (end == text_.size() || text_[end] != quote) return end;
    }
    *value += text_[end];
  }
  return std::string_view::npos;
}

Result<OptionToken> OptionTokenizer::Next() {
  JPROF_CHECK(!AtEnd());
  const size_t begin = next_;
  size_t end = std::min(text_.find(',', begin), text_.size());
  const size_t equals = text_.find('=', begin);
  OptionToken word;
  if (equals >= end) {
    word.name = text_.substr(begin, end - begin);
  } else {
    word.name = text_.substr(begin, equals - begin);
    const size_t value = equals + 1;
    if (value < text_.size() && IsQuote(text_[value])) {
      end = ReadQuoted(value, &word.value.emplace());
      if (end == std::string_view::npos) {
        return Error(Quote(text_.substr(begin)) + " has no closing " + text_[value]);
      }
      if (end < text_.size() && text_[end] != ',') {
        return Error(Quote(text_.substr(begin)) + " continues after the closing " + text_[value] +
                     ": write that twice where it is part of the value");
      }
    } else {
      word.value = text_.substr(value, end - value);
    }
  }
  word.text = text_.substr(begin, end - begin);
  next_ = end + 1;
  return word;
}

std::string QuotedValue(std::string_view value) {
  const bool plain = value.empty() || (!IsQuote(value.front()) && value.back() != ' ' &&
                                       value.find(',') == std::string_view::npos);
  if (plain) return std::string(value);
  std::string quoted = "'";
  for (const char c : value) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

Result<ParsedArguments> ParsedArguments::Parse(std::string_view text) {
  if (Status status = CheckCharacters(text); !status.ok()) return status.error();
  ParsedArguments arguments(ArgumentSyntax::kOptionString);
  for (OptionTokenizer tokenizer(text); !tokenizer.AtEnd();) {
    const Result<OptionToken> word = tokenizer.Next();
    if (!word.ok()) return word.error();
    if (word.value().text.empty()) {
      return Error("empty word in " + Quote(text) + ": put one comma between two words");
    }
    if (Status status = arguments.Add(word.value()); !status.ok()) return status.error();
  }
  if (arguments.command_ == nullptr) {
    return Error("no command in " + Quote(text) + ": give exactly one of " + AllCommands() +
                 ", as in start,event=cpu,file=/abs/out.jfr");
  }
  if (Status status = arguments.CheckCommandTakesOptions(); !status.ok()) return status.error();
  return arguments;
}

Result<ParsedArguments> ParsedArguments::FromCommandLine(
    Command command, const std::vector<std::pair<OptionId, Value>>& options) {
  ParsedArguments arguments(ArgumentSyntax::kCommandLine);
  arguments.command_ = &RowOf(command);
  for (const auto& [id, value] : options) {
    const std::string text = arguments.Spell(id, value.value_or(""));
    if (Status status = CheckCharacters(text); !status.ok()) return status.error();
    if (Status status = arguments.AddOption(RowOf(id), {text, "", value}); !status.ok()) {
      return status.error();
    }
  }
  return arguments;
}

std::optional<std::string_view> ParsedArguments::ValueOf(OptionId option) const {
  if (!Has(option) || !At(option)->value) return std::nullopt;
  return *At(option)->value;
}

Result<std::optional<bool>> ParsedArguments::SwitchOf(OptionId option) const {
  if (!Has(option)) return std::optional<bool>();
  const std::string_view text = ValueOf(option).value_or("1");
  if (text != "0" && text != "1") return Error(Quote(Word(option)) + " is neither 0 nor 1");
  return std::optional<bool>(text == "1");
}

Status ParsedArguments::ReadSwitch(OptionId option, bool* is_on) const {
  const Result<std::optional<bool>> given = SwitchOf(option);
  if (!given) return given.error();
  *is_on = given.value().value_or(*is_on);
  return {};
}

std::string ParsedArguments::Spell(OptionId option, std::string_view value) const {
  const std::string name(RowOf(option).name);
  if (syntax_ == ArgumentSyntax::kOptionString) {
    return value.empty() ? name : name + "=" + std::string(value);
  }
  const bool is_output = option == OptionId::kFile;  // the only option with another name in jprof
  const std::string form = "--" + (is_output ? "output" : name);
  if (value.empty()) return form;
  // An option with an optional value does not take the next argument as its value.
  const bool may_be_bare = RowOf(option).bare == Bare::kMayBeBare;
  return form + (may_be_bare ? "=" : " ") + std::string(value);
}

std::string ParsedArguments::AsOptionString() const {
  std::string text(command_->name);
  for (const OptionRow& row : kOptions) {
    if (!Has(row.id)) continue;
    text += "," + std::string(row.name);
    const auto value = ValueOf(row.id);
    if (!value) continue;
    // In a list without quotes, Parse takes the words after a comma as words of their own. It adds
    // a word such as itimer, which names only an event, to event= again. It takes the name of an
    // engine as the option of the engine, which selects the same engine. If an engine is also given
    // as an option, Parse could find this option twice, so the list then gets quotes.
    const bool is_list =
        row.id == OptionId::kEvent &&
        std::ranges::none_of(kEngines, [this](const EngineRow& each) { return Has(each.option); });
    text += "=" + (is_list ? std::string(*value) : QuotedValue(*value));
  }
  return text;
}

Status ParsedArguments::Add(const OptionToken& word) {
  if (word.text.front() == ' ' || word.text.back() == ' ') {
    return Error("space around " + Quote(word.text) + ": write the words without spaces");
  }
  const CommandRow* command = FindByName(kCommands, word.name);
  const OptionRow* option = FindByName(kOptions, word.name);
  if (command == nullptr && option == nullptr) {
    return AddEvent(word) ? Status() : UnknownWord(word.name);
  }
  const bool is_engine = option != nullptr && option->bare == Bare::kMayBeBare;
  after_event_ = word.name == RowOf(OptionId::kEvent).name || (after_event_ && is_engine);
  return command != nullptr ? AddCommand(*command, word.text) : AddOption(*option, word);
}

// Adds the word to the list of event= if it continues the list, as itimer does in
// event=wall,itimer. Returns true if the word was added. Does not add a word that resembles a
// command or an option but no event. Adds any other unknown word, which is refused later as an
// unknown event. REQUIRES: the word is neither a command nor an option.
bool ParsedArguments::AddEvent(const OptionToken& word) {
  if (!after_event_ || word.value) return false;
  if (!NearestName(word.name, NamesOf(kEvents)) && NearestName(word.name, NamesOfAllWords())) {
    return false;
  }
  Argument& event = *arguments_[static_cast<size_t>(OptionId::kEvent)];
  *event.value += "," + word.name;
  event.word += "," + word.name;
  return true;
}

Status ParsedArguments::AddCommand(const CommandRow& row, std::string_view word) {
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

Status ParsedArguments::AddOption(const OptionRow& row, const OptionToken& word) {
  const std::string form =
      syntax_ == ArgumentSyntax::kOptionString ? FormOf(row) : Spell(row.id, row.value);
  if (!word.value && row.bare == Bare::kNeedsValue) {
    return Error(Quote(word.text) + " has no value: write " + form + "; " +
                 std::string(kJcmdQuoting));
  }
  if (word.value && word.value->empty()) {
    return Error(Quote(word.text) + " has an empty value: write " + form);
  }
  if (Has(row.id)) {
    return Error(Quote(row.name) + " is given twice: " + Quote(Word(row.id)) + " and " +
                 Quote(word.text));
  }
  arguments_[static_cast<size_t>(row.id)] = Argument{word.text, word.value};
  positions_[static_cast<size_t>(row.id)] = ++count_;
  return {};
}

Status ParsedArguments::CheckCommandTakesOptions() const {
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
  const char* const why =
      refused->commands.Has(Command::kStart) ? " is chosen at start: " : " is for other commands: ";
  return Error(Quote(Word(refused->id)) + why + std::string(command_->name) + " takes only " +
               Join(taken));
}

}  // namespace jprof
