// JdkList: the JDKs that the integration tests run on, one of each major release.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace jprof::test {

constexpr int kFirstMajorWithJfrReader = 11;  // jdk.jfr.consumer, JEP 328.
constexpr int kFirstMajorWithVirtualThreads = 21;
constexpr int kFirstMajorWithJfrView = 21;
// A virtual thread leaves its carrier while it waits for a monitor (JEP 491), and the VM says whom a
// carrier runs without a look into the heap.
constexpr int kFirstMajorWithOwnerIds = 24;
// The VM says where the frames are that a virtual thread has left in the heap.
constexpr int kFirstMajorWithContinuationEntry = 25;

struct Jdk {
  int major = 0;
  std::string home;

  std::string Tool(const std::string& name) const { return home + "/bin/" + name; }
};

// Names a test parameter: "Jdk17".
std::ostream& operator<<(std::ostream& stream, const Jdk& jdk);

// Every JDK under /usr/lib/jvm and in $JPROF_JDKS (homes separated by ':', which win over the
// former), ascending by major release. Reads each home's `release` file; starts no process.
std::vector<Jdk> JdkList();

// Those of JdkList() from a major release on.
std::vector<Jdk> JdksFrom(int first_major);

// The last of JdkList() alone; none where it is empty.
std::vector<Jdk> NewestJdk();

// The releases the project supports that JdkList() lacks.
std::vector<int> MissingJdkMajors();

// The installed JDK that reads recordings of `jdk`: itself, or the newest if it has no JFR reader.
Jdk ReaderOf(const Jdk& jdk);

}  // namespace jprof::test
