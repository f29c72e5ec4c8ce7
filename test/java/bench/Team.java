import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that share the operations of a workload. */
final class Team implements AutoCloseable {
  /** Runs the operations member, member + team size, member + 2 * team size and so on. */
  interface Part {
    long run(int member, long operations) throws Exception;
  }

  private final ExecutorService executor;
  private final int size;

  Team(int size) {
    this.size = size;
    executor = Executors.newFixedThreadPool(size);
  }

  /** Returns the sum of the results of all members. */
  long run(long operations, Part part) throws Exception {
    List<Callable<Long>> parts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int member = i;
      parts.add(() -> part.run(member, operations / size + (member < operations % size ? 1 : 0)));
    }
    long sum = 0;
    for (Future<Long> result : executor.invokeAll(parts)) {
      sum += result.get();
    }
    return sum;
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
