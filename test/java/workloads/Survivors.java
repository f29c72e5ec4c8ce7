import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Random;

/**
 * Keeps a given number of objects and replaces them in random order, among other objects that are
 * dropped. Each window (a measured part) has the same collections, so that their costs can be
 * compared.
 *
 * <p>usage: Survivors keptObjects millionsOfObjectsPerWindow
 *
 * <p>Prints "ready=". For each line of standard input, runs a window, and prints collections, and
 * nanos, the CPU time per collection of the threads that run while the program is stopped.
 */
public final class Survivors {
  static final int DROPPED = 7;  // dropped objects for each object that is kept

  static final class Node {
    long a, b, c, d, e, f;
    Object g;
  }

  static volatile Object sink;

  static long collectorNanos() throws IOException {
    long nanos = 0;
    for (File task : new File("/proc/self/task").listFiles()) {
      try {
        String name = new String(Files.readAllBytes(new File(task, "comm").toPath())).trim();
        if (!name.equals("VM Thread") && !name.startsWith("GC Thread#")) continue;
        String times = new String(Files.readAllBytes(new File(task, "schedstat").toPath()));
        nanos += Long.parseLong(times.split(" ")[0]);
      } catch (IOException exception) {
        if (task.exists()) throw exception;  // else the thread has ended since the list was made
      }
    }
    return nanos;
  }

  static long collections() {
    long count = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      count += Math.max(0, collector.getCollectionCount());
    }
    return count;
  }

  static void replace(Object[] kept, long objects, Random random) {
    for (long left = objects; left > 0; left -= DROPPED + 1) {
      for (int i = 0; i < DROPPED; i++) sink = new Node();
      kept[random.nextInt(kept.length)] = new Node();
    }
  }

  public static void main(String[] args) throws IOException {
    Object[] kept = new Object[Integer.parseInt(args[0])];
    for (int i = 0; i < kept.length; i++) kept[i] = new Node();
    long objects = Long.parseLong(args[1]) * 1_000_000;
    Random random = new Random(1);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready=");
    while (in.readLine() != null) {
      System.gc();  // makes each window start with an empty young generation
      long count = collections();
      long nanos = collectorNanos();
      replace(kept, objects, random);
      nanos = collectorNanos() - nanos;
      count = collections() - count;
      System.out.println("collections=" + count);
      System.out.println("nanos=" + nanos / Math.max(1, count));
    }
    sink = kept;
  }
}
