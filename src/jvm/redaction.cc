#include "jvm/redaction.h"

#include <algorithm>

namespace jprof {
namespace {

// The sensitive words. Before a name is searched for them, its letters are changed to lower case
// and its '-', '_' and '.' are removed, so that api-key, API_KEY and apiKey are the same.
constexpr std::string_view kSensitiveWords[] = {
    "password",   "passwd", "pwd",        "passphrase", "secret", "token",
    "credential", "apikey", "privatekey", "jwt",        "jaas",
};

// A word that is sensitive only in the name of a property: in an argument it would match --author.
constexpr std::string_view kSensitiveInKeysOnly = "auth";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string Normalized(std::string_view text) {
  std::string normal;
  for (const char c : text) {
    if (c != '-' && c != '_' && c != '.') normal += Lower(c);
  }
  return normal;
}

bool IsSensitive(std::string_view text) {
  const std::string normal = Normalized(text);
  return std::any_of(std::begin(kSensitiveWords), std::end(kSensitiveWords),
                     [&](std::string_view word) { return normal.find(word) != std::string::npos; });
}

bool IsSensitiveKey(std::string_view key) {
  return IsSensitive(key) || Normalized(key).find(kSensitiveInKeysOnly) != std::string::npos;
}

bool EndsInSensitiveWord(std::string_view option) {
  const std::string normal = Normalized(option);
  return std::any_of(std::begin(kSensitiveWords), std::end(kSensitiveWords),
                     [&](std::string_view word) { return normal.ends_with(word); });
}

// Redacts the user part of URLs: scheme://user:password@host -> scheme://[REDACTED]@host. A user
// without a password is redacted, too, because it is often a token.
std::string RedactUsersOfUrls(std::string_view text) {
  static constexpr std::string_view kSeparator = "://";
  std::string result;
  for (;;) {
    const size_t scheme_end = text.find(kSeparator);
    if (scheme_end == std::string_view::npos) return result.append(text);
    const size_t authority_begin = scheme_end + kSeparator.size();
    const size_t authority_end =
        std::min(text.find_first_of("/?# \t\"'", authority_begin), text.size());
    const std::string_view authority =
        text.substr(authority_begin, authority_end - authority_begin);
    const size_t at = authority.rfind('@');
    result.append(text.substr(0, authority_begin));
    if (at == std::string_view::npos) {
      result.append(authority);
    } else {
      result.append(kRedacted).append(authority.substr(at));
    }
    text.remove_prefix(authority_end);
  }
}

std::string WithoutValue(std::string_view up_to_equals) {
  return RedactUsersOfUrls(up_to_equals).append(kRedacted);
}

// Redacts the user parts of URLs. Also redacts everything after the first '=' that follows a
// sensitive name, as in "...password=x...". A secret can contain any delimiter, so its end cannot
// be recognised.
std::string RedactAssignments(std::string_view text) {
  static constexpr std::string_view kNameBreaks = "=?&;:, \t/\"'({[";
  for (size_t equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', equals + 1)) {
    const size_t before_name =
        equals == 0 ? std::string_view::npos : text.find_last_of(kNameBreaks, equals - 1);
    const size_t name = before_name == std::string_view::npos ? 0 : before_name + 1;
    if (IsSensitive(text.substr(name, equals - name))) {
      return WithoutValue(text.substr(0, equals + 1));
    }
  }
  return RedactUsersOfUrls(text);
}

// The words that are redacted because of one argument. kThisOnly: only the argument itself.
// kValueFollows: also the next word. kValueMayGoOn: in a command of which only the text is known,
// also all words up to the next option.
enum class Reach { kThisOnly, kValueFollows, kValueMayGoOn };

struct RedactedArgument {
  std::string text;
  Reach reach;
};

RedactedArgument RedactArgument(std::string_view argument) {
  if (!IsSensitive(argument)) return {RedactUsersOfUrls(argument), Reach::kThisOnly};
  const size_t equals = argument.find('=');
  if (equals != std::string_view::npos) {
    return {WithoutValue(argument.substr(0, equals + 1)), Reach::kValueMayGoOn};
  }
  if (argument.starts_with('-') && EndsInSensitiveWord(argument)) {
    return {std::string(argument), Reach::kValueFollows};
  }
  return {std::string(kRedacted), Reach::kValueMayGoOn};
}

std::vector<std::string_view> SplitAtSpaces(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const size_t space = text.find(' ');
    words.push_back(text.substr(0, space));
    if (space == std::string_view::npos) return words;
    text.remove_prefix(space + 1);
  }
}

}  // namespace

std::string RedactProperty(std::string_view key, std::string_view value) {
  if (key == "sun.java.command") return RedactJavaCommand(value);
  if (IsSensitiveKey(key)) return std::string(kRedacted);
  return RedactAssignments(value);
}

std::vector<std::string> RedactArguments(std::vector<std::string> arguments) {
  bool is_value = false;
  for (std::string& argument : arguments) {
    if (is_value) {
      argument = kRedacted;
      is_value = false;
      continue;
    }
    RedactedArgument redacted = RedactArgument(argument);
    argument = std::move(redacted.text);
    is_value = redacted.reach == Reach::kValueFollows;
  }
  return arguments;
}

std::string RedactJavaCommand(std::string_view command) {
  const std::vector<std::string_view> words = SplitAtSpaces(command);
  std::string result(words.front());  // a main class named TokenServer is no secret
  bool value_follows = false;         // the next word is a value, even if it starts with '-'
  bool in_value = false;              // words up to the next option might belong to a value
  for (size_t i = 1; i < words.size(); ++i) {
    if (value_follows) {
      result.append(" ").append(kRedacted);
      value_follows = false;
      in_value = true;
      continue;
    }
    if (in_value && !words[i].starts_with('-')) continue;
    const RedactedArgument redacted = RedactArgument(words[i]);
    result.append(" ").append(redacted.text);
    value_follows = redacted.reach == Reach::kValueFollows;
    in_value = redacted.reach == Reach::kValueMayGoOn;
  }
  return result;
}

}  // namespace jprof
