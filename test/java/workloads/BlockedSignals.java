/**
 * Threads that block all signals except those for faults of their own code.
 *
 * <p>usage: BlockedSignals millis
 *
 * <p>The thread java-blocked burns for this time, then blocks the signals, burns for the same time
 * and sleeps for the same time. The thread native-blocked, about whose start and end the profiler
 * is not notified, blocks the signals at once, burns and sleeps. Truth in nanoseconds: cpu.NAME and
 * wall.NAME; for java-blocked also listening.cpu and listening.wall, the times before it blocks the
 * signals.
 */
public final class BlockedSignals {
  private static final long UNTIL_THE_THREAD_IS_FOUND_MILLIS = 300;

  private BlockedSignals() {}

  public static void main(String[] args) throws InterruptedException {
    long millis = Long.parseLong(args[0]);
    long nanos = millis * 1_000_000;
    System.loadLibrary("blocked_signals");
    Thread.sleep(UNTIL_THE_THREAD_IS_FOUND_MILLIS);
    startNative(nanos, nanos);
    Thread java = Work.start("java-blocked", () -> listenAndBlock(millis));
    java.join();
    awaitNative();
    Work.print("cpu.native-blocked", nativeCpuNanos());
    Work.print("wall.native-blocked", nativeWallNanos());
    Thread.sleep(UNTIL_THE_THREAD_IS_FOUND_MILLIS);  // the profiler then notices that it has ended
  }

  private static void listenAndBlock(long millis) {
    long startedAt = System.nanoTime();
    Work.burn(millis * 1_000_000);
    Work.print("listening.cpu", Work.cpuNanos());
    Work.print("listening.wall", System.nanoTime() - startedAt);
    block();
    Work.burn(millis * 1_000_000);
    try {
      Thread.sleep(millis);
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
    Work.print("cpu.java-blocked", Work.cpuNanos());
    Work.print("wall.java-blocked", System.nanoTime() - startedAt);
  }

  private static native void block();

  private static native void startNative(long burnNanos, long sleepNanos);

  private static native void awaitNative();

  private static native long nativeCpuNanos();

  private static native long nativeWallNanos();
}
