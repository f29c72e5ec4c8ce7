import java.io.File;

/**
 * Keeps objects over a number of collections, with a dump after each collection.
 *
 * <p>usage: LiveCollections AGENT START LIBRARIES collections
 *
 * <p>START has the options of the start, including the file. The first collection comes right after
 * the last object is allocated. Prints kept, the bytes of the kept objects as the JVM counts them.
 */
public final class LiveCollections {
  static final int OBJECTS = 100_000;
  static final int LONGS = 16;

  static volatile Object sink;
  static Object[] kept = new Object[OBJECTS];

  static Object keep() {
    return new long[LONGS];
  }

  static Object drop() {
    return new long[LONGS];
  }

  /**
   * Fills the arrays, in a method of its own so that no frame of main refers to a dropped object.
   */
  static void fill() {
    for (int i = 0; i < OBJECTS; i++) {
      kept[i] = keep();
      sink = drop();
    }
    sink = null;
  }

  static long sizeOfOne() {
    long before = LiveTruth.bytes();
    long between = LiveTruth.bytes();
    for (int i = 0; i < 1000; i++) sink = drop();
    return (LiveTruth.bytes() - between - (between - before)) / 1000;
  }

  public static void main(String[] args) {
    Profiler profiler = new Profiler(args[0], new File(args[2]));
    long size = sizeOfOne();
    LiveTruth.expect(profiler.execute("start," + args[1]), "recording");
    fill();
    for (int i = Integer.parseInt(args[3]); i > 0; i--) {
      System.gc();
      LiveTruth.expect(profiler.execute("dump"), "dumped");
    }
    LiveTruth.expect(profiler.execute("stop"), "stopped");
    System.out.println("kept=" + OBJECTS * size);
  }
}
