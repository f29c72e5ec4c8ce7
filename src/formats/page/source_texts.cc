#include "formats/page/source_texts.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/modified_utf8.h"
#include "formats/page/editor_address.h"
#include "formats/varint_stream.h"
#include "profile/class_text.h"
#include "sources/source_text.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleTable;

// A source file that declares classes of the page.
struct File {
  std::string name;        // "com/example/Main.java"
  std::string class_name;  // an outermost class of the file: "com.example.Main"
  std::string file_name;   // name of the file in the recording; empty if it has none
  double weight = 0;
  std::string path = {};  // path that an editor can open; empty if unknown
  std::string text = {};
};

// Returns, for every frame of the page, the weight of the frame and its callees. To add the weights
// of different kinds, each is taken as a share of all samples of its kind.
std::vector<double> WeightsOf(const PageModel& page) {
  const Profile& profile = page.profile;
  std::vector<double> sums(profile.kinds.size());
  page.table.ForEach([&](uint32_t group, uint32_t /*stack*/, const SampleTable::WeightSum& sum) {
    sums[page.table.groups()[group].kind] += static_cast<double>(sum.weight);
  });
  std::vector<double> stacks(profile.stacks.size());
  page.table.ForEach([&](uint32_t group, uint32_t stack, const SampleTable::WeightSum& sum) {
    stacks[stack] += static_cast<double>(sum.weight) / sums[page.table.groups()[group].kind];
  });
  std::vector<double> weights(page.frames.frames.size());
  for (auto stack = static_cast<uint32_t>(stacks.size()); stack-- > 1;) {
    weights[page.frames.of_frame[profile.stacks.frame(stack)]] += stacks[stack];
    stacks[profile.stacks.parent(stack)] += stacks[stack];
  }
  return weights;
}

// Returns the source file of a class. If the class was made at run time, like the class of a
// lambda, returns the source file of its outermost class.
File FileOf(const Profile& profile, std::string_view class_name) {
  const std::string_view outermost = class_name.substr(0, class_name.find('$'));
  std::string_view file_name = profile.SourceFileOf(class_name);
  if (file_name.empty()) file_name = profile.SourceFileOf(outermost);
  return {.name = profile::SourcePathOf(outermost, file_name),
          .class_name = std::string(outermost),
          .file_name = std::string(file_name)};
}

// Files has the source files of the page's methods.
class Files {
 public:
  explicit Files(const PageModel& page) {
    const std::vector<double> weights = WeightsOf(page);
    std::map<std::string, size_t, std::less<>> numbers;
    for (size_t i = 0; i < weights.size(); ++i) {
      const auto& [owner, name, is_symbol] = page.frames.frames[i];
      File file = is_symbol != 0 || weights[i] == 0
                      ? File()
                      : FileOf(page.profile, page.frames.owners[owner]);
      if (file.name.empty()) {
        of_frame_.push_back(0);
        continue;
      }
      const auto [at, is_new] = numbers.emplace(file.name, files_.size());
      if (is_new) files_.push_back(std::move(file));
      files_[at->second].weight += weights[i];
      of_frame_.push_back(at->second + 1);
    }
  }

  // Reads the files with the most weight. Returns a text about the files that are left out. The
  // text is empty if no file is left out.
  std::string ReadBy(const FindSource& find) {
    std::vector<File*> order;
    for (File& file : files_) order.push_back(&file);
    std::sort(order.begin(), order.end(),
              [](const File* a, const File* b) { return a->weight > b->weight; });
    size_t count = 0, bytes = 0, left_out = 0;
    for (File* const file : order) {
      // A file beyond the limits counts as left out. It is not searched for, so a file that does
      // not exist can count, too.
      if (count == SourceTexts::kMaxFiles || bytes >= SourceTexts::kMaxBytes) {
        ++left_out;
        continue;
      }
      Result<SourceText> source = find(file->class_name, file->file_name);
      if (!source) continue;
      if (source.value().is_file) file->path = source.value().place;
      if (source.value().text.size() > SourceTexts::kMaxFileBytes) {
        ++left_out;
        continue;
      }
      file->text = Utf8FromModifiedUtf8(source.value().text);
      bytes += file->text.size();
      ++count;
    }
    if (left_out == 0) return {};
    return "The page has the " + std::to_string(count) +
           " source files with the most samples; those of " + std::to_string(left_out) +
           " classes are left out.";
  }

  void Write(bool needs_whole_path, JsonWriter& json) const {
    json.BeginArray("sources");
    for (const File& file : files_) {
      json.BeginObject();
      json.Text("name", file.name);
      json.Text("path", needs_whole_path || !file.path.empty() ? file.path : file.name);
      json.Text("text", file.text);
      json.EndObject();
    }
    json.EndArray();
    VarintStream numbers;
    for (const size_t number : of_frame_) numbers.Add(number);
    json.Text("sourceOf", numbers.Base64());
  }

 private:
  std::vector<File> files_;
  std::vector<size_t> of_frame_;  // index into files_, plus 1; 0 if none
};

}  // namespace

SourceTexts::SourceTexts(const FormatOptions& options)
    : find_source_(options.find_source), editor_(options.editor) {}

Status SourceTexts::Write(const PageModel& page, JsonWriter& json) {
  json.Text("lines", page.lines.Base64());
  json.Text("linesNote", page.lines.IsTooLarge()
                             ? "The recording has too many different stacks for its lines to be "
                               "in a page: convert a part of it."
                             : "");
  const Result<EditorAddress> editor = EditorAddress::Parse(editor_);
  if (!editor) return editor.error();
  if (!find_source_ && editor_.empty()) return {};
  Files files(page);
  json.Text("sourcesNote", find_source_ ? files.ReadBy(find_source_) : std::string());
  files.Write(editor.value().needs_whole_path, json);
  json.Text("editor", editor.value().text);
  json.Texts("editorSchemes", EditorAddress::Schemes());
  return {};
}

}  // namespace jprof
