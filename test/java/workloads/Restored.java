import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Looks at what the profiler changes in the process, and whether it is restored. Restored
 * agentLibrary startCommand nativeFolder scenario
 *
 * <p>Scenarios: alone; inside: another profiler comes after the start and goes before the stop;
 * over: it comes after the start and goes after the stop; under: its slot is there before the start
 * and goes before the stop. Truth: changed.WHAT and same.WHAT, whether slots, protections, timers
 * and signal actions differ from before while the profiler runs, and whether they are the same
 * after all profilers have gone; other.creations and other.signals, what the other profiler has
 * seen of the two that it should see.
 */
public final class Restored {
  private Restored() {}

  public static void main(String[] args) {
    File folder = new File(args[2]);
    Profiler profiler = new Profiler(args[0], folder);
    System.load(new File(folder, "librestore_probe.so").getPath());
    profiler.execute("version,file=/dev/null");  // loads everything that a first start loads
    profiler.execute(args[1]);
    profiler.execute("stop");
    Work.burn(1);
    createThread();
    Map<String, String> before = look();
    String scenario = args[3];
    if (scenario.equals("under")) {
      otherTakesSlot();
    }
    Work.print("answer.start", profiler.execute(args[1]));
    print("changed.", before, false);
    switch (scenario) {
      case "inside":
        otherTakesSlot();
        otherTakesSignal();
        useBoth();
        otherGivesSlotBack();
        otherGivesSignalBack();
        break;
      case "over":
        otherTakesSlot();
        otherTakesSignal();
        break;
      case "under":
        createThread();
        raiseSignal();  // harmless: only the profiler handles it
        otherGivesSlotBack();
        break;
      default:
        break;
    }
    Work.burn(50_000_000);
    Work.print("answer.stop", profiler.execute("stop"));
    if (scenario.equals("over")) {
      useBoth();
      otherGivesSlotBack();
      otherGivesSignalBack();
      createThread();
      raiseSignal();  // the rest of the profiler forwards it or does nothing
    }
    print("same.", before, true);
    Work.print("other.creations", creationsSeenByOther());
    Work.print("other.signals", signalsSeenByOther());
  }

  private static void useBoth() {
    createThread();
    raiseSignal();
  }

  private static Map<String, String> look() {
    Map<String, String> state = new LinkedHashMap<>();
    state.put("slots", slots());
    state.put("protections", protections());
    state.put("timers", timers());
    state.put("actions", signalActions());
    return state;
  }

  private static void print(String prefix, Map<String, String> before, boolean same) {
    Map<String, String> now = look();
    for (Map.Entry<String, String> entry : before.entrySet()) {
      boolean equal = entry.getValue().equals(now.get(entry.getKey()));
      Work.print(prefix + entry.getKey(), equal == same ? 1 : 0);
      if (same && !equal) {
        System.err.println("before:\n" + entry.getValue() + "now:\n" + now.get(entry.getKey()));
      }
    }
  }

  static native String slots();

  private static native String protections();

  private static native String timers();

  private static native String signalActions();

  private static native void otherTakesSlot();

  private static native void otherGivesSlotBack();

  private static native void otherTakesSignal();

  private static native void otherGivesSignalBack();

  private static native void createThread();

  private static native void raiseSignal();

  private static native int creationsSeenByOther();

  private static native int signalsSeenByOther();
}
