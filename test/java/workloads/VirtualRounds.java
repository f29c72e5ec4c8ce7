import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Recordings of waits, one after another, each of virtual threads that sleep once.
 *
 * <p>usage: VirtualRounds agentLibrary nativeFolder folder rounds threads changed; with -javaagent
 * of OtherAgent, which retransforms java.lang.VirtualThread before round `changed`
 *
 * <p>The recording of a round is folder/ROUND.jfr. Truth: answer.ROUND, the answer to each start.
 */
public final class VirtualRounds {
  private VirtualRounds() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    int rounds = Integer.parseInt(args[3]);
    int count = Integer.parseInt(args[4]);
    int changed = Integer.parseInt(args[5]);
    Class<?> virtualThread = Class.forName("java.lang.VirtualThread");
    live(count);
    for (int round = 0; round < rounds; round++) {
      if (round == changed) OtherAgent.retransform(virtualThread);
      Work.print("answer." + round,
          profiler.execute("start,lock=1ms,file=" + args[2] + "/" + round + ".jfr"));
      live(count);
      profiler.execute("stop");
      live(count);
    }
  }

  private static void live(int count) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      threads.add(PlainOrVirtual.start(true, "virtual", () -> Thread.sleep(1)));
    }
    for (Thread thread : threads) thread.join();
  }
}
