import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates on virtual threads that park, some hundred at a time. Prints the bytes of each site, as
 * AllocationTruth does. Needs JDK 21.
 *
 * <p>usage: AllocationParks threads depth turns at-a-time
 *
 * <p>Each thread parks once before each of its turns, under `depth` frames. With 0 turns it never
 * parks.
 */
public final class AllocationParks {
  static final int SMALLS = 48;
  static final int INTS = 8;

  static long parkAt(int depth) {
    if (depth > 0) return parkAt(depth - 1) + 1;
    LockSupport.parkNanos(1);
    return 0;
  }

  static void allocate() {
    for (int i = 0; i < SMALLS; i++) AllocationTruth.small();
    for (int i = 0; i < INTS; i++) AllocationTruth.ints(128);
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[0]);
    int depth = Integer.parseInt(args[1]);
    int turns = Integer.parseInt(args[2]);
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    java.lang.reflect.Method start =
        Class.forName("java.lang.Thread$Builder").getMethod("start", Runnable.class);
    Semaphore lanes = new Semaphore(Integer.parseInt(args[3]));
    CountDownLatch done = new CountDownLatch(threads);
    Runnable work =
        () -> {
          for (int i = 0; i < Math.max(turns, 1); i++) {
            if (turns > 0) Work.sink = parkAt(depth);
            allocate();
          }
          lanes.release();
          done.countDown();
        };
    for (int i = 0; i < threads; i++) {
      lanes.acquire();
      start.invoke(builder, work);
    }
    done.await();
    long all = (long) threads * Math.max(turns, 1);
    AllocationTruth.printSite("small", all * SMALLS, AllocationTruth::small);
    AllocationTruth.printSite("ints", all * INTS, () -> AllocationTruth.ints(128));
  }
}
