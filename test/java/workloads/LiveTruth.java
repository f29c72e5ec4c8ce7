import java.io.File;

/**
 * Keeps objects of known sizes and drops others while a recording runs. Prints what is alive at
 * each snapshot, by class, in bytes as the JVM counts them.
 *
 * <p>usage: LiveTruth AGENT START LIBRARIES [snapshots]
 *
 * <p>START has the options of the start, including the file. Without `snapshots`, the program fills
 * the heap, forces a collection for a dump, drops half of the objects, and forces another
 * collection; it ends with a stop. With `snapshots`, it makes so many dumps with forced
 * collections, and drops nothing.
 */
public final class LiveTruth {
  /** An object of a header and 96 bytes. */
  static final class Small {
    long a, b, c, d, e, f, g, h, i, j, k, l;
  }

  static final class Dropped {
    long a, b, c, d, e, f, g, h, i, j, k, l;
  }

  static final int SMALL = 300_000;
  static final int MEDIUM = 30_000;  // objects of 1 KB
  static final int LARGE = 48;  // objects of 1 MB

  static volatile Object sink;
  static Object[][] kept = new Object[3][];

  static long bytes() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  static Object small() {
    return new Small();
  }

  static Object medium() {
    return new long[128];
  }

  static Object large() {
    return new byte[1 << 20];
  }

  static Object of(int kind) {
    return kind == 0 ? small() : kind == 1 ? medium() : large();
  }

  static long sizeOf(int kind) {
    int turns = kind == 2 ? 10 : 10_000;  // many, because bytes() itself allocates too
    sink = of(kind);
    long before = bytes();
    for (int i = 0; i < turns; i++) sink = of(kind);
    sink = null;
    return (bytes() - before) / turns;
  }

  static void drop(int objects) {
    for (int i = 0; i < objects; i++) sink = new Dropped();
    sink = null;
  }

  /** Allocates objects that are kept, mixed with objects that are dropped. */
  static void fill() {
    int[] counts = {SMALL, MEDIUM, LARGE};
    for (int kind = 0; kind < 3; kind++) kept[kind] = new Object[counts[kind]];
    for (int i = 0; i < SMALL; i++) {
      kept[0][i] = small();
      if (i % (SMALL / MEDIUM) == 0) kept[1][i / (SMALL / MEDIUM)] = medium();
      if (i % (SMALL / LARGE) == 0) kept[2][i / (SMALL / LARGE)] = large();
      drop(2);
    }
  }

  static void dropHalf() {
    for (Object[] all : kept) {
      for (int i = 0; i < all.length; i += 2) all[i] = null;
    }
  }

  static void print(String phase) {
    String[] names = {"Small", "medium", "large"};
    for (int kind = 0; kind < 3; kind++) {
      long alive = 0;
      for (Object each : kept[kind]) alive += each == null ? 0 : 1;
      System.out.println(phase + "." + names[kind] + "=" + alive * sizeOf(kind));
    }
    System.out.flush();
  }

  static void expect(String answer, String begin) {
    System.out.println("answer: " + answer.replace('\n', ' '));
    if (!answer.startsWith(begin)) System.exit(3);
  }

  public static void main(String[] args) {
    bytes();
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    expect(profiler.execute("start," + args[1]), "recording");
    fill();
    if (args.length > 3) {
      for (int i = Integer.parseInt(args[3]); i > 0; i--) {
        expect(profiler.execute("dump,gc"), "dumped");
        drop(SMALL);
      }
    } else {
      expect(profiler.execute("dump,gc"), "dumped");
      print("filled");
      dropHalf();
      drop(SMALL);
      expect(profiler.execute("dump,gc"), "dumped");
    }
    print("last");
    expect(profiler.execute("stop,gc"), "stopped");
  }
}
