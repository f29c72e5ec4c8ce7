// Puts probes into every method of every class file below a folder, and writes the classes that got
// probes to another folder, with the same relative paths. Tests run these classes.
//
// usage: probe_classes FROM TO TARGET_CLASS [METHODS]
//
// Prints the numbers of classes and methods, and the reasons why methods got no probes. Writes the
// name of each probed method to the file METHODS, in the order of their ids. Fails if a class
// cannot be read.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "instrument/add_probes.h"

namespace {

namespace fs = std::filesystem;
namespace instrument = jprof::instrument;

std::vector<uint8_t> ReadWhole(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Corpus {
 public:
  Corpus(fs::path from, fs::path to, std::string_view target)
      : from_(std::move(from)), to_(std::move(to)) {
    target_.class_name = target;
  }

  void Probe(const fs::path& path, std::ostream& methods) {
    const std::vector<uint8_t> bytes = ReadWhole(path);
    const auto start = std::chrono::steady_clock::now();
    instrument::ProbeReport report;
    const auto probed = instrument::AddProbes(
        bytes, target_, [this](const instrument::MethodToProbe&) { return next_id_++; }, &report);
    time_ += std::chrono::steady_clock::now() - start;
    ++classes_;
    if (!probed.ok()) {
      ++failures_;
      std::printf("%s: %s\n", path.c_str(), probed.error().message().c_str());
      return;
    }
    const fs::path relative = fs::relative(path, from_);
    for (const instrument::MethodReport& method : report.methods) {
      methods << relative.string() << ' ' << method.name << method.descriptor << '\n';
      if (method.not_probed) ++not_probed_[instrument::NotProbedText(*method.not_probed)];
    }
    methods_probed_ += report.Probed();
    bytes_before_ += bytes.size();
    bytes_after_ += probed.value().empty() ? bytes.size() : probed.value().size();
    if (probed.value().empty()) return;
    ++classes_probed_;
    fs::create_directories((to_ / relative).parent_path());
    std::ofstream out(to_ / relative, std::ios::binary);
    out.write(reinterpret_cast<const char*>(probed.value().data()),
              static_cast<std::streamsize>(probed.value().size()));
  }

  int Report() const {
    std::printf(
        "classes=%zu probed=%zu unreadable=%zu methods_probed=%zu bytes=%zu->%zu seconds=%.2f\n",
        classes_, classes_probed_, failures_, methods_probed_, bytes_before_, bytes_after_,
        std::chrono::duration<double>(time_).count());
    for (const auto& [reason, count] : not_probed_) {
      std::printf("not probed: %s: %zu\n", std::string(reason).c_str(), count);
    }
    return failures_ == 0 ? 0 : 1;
  }

 private:
  const fs::path from_;
  const fs::path to_;
  instrument::ProbeTarget target_;
  uint32_t next_id_ = 0;
  size_t classes_ = 0;
  size_t classes_probed_ = 0;
  size_t failures_ = 0;
  size_t methods_probed_ = 0;
  size_t bytes_before_ = 0;
  size_t bytes_after_ = 0;
  std::map<std::string_view, size_t> not_probed_;
  std::chrono::steady_clock::duration time_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  Corpus corpus(argv[1], argv[2], argv[3]);
  std::ofstream methods(argc == 5 ? argv[4] : "/dev/null");
  for (const auto& entry : fs::recursive_directory_iterator(argv[1])) {
    if (entry.path().extension() == ".class" && entry.path().filename() != "module-info.class") {
      corpus.Probe(entry.path(), methods);
    }
  }
  return corpus.Report();
}
