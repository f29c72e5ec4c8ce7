import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** The threads left and right hold one lock each, and wait forever for the other's lock. */
public final class Deadlock {
  private Deadlock() {}

  public static void main(String[] args) throws InterruptedException {
    ReentrantLock one = new ReentrantLock();
    ReentrantLock two = new ReentrantLock();
    CountDownLatch both = new CountDownLatch(2);
    Thread left = Work.startDaemon("left", () -> lock(one, two, both));
    Thread right = Work.startDaemon("right", () -> lock(two, one, both));
    while (!one.hasQueuedThread(right) || !two.hasQueuedThread(left)) Thread.sleep(1);
    Thread.sleep(20);
  }

  private static void lock(ReentrantLock first, ReentrantLock second, CountDownLatch both) {
    first.lock();
    both.countDown();
    while (both.getCount() != 0) Thread.yield();
    second.lock();
  }
}
