// JdkList: the JDKs that the integration tests run on, one of each major release.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace jprof::test {

constexpr int kFirstMajorWithJfrReader = 11;  // jdk.jfr.consumer, JEP 328
constexpr int kFirstMajorWithVirtualThreads = 21;
constexpr int kFirstMajorWithJfrView = 21;
// From this release on a virtual thread leaves its carrier while it waits for a monitor (JEP 491),
// and the VM names the thread that a carrier runs without a look into the heap.
constexpr int kFirstMajorWithOwnerIds = 24;

struct Jdk {
  int major = 0;
  std::string home;

  std::string Tool(const std::string& name) const { return home + "/bin/" + name; }
};

// Prints the name of a test parameter: "Jdk17".
std::ostream& operator<<(std::ostream& stream, const Jdk& jdk);

// Returns every JDK under /usr/lib/jvm and in $JPROF_JDKS (homes separated by ':', which take
// precedence), in ascending order of major release. Reads each home's `release` file; starts no
// process.
std::vector<Jdk> JdkList();

// Returns the JDKs of JdkList() from a major release on.
std::vector<Jdk> JdksFrom(int first_major);

// Returns only the last JDK of JdkList(); none if the list is empty.
std::vector<Jdk> NewestJdk();

// Returns the releases that the project supports and JdkList() lacks.
std::vector<int> MissingJdkMajors();

// Returns the installed JDK that reads recordings of `jdk`: itself, or the newest if it has no JFR
// reader.
Jdk ReaderOf(const Jdk& jdk);

}  // namespace jprof::test
