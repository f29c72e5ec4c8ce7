import java.io.File;

/**
 * Traced methods in which another agent has its own code. It is added before or after ours, and
 * removed before or after ours.
 *
 * <p>usage: TraceBeside agentLibrary nativeFolder file; with -javaagent of OtherAgent
 *
 * <p>Truth for each order N: entries.N and exits.N, as counted by the other agent; calls.N, the
 * calls while its code was installed; ours.N, the calls while our code was; answer.N, our answer to
 * the stop; changed.N, whether the code differs at the end.
 */
public final class TraceBeside {
  private static final int CALLS = 100;

  private TraceBeside() {}

  static final class Target {
    static int twice(int number) {
      if (number % 2 == 0) throw new IllegalArgumentException("even");
      return 2 * number;
    }
  }

  public static void main(String[] args) throws Exception {
    System.load(new File(args[1], "libmethod_code.so").getPath());
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    profiler.execute("stop");  // stops a recording from the launch
    Work.sink = call();
    String before = TracedRestored.code(Target.class);
    for (int order = 0; order < 4; order++) {
      boolean isOtherFirstIn = order % 2 == 0;
      boolean isOtherFirstOut = order / 2 == 0;
      OtherAgent other = new OtherAgent(Target.class);
      OtherAgent.ENTRIES.set(0);
      OtherAgent.EXITS.set(0);
      String start = "start,trace=TraceBeside$Target.*,file=" + args[2];
      if (isOtherFirstIn) other.install();
      else profiler.execute(start);
      Work.sink += call();
      if (isOtherFirstIn) profiler.execute(start);
      else other.install();
      Work.sink += call();
      String answer = "";
      if (isOtherFirstOut) other.remove();
      else answer = profiler.execute("stop");
      Work.sink += call();
      if (isOtherFirstOut) answer = profiler.execute("stop");
      else other.remove();
      Work.sink += call();
      Work.print("answer." + order, answer.replace('\n', '|'));
      int alone = (isOtherFirstIn ? CALLS : 0) + (isOtherFirstOut ? 0 : CALLS);
      Work.print("ours." + order, CALLS + 2 * CALLS - alone);
      Work.print("calls." + order, CALLS + alone);
      Work.print("entries." + order, OtherAgent.ENTRIES.get());
      Work.print("exits." + order, OtherAgent.EXITS.get());
      Work.print("changed." + order, before.equals(TracedRestored.code(Target.class)) ? 0 : 1);
    }
  }

  private static int call() {
    int sum = 0;
    for (int i = 0; i < CALLS; i++) {
      try {
        sum += Target.twice(i);
      } catch (IllegalArgumentException even) {
        sum -= 1;
      }
    }
    return sum;
  }
}
