import java.io.File;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Allocates in difficult situations, and prints the bytes of each class, as the JVM counts them.
 *
 * <p>usage: AllocationPhases memory objects, or unloading classes megabytesOfEach, or
 * restarts|collecting agentLibrary nativeFolder startCommand recordings. The start command has N in
 * place of the number of the recording.
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

  /** Allocates objects before, between and after OutOfMemoryErrors. */
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

  /** Allocates arrays of classes that are unloaded soon after. */
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

  /**
   * Allocates on a thread that exists before the first recording: before, in and after each one.
   */
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

  static final int KEPT = 250_000;

  /**
   * Runs collections of many live objects, one after another, until it is told to end.
   */
  static final class Collector extends Thread {
    static final int OBJECTS = 100_000;
    static final int COLLECTIONS = 8;  // before the end; the profiler looks at live objects between

    private final List<long[]> collections = new ArrayList<>();  // {start, end} in uptime()
    private boolean isCollecting;
    private boolean isDone;
    private CountDownLatch first;

    @Override
    public void run() {
      Object[] kept = new Object[OBJECTS];
      for (int i = 0; i < OBJECTS; i++) kept[i] = new int[4];
      while (isAsked()) {
        long start = uptime();
        System.gc();
        collections.add(new long[] {start, uptime()});
        synchronized (this) {
          first.countDown();
        }
      }
      sink = kept;
    }

    private synchronized boolean isAsked() {
      try {
        while (!isCollecting && !isDone) wait();
      } catch (InterruptedException nobodyDoes) {
        return false;
      }
      return !isDone;
    }

    /** Starts collecting, and returns after some collections. */
    void begin() throws InterruptedException {
      CountDownLatch latch = new CountDownLatch(COLLECTIONS);
      synchronized (this) {
        first = latch;
        isCollecting = true;
        notifyAll();
      }
      latch.await();
    }

    synchronized void pause() {
      isCollecting = false;
    }

    synchronized void end() {
      isDone = true;
      notifyAll();
    }

    /** True if a collection was running between the two times. REQUIRES: the thread has ended. */
    boolean hasCollected(long from, long to) {
      return collections.stream().anyMatch(each -> each[0] < to && each[1] > from);
    }
  }

  static long uptime() {
    return java.lang.management.ManagementFactory.getRuntimeMXBean().getUptime();
  }

  static Small[] keepSmall(int count) {
    Small[] kept = new Small[count];
    for (int i = 0; i < count; i++) kept[i] = new Small();
    return kept;
  }

  /** Makes recordings that end during a collection, with many live objects. */
  static void collecting(String[] args) throws InterruptedException {
    Profiler profiler = new Profiler(args[1], new File(args[2]));
    long before = AllocationTruth.bytes();
    makeSmall(KEPT);
    long bytesOfSmall = (AllocationTruth.bytes() - before) / KEPT;
    Collector collector = new Collector();
    collector.start();
    List<long[]> stops = new ArrayList<>();
    for (int i = 1; i <= Integer.parseInt(args[4]); i++) {
      Work.print("answer.start." + i, profiler.execute(args[3].replace("N.jfr", i + ".jfr")));
      Small[] kept = keepSmall(KEPT);
      Work.print("small." + i, KEPT * bytesOfSmall);
      collector.begin();
      long start = uptime();
      Work.print("answer.stop." + i, profiler.execute("stop").replace('\n', ';'));
      stops.add(new long[] {start, uptime()});
      collector.pause();
      sink = kept;
    }
    collector.end();
    collector.join();
    long count = stops.stream().filter(each -> collector.hasCollected(each[0], each[1])).count();
    Work.print("stopsInCollections", count);
  }

  public static void main(String[] args) throws InterruptedException {
    AllocationTruth.bytes();
    switch (args[0]) {
      case "memory":
        memory(Long.parseLong(args[1]));
        break;
      case "unloading":
        unloading(Integer.parseInt(args[1]), Long.parseLong(args[2]) << 20);
        break;
      case "collecting":
        collecting(args);
        break;
      default:
        restarts(args);
    }
  }
}
