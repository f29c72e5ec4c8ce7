/**
 * Thread blocked-0 waits to enter a monitor that main holds. Contended millis
 *
 * <p>Truth: wall.blocked-0, the nanoseconds that it waited.
 */
public final class Contended {
  private Contended() {}

  public static void main(String[] args) throws InterruptedException {
    Object monitor = new Object();
    Thread blocked;
    synchronized (monitor) {
      blocked = Work.start("blocked-0", () -> enter(monitor));
      Thread.sleep(Long.parseLong(args[0]));
    }
    blocked.join();
  }

  private static void enter(Object monitor) {
    long start = System.nanoTime();
    long waited;
    synchronized (monitor) {
      waited = System.nanoTime() - start;
    }
    Work.print("wall.blocked-0", waited);
  }
}
