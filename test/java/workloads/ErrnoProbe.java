/**
 * Native code that keeps reading its errno, on threads errno-0 and errno-1. ErrnoProbe cpuMillis
 *
 * <p>Truth: looks, the number of reads; changes, how often errno was not what the code had set.
 */
public final class ErrnoProbe {
  private ErrnoProbe() {}

  public static void main(String[] args) throws InterruptedException {
    System.loadLibrary("errno_probe");
    long cpuNanos = Long.parseLong(args[0]) * 1_000_000;
    long[] looks = new long[2];
    long[] changes = new long[2];
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      int index = i;
      threads[i] =
          Work.start(
              "errno-" + i,
              () -> {
                while (Work.cpuNanos() < cpuNanos) {
                  changes[index] += countChanges(1_000_000);
                  looks[index] += 1_000_000;
                }
              });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Work.print("looks", looks[0] + looks[1]);
    Work.print("changes", changes[0] + changes[1]);
  }

  /** Sets errno, burns and compares errno, `looks` times. Returns the number of differences. */
  private static native int countChanges(int looks);
}
