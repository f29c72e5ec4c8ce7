// FormatRow describes an output format: its names, its properties, and the function that makes its
// FormatWriter. FormatOptions holds the options that the user chose for a writer. FormatContext
// holds facts about a profile that the writer cannot find in the profile itself. FormatRow,
// FormatOptions and FormatContext are plain data, usable on any thread.
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
  // The chosen kind; nullopt if there are no samples. A format of one kind writes only this kind. A
  // format of several kinds can show this kind first.
  std::optional<uint32_t> kind = std::nullopt;
  std::string title = {};
  std::string missing = {};                 // the unreadable part of the recording; empty if none
  std::vector<std::string> selection = {};  // options that select a part: "--thread main"
};

// FormatWriter writes a profile in one format. FormatRow::make makes the writer.
//
// Used by one thread, which calls OnBegin once, then OnSample and OnEvent in the order of the
// recordings, and then Write once. The writer itself has to keep the data of samples and events
// that Write needs. The numbers in samples and events refer to tables of the profile that is passed
// to Write.
class FormatWriter : public profile::SampleSink {
 public:
  // Writes the profile to `out`, after the last sample. Errors of `out` are not returned: the
  // caller checks them. Other errors are one line with a remedy. REQUIRES: called once.
  virtual Status Write(const profile::Profile& profile, const FormatContext& context,
                       OutputStream& out) = 0;

  // Returns ConvertReport::finding. Called after Write.
  virtual std::string Finding() const { return {}; }
};

enum class ThreadFrames : uint8_t { kNone, kFirst };
enum class TierSuffixes : uint8_t { kAppend, kOmit };

// TableOptions apply only to the tables that `jprof view` shows.
struct TableOptions {
  // The event type whose fields are the columns. If it is empty, the table lists all event types.
  std::string type = {};
  std::string sort = {};         // name of a column; empty for the table's usual order
  size_t limit = 0;              // the maximum number of rows; 0 for all
  bool has_only_errors = false;  // the view `differences` shows only wrong stacks
  size_t width = 0;              // width of the terminal in characters; 0 if unlimited
  bool is_json = false;
};

// FormatOptions say how to write a profile. A format ignores the options that do not apply to it.
struct FormatOptions {
  std::optional<profile::Weigh> total = std::nullopt;  // nullopt for the format's default

  // Collapsed stacks only.
  ThreadFrames threads = ThreadFrames::kNone;  // kFirst: "[name tid=123]" is the outermost frame
  TierSuffixes suffixes = TierSuffixes::kAppend;

  TableOptions table = {};

  FindSource find_source = {};  // finds sources of methods, for html and firefox; can be empty
  std::string editor = {};      // editor that opens lines, for html (EditorAddress::Parse)
};

// The kinds of samples in one output.
enum class FormatKinds : uint8_t {
  kOne,       // only the chosen kind
  kAll,       // all kinds, or only the chosen kinds
  kAllShown,  // all kinds; the output shows the chosen kind first
};

enum class FormatContent : uint8_t {
  kLines,     // lines of text, to be read on a terminal
  kDocument,  // text for programs: a page, JSON
  kBinary,
  kGzip,  // bytes that are always compressed, whatever the extension of the file
};

// The orders of frames that a writer accepts in stacks.
enum class FormatStacks : uint8_t {
  kBothWays,
  // Only stacks that start at the root. Reversed stacks (--reverse) are refused, because the writer
  // derives properties of an inlined frame from the frame's caller.
  kFromRoot,
};

// The condition under which a writer gets the line numbers of frames.
enum class FormatLines : uint8_t { kIfAsked, kAlways };

struct FormatRow {
  std::string_view name;        // the value of --format
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
