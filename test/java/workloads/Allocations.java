import java.lang.management.ManagementFactory;

/**
 * Allocates objects of two classes, and prints the bytes of each, as the JVM counts them.
 *
 * <p>usage: Allocations smallObjects arrays [virtualThreads]
 *
 * <p>With virtual threads (JDK 21): after main, the virtual threads allocate at the same time, each
 * as many small objects as main has. virtual.ID is the number of the thread with that id.
 */
public final class Allocations {
  static final class Small {
    long a, b, c, d, e, f, g, h, i, j;
  }

  static final int TURNS = 100;

  static volatile Object sink;

  static void makeSmall(int count) {
    for (int i = 0; i < count; i++) {
      sink = new Small();
    }
  }

  static void makeArrays(int count) {
    for (int i = 0; i < count; i++) {
      sink = new double[1600];
    }
  }

  static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  static void makeSmallInVirtualThreads(int threads, int count) throws Exception {
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Thread[] started = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      started[i] =
          (Thread)
              type.getMethod("start", Runnable.class)
                  .invoke(builder, (Runnable) () -> makeSmallInTurns(count));
      System.out.println("virtual." + started[i].getId() + "=" + i);
    }
    for (Thread thread : started) {
      thread.join();
    }
  }

  // Makes small objects in several turns. The virtual thread can have another carrier in each turn.
  static void makeSmallInTurns(int count) {
    for (int i = 0; i < TURNS; i++) {
      makeSmall(count / TURNS);
      Thread.yield();
    }
  }

  public static void main(String[] args) throws Exception {
    int small = Integer.parseInt(args[0]);
    int arrays = Integer.parseInt(args[1]);
    allocated();  // loads the classes that the counter itself needs
    long before = allocated();
    makeSmall(small);
    long between = allocated();
    makeArrays(arrays);
    System.out.println("small=" + (between - before));
    System.out.println("arrays=" + (allocated() - between));
    if (args.length > 2) {
      makeSmallInVirtualThreads(Integer.parseInt(args[2]), small);
    }
  }
}
