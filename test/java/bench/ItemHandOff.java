import java.util.concurrent.SynchronousQueue;

/** Two threads that wait for each other. An operation hands an item over and back. */
final class ItemHandOff implements Workload {
  private final SynchronousQueue<Long> there = new SynchronousQueue<>();
  private final SynchronousQueue<Long> back = new SynchronousQueue<>();

  @Override
  public void prepare() {
    Work.startDaemon("taker", this::take);
  }

  private void take() {
    try {
      while (true) {
        back.put(there.take() + 1);
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  @Override
  public long run(long operations) throws InterruptedException {
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      there.put(i);
      sum += back.take();
    }
    return sum;
  }
}
