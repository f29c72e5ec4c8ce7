import java.util.concurrent.CountDownLatch;

/** One thread works while 2000 wait. An operation sorts 1000 numbers. */
final class IdleBeside implements Workload {
  private static final int IDLE = 2000;

  @Override
  public void prepare() {
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < IDLE; i++) {
      Work.startDaemon("idle-" + i, () -> await(never));
    }
  }

  private static void await(CountDownLatch never) {
    try {
      never.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public long run(long operations) {
    long sum = 0;
    int[] numbers = new int[1000];
    for (long i = 0; i < operations; i++) {
      for (int k = 0; k < numbers.length; k++) {
        numbers[k] = (int) ((i + k) * 0x9E3779B97F4A7C15L >>> 33);
      }
      java.util.Arrays.sort(numbers);
      sum += numbers[(int) (i % numbers.length)];
    }
    return sum;
  }
}
