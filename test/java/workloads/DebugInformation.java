import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.File;
import java.lang.management.ManagementFactory;

/**
 * Reads the flag DebugNonSafepoints before, during and after two recordings.
 *
 * <p>usage: DebugInformation agentLibrary nativeFolder startCommand
 *
 * <p>Needs -XX:+UnlockDiagnosticVMOptions. Truth: flags, the five values.
 */
public final class DebugInformation {
  private static final HotSpotDiagnosticMXBean VM =
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);

  private DebugInformation() {}

  public static void main(String[] args) {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    String flags = flag();
    for (int i = 0; i < 2; i++) {
      String answer = profiler.execute(args[2]);
      if (!answer.startsWith("recording")) throw new IllegalStateException(answer);
      flags += " " + flag();
      profiler.execute("stop");
      flags += " " + flag();
    }
    Work.print("flags", flags);
  }

  private static String flag() {
    return VM.getVMOption("DebugNonSafepoints").getValue();
  }
}
