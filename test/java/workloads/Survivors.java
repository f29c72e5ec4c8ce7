import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Random;

/**
 * Keeps as many objects as it is told and replaces them in a random order that is the same each
 * time, among others that are dropped: the same collections in each run, whose costs can be
 * compared. Prints collectorNanos, the CPU time of the threads that run while the program stands
 * still.
 *
 * <p>usage: Survivors <kept objects> <millions of allocated objects>
 */
public final class Survivors {
  static final int DROPPED = 7; // for each object that is kept for a while

  static final class Node {
    long a, b, c, d, e, f;
    Object g;
  }

  static volatile Object sink;

  static long collectorNanos() throws IOException {
    long nanos = 0;
    for (File task : new File("/proc/self/task").listFiles()) {
      String name = new String(Files.readAllBytes(new File(task, "comm").toPath())).trim();
      if (!name.equals("VM Thread") && !name.startsWith("GC Thread#")) continue;
      String times = new String(Files.readAllBytes(new File(task, "schedstat").toPath()));
      nanos += Long.parseLong(times.split(" ")[0]);
    }
    return nanos;
  }

  public static void main(String[] args) throws IOException {
    Object[] kept = new Object[Integer.parseInt(args[0])];
    for (int i = 0; i < kept.length; i++) kept[i] = new Node();
    Random random = new Random(1);
    for (long left = Long.parseLong(args[1]) * 1_000_000; left > 0; left -= DROPPED + 1) {
      for (int i = 0; i < DROPPED; i++) sink = new Node();
      kept[random.nextInt(kept.length)] = new Node();
    }
    sink = kept;
    System.out.println("collectorNanos=" + collectorNanos());
  }
}
