import java.io.File;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * Allocates where it is awkward, and prints how many bytes of which class, as the JVM counts them.
 *
 * <p>usage: AllocationPhases memory <objects> | unloading <classes> <megabytes of each> | restarts
 * <agent> <folder of libprofiler_control.so> <start command, with N for the number> <recordings>
 */
public final class AllocationPhases {
  static final class Small {
    long a, b, c, d, e, f;
  }

  static volatile Object sink;

  static void makeSmall(long count) {
    for (long i = 0; i < count; i++) {
      sink = new Small();
    }
  }

  /** Objects before, between and after errors for want of memory. */
  static void memory(long count) {
    long before = AllocationTruth.bytes();
    makeSmall(count / 2);
    long small = AllocationTruth.bytes() - before;
    int errors = 0;
    for (int i = 0; i < 3; i++) {
      List<long[]> kept = new ArrayList<>();
      try {
        while (true) kept.add(new long[1 << 17]);
      } catch (OutOfMemoryError expected) {
        kept.clear();
        errors++;
      }
    }
    before = AllocationTruth.bytes();
    makeSmall(count / 2);
    Work.print("small", small + AllocationTruth.bytes() - before);
    Work.print("errors", errors);
  }

  /** Arrays of classes that are gone soon after. */
  static void unloading(int classes, long bytesOfEach) {
    byte[] original = FreshClass.bytesOf("StormBurner");
    for (int i = 0; i < classes; i++) {
      String name = String.format("Gone%07d", i);
      Class<?> type = FreshClass.define(name, FreshClass.renamed(original, "StormBurner", name));
      long before = AllocationTruth.bytes();
      long between = AllocationTruth.bytes();
      for (long made = 0; made < bytesOfEach; made += 8000) {
        sink = Array.newInstance(type, 2000);
      }
      Work.print("class." + name, AllocationTruth.bytes() - between - (between - before));
      sink = null;
      type = null;
      if (i % 10 == 9) System.gc();
    }
    Work.print(
        "unloaded",
        java.lang.management.ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
  }

  /** A thread that was there before allocates before, in and after each recording. */
  static void restarts(String[] args) {
    Profiler profiler = new Profiler(args[1], new File(args[2]));
    makeSmall(50_000);
    for (int i = 1; i <= Integer.parseInt(args[4]); i++) {
      Work.print("answer.start." + i, profiler.execute(args[3].replace("N.jfr", i + ".jfr")));
      long before = AllocationTruth.bytes();
      makeSmall(2_000_000);
      long after = AllocationTruth.bytes();
      Work.print("status." + i, profiler.execute("status").replace('\n', ';'));
      Work.print("answer.stop." + i, profiler.execute("stop").replace('\n', ';'));
      Work.print("small." + i, after - before);
      makeSmall(1_000_000);
    }
  }

  public static void main(String[] args) {
    AllocationTruth.bytes();
    switch (args[0]) {
      case "memory":
        memory(Long.parseLong(args[1]));
        break;
      case "unloading":
        unloading(Integer.parseInt(args[1]), Long.parseLong(args[2]) << 20);
        break;
      default:
        restarts(args);
    }
  }
}
