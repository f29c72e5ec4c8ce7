// FormatRow describes an output format: its names, its properties, and the function that makes its
// FormatWriter. FormatOptions has the user's options for a writer, and FormatContext what it needs
// to know about a profile. Plain data, usable on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "sources/source_text.h"

namespace jprof {

class OutputStream;

// FormatContext describes a profile to a writer, in addition to the profile itself.
struct FormatContext {
  // The chosen kind: a format of one kind writes it, and a format of several kinds can show it
  // first. nullopt if there are no samples.
  std::optional<uint32_t> kind = std::nullopt;
  std::string title = {};
  std::string missing = {};                 // the unreadable part of the recording; empty if none
  std::vector<std::string> selection = {};  // the chosen part: "--thread main"; empty if all
};

// FormatWriter writes a profile in one format. A row of a format table makes it.
//
// Used by one thread, which calls OnBegin once, then OnSample and OnEvent in the order of the
// recordings, and then Write once. A writer keeps what it needs of samples and events, whose
// numbers refer to tables of the profile that Write gets.
class FormatWriter : public profile::SampleSink {
 public:
  // Writes the profile to `out`, after the last sample. Errors of `out` are not returned: the
  // caller checks them. Other errors are one line with a remedy. REQUIRES: called once.
  virtual Status Write(const profile::Profile& profile, const FormatContext& context,
                       OutputStream& out) = 0;
};

enum class ThreadFrames : uint8_t { kNone, kFirst };
enum class TierSuffixes : uint8_t { kAppend, kOmit };

// TableOptions apply only to tables (jprof view).
struct TableOptions {
  std::string type =
      {};  // the event type whose fields are the columns; if empty, all types are listed
  std::string sort = {};  // name of a column; empty for the table's usual order
  size_t limit = 0;       // the most rows; 0 for all
  size_t width = 0;       // width of the terminal in characters; 0 if unlimited
  bool is_json = false;
};

// FormatOptions say how to write a profile. A format uses those that apply to it.
struct FormatOptions {
  std::optional<profile::Weigh> total = std::nullopt;  // nullopt for the format's default

  // Collapsed stacks only.
  ThreadFrames threads = ThreadFrames::kNone;  // kFirst: "[name tid=123]" is the outermost frame
  TierSuffixes suffixes = TierSuffixes::kAppend;

  TableOptions table = {};

  FindSource find_source = {};  // finds sources of methods, for html and firefox; can be empty
  std::string editor = {};      // what opens lines of sources, for html: see EditorAddress::Parse
};

// The kinds of samples in one output.
enum class FormatKinds : uint8_t {
  kOne,       // one kind: the one that was chosen
  kAll,       // all kinds, or those that were chosen
  kAllShown,  // all kinds; the output opens on one of them
};

enum class FormatContent : uint8_t {
  kLines,     // lines of text, to be read on a terminal
  kDocument,  // text for programs: a page, JSON
  kBinary,
  kGzip,  // bytes that are always compressed, whatever the file is called
};

// The orders of frames that a writer accepts in stacks.
enum class FormatStacks : uint8_t {
  kBothWays,
  // The writer derives properties of inlined frames from their callers, so reversed stacks
  // (--reverse) are refused.
  kFromRoot,
};

// When a format gets the line numbers of frames.
enum class FormatLines : uint8_t { kIfAsked, kAlways };

struct FormatRow {
  std::string_view name;        // for --format
  std::string_view extensions;  // separated by blanks, in lower case; the usual one comes first
  std::string_view viewer;      // advice for the user: how to look at the output
  FormatKinds kinds;
  FormatLines lines;
  FormatContent content;
  std::unique_ptr<FormatWriter> (*make)(const FormatOptions& options);
  FormatStacks stacks = FormatStacks::kBothWays;
};

// Turns a row of formats.def into the initializer of a FormatRow.
#define JPROF_FORMAT_ROW(name, extensions, viewer, kinds, lines, content, ...)                     \
  {name,       extensions, viewer, FormatKinds::kinds, FormatLines::lines, FormatContent::content, \
   __VA_ARGS__},

}  // namespace jprof
