import java.util.ArrayList;
import java.util.List;

/**
 * Threads that name themselves after their tasks, as the threads of pools often do.
 *
 * <p>usage: SelfNamed burnMillis brief
 *
 * <p>One thread uses CPU time as "order-a" and then as "order-b". Each of the `brief` threads ends
 * right after it has named itself "brief-N". Truth: cpu.order-a and cpu.order-b, the CPU time under
 * each name.
 */
public final class SelfNamed {
  private SelfNamed() {}

  public static void main(String[] args) throws InterruptedException {
    long nanos = Long.parseLong(args[0]) * 1_000_000;
    Thread worker =
        Work.start(
            "idle",
            () -> {
              for (String name : new String[] {"order-a", "order-b"}) {
                Thread.currentThread().setName(name);
                long before = Work.cpuNanos();
                Work.burn(nanos);
                Work.print("cpu." + name, Work.cpuNanos() - before);
              }
            });
    List<Thread> brief = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      String name = "brief-" + i;
      brief.add(Work.start("unnamed", () -> Thread.currentThread().setName(name)));
    }
    Work.join(brief);
    worker.join();
  }
}
