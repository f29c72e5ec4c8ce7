/**
 * Virtual threads that call a slow method, some hundred of them at a time on few carriers.
 *
 * <p>usage: VirtualCalls threads millis
 *
 * <p>Each thread calls `slow`, which allocates and uses `millis` milliseconds of CPU time, in turns
 * with other threads. Truth: slow.ID, how many milliseconds the call of the thread with this id
 * took; bytes, what a call allocates.
 */
public final class VirtualCalls {
  private static final int TURNS = 4;
  private static final int BYTES = 1 << 20;
  private static volatile byte[] sink;

  private VirtualCalls() {}

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    long nanos = Long.parseLong(args[1]) * 1_000_000;
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Thread[] threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] =
          (Thread)
              type.getMethod("unstarted", Runnable.class)
                  .invoke(builder, (Runnable) () -> run(nanos));
    }
    for (Thread thread : threads) {
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Work.print("bytes", (long) TURNS * BYTES);
  }

  private static void run(long nanos) {
    long begin = System.nanoTime();
    slow(nanos);
    Work.print("slow." + Thread.currentThread().getId(), (System.nanoTime() - begin) / 1_000_000);
  }

  private static void slow(long nanos) {
    for (int i = 0; i < TURNS; i++) {
      for (int part = 0; part < BYTES / 1024; part++) {
        sink = new byte[1024 - 16];
      }
      long end = System.nanoTime() + nanos / TURNS;
      while (System.nanoTime() < end) {
        Work.spin(1000);
      }
      Thread.yield();
    }
  }
}
