import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Allocates small objects on two threads; some of them live for a while. An operation makes a map
 * of 16 entries.
 */
final class Allocation implements Workload {
  private static final int KEPT = 5000;

  private final Team team = new Team(2);

  @Override
  public long run(long operations) throws Exception {
    return team.run(operations, (member, part) -> allocate(part));
  }

  private static long allocate(long operations) {
    Deque<Map<String, Object>> kept = new ArrayDeque<>();
    long sum = 0;
    for (long i = 0; i < operations; i++) {
      Map<String, Object> map = new HashMap<>();
      for (int k = 0; k < 16; k++) {
        map.put("key " + (i + k) % 1000, k % 2 == 0 ? (Object) Long.valueOf(i) : new int[k]);
      }
      sum += map.size();
      kept.add(map);
      if (kept.size() > KEPT) {
        sum += kept.remove().size();
      }
    }
    return sum;
  }

  @Override
  public void close() {
    team.close();
  }
}
