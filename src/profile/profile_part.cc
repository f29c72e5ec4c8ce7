#include "profile/profile_part.h"

namespace jprof::profile {

uint32_t ProfilePart::Thread(uint32_t number) {
  uint32_t& mapped = PlaceOf(threads_, number, whole_.threads().size());
  if (mapped == 0) {
    ProfileThread thread = whole_.threads()[number];
    thread.os_name = Text(thread.os_name);
    thread.java_name = Text(thread.java_name);
    mapped = part_.ThreadNumber(thread) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::State(uint32_t number) {
  uint32_t& mapped = PlaceOf(states_, number, whole_.states.size());
  if (mapped == 0) mapped = part_.states.NumberOf(whole_.states[number]) + 1;
  return mapped - 1;
}

uint32_t ProfilePart::Kind(uint32_t number, SampleUnit unit) {
  uint32_t& mapped = PlaceOf(kinds_, number, whole_.kinds.size());
  if (mapped == 0) {
    const SampleKind& kind = whole_.kinds[number];
    // Several recordings together can have too many kinds: those beyond the limit count as the
    // last kind.
    mapped = part_.KindNumber(kind.name, unit, kind.preference)
                 .value_or(static_cast<uint32_t>(Profile::kMaxKinds - 1)) +
             1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Text(uint32_t number) {
  uint32_t& mapped = PlaceOf(texts_, number, whole_.texts.size());
  if (mapped == 0) mapped = part_.texts.NumberOf(whole_.texts[number]) + 1;
  return mapped - 1;
}

uint32_t ProfilePart::Method(uint32_t number) {
  uint32_t& mapped = PlaceOf(methods_, number, whole_.methods().size());
  if (mapped == 0) {
    const ProfileMethod& method = whole_.methods()[number];
    mapped =
        part_.MethodNumber({Text(method.owner), Text(method.name), Text(method.descriptor)}) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Frame(uint32_t number) {
  uint32_t& mapped = PlaceOf(frames_, number, whole_.frames().size());
  if (mapped == 0) {
    const ProfileFrame& frame = whole_.frames()[number];
    mapped = part_.FrameNumber({Method(frame.method), frame.line, frame.kind}) + 1;
  }
  return mapped - 1;
}

uint32_t ProfilePart::Stack(uint32_t number) {
  PlaceOf(stacks_, CallTree::kRoot, whole_.stacks.size()) = CallTree::kRoot + 1;
  path_.clear();
  while (PlaceOf(stacks_, number, whole_.stacks.size()) == 0) {
    path_.push_back(number);
    number = whole_.stacks.parent(number);
  }
  uint32_t mapped = stacks_[number] - 1;
  for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
    mapped = part_.stacks.Child(mapped, Frame(whole_.stacks.frame(*node)));
    stacks_[*node] = mapped + 1;
  }
  return mapped;
}

uint32_t ProfilePart::ReversedStack(uint32_t number) {
  uint32_t& mapped = PlaceOf(stacks_, number, whole_.stacks.size());
  if (mapped != 0) return mapped - 1;
  uint32_t reversed = CallTree::kRoot;
  for (uint32_t node = number; node != CallTree::kRoot; node = whole_.stacks.parent(node)) {
    reversed = part_.stacks.Child(reversed, Frame(whole_.stacks.frame(node)));
  }
  mapped = reversed + 1;
  return reversed;
}

uint32_t ProfilePart::Labels(uint32_t number) {
  if (number == 0) return 0;
  uint32_t& mapped = PlaceOf(labels_, number, whole_.label_sets().size());
  if (mapped == 0) {
    std::vector<ProfileLabel> labels = whole_.label_sets()[number];
    for (ProfileLabel& label : labels) {
      label.key = Text(label.key);
      label.value = Text(label.value);
    }
    mapped = part_.LabelsNumber(labels) + 1;
  }
  return mapped - 1;
}

void ProfilePart::AddProcess() {
  for (ProfileLibrary library : whole_.libraries) {
    library.path = Text(library.path);
    library.build_id = Text(library.build_id);
    part_.AddLibrary(library);
  }
  for (uint32_t name = 0; name < whole_.source_files().size(); ++name) {
    const uint32_t file = whole_.source_files()[name];
    if (file != 0) part_.AddSourceFile(Text(name), Text(file - 1));
  }
  const bool is_first = part_.jvm_version.empty() && part_.pid == 0;
  if (is_first) {
    part_.jvm_version = whole_.jvm_version;
    part_.java_arguments = whole_.java_arguments;
    part_.host_name = whole_.host_name;
    part_.filter = whole_.filter;
    part_.windows = whole_.windows;
    part_.pid = whole_.pid;
    return;
  }
  // The recordings can be of several processes: keeps only facts that are equal.
  if (part_.pid != whole_.pid) part_.pid = 0;
  if (part_.host_name != whole_.host_name) part_.host_name.clear();
}

}  // namespace jprof::profile
