import java.util.ArrayList;
import java.util.List;

/**
 * Runs out of memory in the requested way, while a daemon thread "burner" is busy.
 *
 * <p>usage: OutOfMemory way cpuMillis
 *
 * <p>Ways: heap (one thread fills it), crowd (eight threads fill it), large (an object larger than
 * the heap), array (longer than any array can be), thread (with a stack larger than any address
 * space), metaspace (an endless number of classes; run with a bound), overhead (collections that
 * free almost nothing), full (fills most of the heap, prints "full=", and makes garbage until it is
 * killed).
 *
 * <p>Truth: cpu.burner, its CPU nanoseconds just before the memory is requested. If the JVM
 * survives the error, the program prints "alive=" and the error, and ends; if `way` ends with "+",
 * it continues until it is killed.
 */
public final class OutOfMemory {
  private static final int FILLERS = 8;
  private static final int BLOCK = 1 << 18;
  private static final int SMALL = 64;

  /** The share of the heap that "full" fills. */
  private static final double FULL = 0.92;

  private static final List<Object> KEPT = new ArrayList<>();
  private static volatile Object garbage;

  private OutOfMemory() {}

  public static void main(String[] args) throws Exception {
    boolean goesOn = args[0].endsWith("+");
    String way = goesOn ? args[0].substring(0, args[0].length() - 1) : args[0];
    long cpuNanos = Long.parseLong(args[1]) * 1_000_000;
    Thread burner = Work.startDaemon("burner", Work::burnForever);
    long used;
    while ((used = Work.cpuNanos(burner)) < cpuNanos) {
      Thread.sleep(1);
    }
    Work.print("cpu.burner", used);
    try {
      runOut(way);
    } catch (OutOfMemoryError error) {
      KEPT.clear();
      Work.print("alive", error.getMessage());
    }
    if (goesOn) {
      Thread.currentThread().join();
    }
  }

  private static void runOut(String way) throws Exception {
    switch (way) {
      case "heap":
        fill(KEPT);
        return;
      case "crowd":
        for (int i = 1; i < FILLERS; i++) {
          Work.startDaemon("filler-" + i, () -> fill(new ArrayList<>()));
        }
        fill(KEPT);
        return;
      case "large":
        garbage = new long[Integer.MAX_VALUE / 4];
        return;
      case "array":
        garbage = new byte[Integer.MAX_VALUE];
        return;
      case "thread":
        new Thread(null, () -> {}, "too large", 1L << 46).start();
        return;
      case "metaspace":
        defineClasses();
        return;
      case "overhead":
        while (true) {
          KEPT.add(new byte[SMALL]);
        }
      case "full":
        fillMost();
        return;
      default:
        throw new IllegalArgumentException(way);
    }
  }

  private static void fill(List<Object> kept) {
    while (true) {
      kept.add(new byte[BLOCK]);
    }
  }

  private static void fillMost() {
    long wanted = (long) (Runtime.getRuntime().maxMemory() * FULL);
    for (long bytes = 0; bytes < wanted; bytes += SMALL * SMALL) {
      KEPT.add(new byte[SMALL * SMALL]);
    }
    Work.print("full", "");
    while (true) {
      garbage = new byte[SMALL * SMALL];
    }
  }

  private static void defineClasses() throws Exception {
    for (int i = 0; ; i++) {
      String name = "Made" + i;
      byte[] made = new MadeClass(name, 50).with("one", 20_000).bytes();
      KEPT.add(new Definer().define(name, made));
    }
  }

  private static final class Definer extends ClassLoader {
    Class<?> define(String name, byte[] bytes) {
      return defineClass(name, bytes, 0, bytes.length);
    }
  }
}
