import java.io.File;
import java.util.Random;

/**
 * Executes steps one after another: recordings, actions of a library with its own signal handlers,
 * and the faults of a JVM's normal operation.
 *
 * <p>usage: SignalChains agentLibrary startCommand nativeFolder step...
 *
 * <p>Steps: start and stop; come:N (the library installs its handler for signal N in front of the
 * current one) and leave:N (it restores the handler that it found); raise:N; faults (null pointers
 * and stack overflows, while another thread burns); own:N (the library faults N times where its
 * handler expects this); crash (the library faults elsewhere); loads:N (N of the profiler's guarded
 * loads have bad addresses); another:N (waits until the handler of signal N is neither the
 * library's nor the one that it found); storm:N (for N milliseconds recordings start and stop, and
 * the library comes and leaves, at random).
 *
 * <p>Truth: the output of Faults; answer.I, the answer to step I; own.reached, how many of the
 * library's faults reached its handler; unreadable, how many loads reported a bad address; calls.N,
 * how often the library's handler of signal N was called.
 */
public final class SignalChains {
  private static final int NULLS = 20_000;
  private static final int OVERFLOWS = 4;
  private static final int SIGSEGV = 11;
  private static final int[] SIGNALS = {SIGSEGV, SIGSEGV, 7, 27};

  private SignalChains() {}

  public static void main(String[] args) throws InterruptedException {
    File folder = new File(args[2]);
    Profiler profiler = new Profiler(args[0], folder);
    System.load(new File(folder, "libsignal_chains.so").getPath());
    Work.startDaemon("burner", Work::burnForever);
    for (int i = 3; i < args.length; i++) {
      String[] step = args[i].split(":");
      int number = step.length > 1 ? Integer.parseInt(step[1]) : 0;
      switch (step[0]) {
        case "start":
          Work.print("answer." + (i - 3), profiler.execute(args[1]));
          break;
        case "stop":
          Work.print("answer." + (i - 3), profiler.execute("stop"));
          break;
        case "come":
          come(number);
          break;
        case "leave":
          leave(number);
          break;
        case "raise":
          raise(number);
          break;
        case "faults":
          Faults.meet(NULLS, OVERFLOWS);
          break;
        case "own":
          Work.print("own.reached", faultOnPurpose(number));
          break;
        case "loads":
          Work.print("unreadable", loadBadAddresses(args[0], number));
          break;
        case "another":
          awaitAnother(number);
          break;
        case "storm":
          storm(profiler, args[1], number);
          break;
        case "crash":
          crash();
          break;
        default:
          throw new IllegalArgumentException(args[i]);
      }
    }
    Faults.printTruth();
    for (int signal = 1; signal < 32; signal++) {
      if (calls(signal) > 0) {
        Work.print("calls." + signal, calls(signal));
      }
    }
  }

  private static void storm(Profiler profiler, String start, int millis)
      throws InterruptedException {
    Random random = new Random(millis);
    boolean[] came = new boolean[32];
    long end = System.nanoTime() + millis * 1_000_000L;
    long recordings = 0;
    long rounds = 0;
    for (; System.nanoTime() < end; rounds++) {
      int signal = SIGNALS[random.nextInt(SIGNALS.length)];
      switch (random.nextInt(4)) {
        case 0:
          recordings += profiler.execute(start).startsWith("recording") ? 1 : 0;
          break;
        case 1:
          profiler.execute("stop");
          break;
        case 2:
          if (!came[signal] || signal == SIGSEGV) {  // SIGSEGV: in front of others again
            come(signal);
            came[signal] = true;
          }
          break;
        default:
          if (came[signal]) {
            leave(signal);
            came[signal] = false;
          }
          break;
      }
      Faults.meet(NULLS / 10, 1);
    }
    Work.print("rounds", rounds);
    Work.print("recordings", recordings);
  }

  private static native void come(int signal);

  private static native void leave(int signal);

  private static native long calls(int signal);

  private static native void raise(int signal);

  private static native int faultOnPurpose(int count);

  private static native int loadBadAddresses(String agent, int count);

  private static native void awaitAnother(int signal);

  private static native void crash();
}
