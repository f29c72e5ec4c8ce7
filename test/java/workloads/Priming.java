import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Starts the profiler itself, then lets a thread of each kind use CPU time. Some kinds exist before
 * the start, and some come later.
 *
 * <p>usage: Priming agentLibrary startCommand nativeFolder burnMillis
 *
 * <p>Truth: cpu.KIND, the CPU nanoseconds that the thread of this kind used while the profiler ran
 * (for the compilers and the collector, all of their threads together); most.KIND, what they had
 * used until after the stop, because they can continue to work; tid.KIND.N, the kernel's ids of
 * these threads; status.KEY, the lines of the status before the stop; short.threads, the number of
 * native threads that lived for a millisecond.
 */
public final class Priming {
  private static final int SHORT_THREADS = 200;
  private static final long SHORT_NANOS = 1_000_000;

  private Priming() {}

  public static void main(String[] args) throws Exception {
    File folder = new File(args[2]);
    Profiler profiler = new Profiler(args[0], folder);
    long nanos = Long.parseLong(args[3]) * 1_000_000;
    System.load(new File(folder, "libpriming_early.so").getPath());

    CountDownLatch begin = new CountDownLatch(1);
    Thread javaOld = startBurner("java-old", begin, nanos);
    long nativeOld = prepareThread("native-old");
    List<String> compilers = tasksNamed("C1 Comp", "C2 Comp");
    List<String> collectors = tasksNamed("GC Thread#", "ParGC Thread#", "GC task thread#");

    printTids("compilers", compilers);
    printTids("collectors", collectors);
    Work.print("answer.start", profiler.execute(args[1]));
    long compilersBefore = cpuNanos(compilers);
    long collectorsBefore = cpuNanos(collectors);
    burnInNewThreads(folder, nanos);
    begin.countDown();
    javaOld.join();
    Work.print("cpu.native-old", releaseThread(nativeOld, nanos));
    Compiling.main(new String[] {"10"});
    collectGarbage();
    Work.print("cpu.compilers", cpuNanos(compilers) - compilersBefore);
    Work.print("cpu.collectors", cpuNanos(collectors) - collectorsBefore);
    for (String line : profiler.execute("status").split("\n")) {
      Work.print("status." + line.substring(0, 10).trim(), line.substring(10));
    }
    Work.print("answer.stop", profiler.execute("stop"));
    Work.print("most.compilers", cpuNanos(compilers) - compilersBefore);
    Work.print("most.collectors", cpuNanos(collectors) - collectorsBefore);
  }

  // Lets the watcher find the new threads. It only counts the threads, ten times a second: if a
  // thread ends and another one starts between two looks, only a later scan finds the new one.
  private static void letTheWatcherCount() throws InterruptedException {
    Thread.sleep(250);
  }

  private static void burnInNewThreads(File folder, long nanos) throws InterruptedException {
    letTheWatcherCount();
    startBurner("java-new", new CountDownLatch(0), nanos).join();
    letTheWatcherCount();
    Work.print("cpu.native-new", burnInThread("native-new", nanos));
    letTheWatcherCount();
    Work.print("cpu.attached", burnInAttachedThread("attached", nanos));
    letTheWatcherCount();
    System.load(new File(folder, "libpriming_late.so").getPath());
    Work.print("cpu.late-library", PrimingLate.burnInThread("late-library", nanos));
    letTheWatcherCount();
    String plugin = new File(folder, "libpriming_plugin.so").getPath();
    Work.print("cpu.plugin", burnInPlugin(plugin, "plugin", nanos));
    long used = 0;
    for (int i = 0; i < SHORT_THREADS; i++) {
      used += burnInThread("short", SHORT_NANOS);
    }
    Work.print("cpu.short", used);
    Work.print("short.threads", SHORT_THREADS);
  }

  private static Thread startBurner(String name, CountDownLatch begin, long nanos) {
    return Work.start(
        name,
        () -> {
          try {
            begin.await();
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
          printOwnTid(name);
          long before = Work.cpuNanos();
          Work.burn(nanos);
          Work.print("cpu." + name, Work.cpuNanos() - before);
        });
  }

  private static void printOwnTid(String kind) {
    try {
      // Does not use the canonical path, because older JDKs cache it.
      Path self = Files.readSymbolicLink(Paths.get("/proc/thread-self"));
      Work.print("tid." + kind + ".0", self.getFileName().toString());
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static void printTids(String kind, List<String> tasks) {
    for (int i = 0; i < tasks.size(); i++) {
      Work.print("tid." + kind + "." + i, new File(tasks.get(i)).getName());
    }
  }

  private static void collectGarbage() {
    List<Object> live = new ArrayList<>();
    for (int i = 0; i < 1_000_000; i++) {
      live.add(new int[] {i});
    }
    for (int i = 0; i < 12; i++) {
      System.gc();
    }
    Work.sink += live.size();
  }

  /** Returns the /proc folders of threads whose kernel name starts with one of `beginnings`. */
  private static List<String> tasksNamed(String... beginnings) throws IOException {
    List<String> tasks = new ArrayList<>();
    for (File task : new File("/proc/self/task").listFiles()) {
      String name;
      try {
        name = read(task + "/comm");
      } catch (IOException exception) {
        if (task.exists()) throw exception;
        continue;  // the thread has ended since the list was made
      }
      for (String beginning : beginnings) {
        if (name.startsWith(beginning)) {
          tasks.add(task.getPath());
        }
      }
    }
    return tasks;
  }

  private static long cpuNanos(List<String> tasks) throws IOException {
    long nanos = 0;
    for (String task : tasks) {
      nanos += Long.parseLong(read(task + "/schedstat").split(" ")[0]);
    }
    return nanos;
  }

  private static String read(String path) throws IOException {
    return new String(Files.readAllBytes(new File(path).toPath()), StandardCharsets.UTF_8);
  }

  /**
   * Creates a thread that waits to be released. Releasing it returns the CPU time that it used
   * until its end.
   */
  private static native long prepareThread(String name);

  private static native long releaseThread(long thread, long burnNanos);

  private static native long burnInThread(String name, long burnNanos);

  private static native long burnInAttachedThread(String name, long burnNanos);

  private static native long burnInPlugin(String library, String name, long burnNanos);
}
