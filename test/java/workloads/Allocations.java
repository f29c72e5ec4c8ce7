import java.lang.management.ManagementFactory;

/**
 * Allocates objects of two classes, and prints how many bytes of each, as the JVM counts them.
 *
 * <p>usage: Allocations <small objects> <arrays>
 */
public final class Allocations {
  static final class Small {
    long a, b, c, d, e, f, g, h, i, j;
  }

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

  public static void main(String[] args) {
    int small = Integer.parseInt(args[0]);
    int arrays = Integer.parseInt(args[1]);
    allocated(); // classes of the counter itself
    long before = allocated();
    makeSmall(small);
    long between = allocated();
    makeArrays(arrays);
    System.out.println("small=" + (between - before));
    System.out.println("arrays=" + (allocated() - between));
  }
}
