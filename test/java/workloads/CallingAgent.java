import java.util.ArrayList;
import java.util.List;

/**
 * Starts and stops recordings in a JVM with another agent, libcalling_agent.so, which gives
 * commands of all kinds to the profiler from its callbacks.
 *
 * <p>usage: CallingAgent agentLibrary folder callbacks rounds, or CallingAgent agentLibrary folder
 * launched|outside|exit
 *
 * <p>callbacks: while a recording starts, runs and stops, threads of the program start, end and
 * load classes. After that, a recording without callbacks is made to folder/quiet.jfr. launched:
 * the program waits for the recording that the agent has started, burns, and stops it. outside:
 * threads that are not attached to the JVM give the commands. exit: the agent ends the JVM with
 * code 7 when the recorder's thread starts.
 *
 * <p>Truth: the answers to the commands; busy.EVENT and notbusy.EVENT, how many commands from
 * callbacks of this event were refused as busy, and how many were not; cpu.main, the CPU time of
 * main in the quiet recording.
 */
public final class CallingAgent {
  private static final long NANOS = 300_000_000;

  private CallingAgent() {}

  public static void main(String[] args) throws Exception {
    System.load(args[0]);
    if (args[2].equals("exit")) {
      exitOnRecorder();
      Work.print("start", execute("start,cpu=10ms,file=" + args[1] + "/exit.jfr"));
      return;
    }
    if (args[2].equals("outside")) {
      Work.print("start", executeOutside("start,cpu=5ms,file=" + args[1] + "/outside.jfr"));
    } else if (args[2].equals("launched")) {
      while (!execute("status").contains("recording")) {
        Thread.yield();
      }
    } else {
      for (int round = 0; round < Integer.parseInt(args[3]); round++) {
        runRound("start,cpu=5ms,wall=20ms,lock,trace=CallingAgent.traced,file=" + args[1] + "/a.jfr");
      }
      execute("stop");
      System.out.print(counts());
      Work.print("start", execute("start,cpu=5ms,file=" + args[1] + "/quiet.jfr"));
    }
    long before = Work.cpuNanos();
    Work.burn(NANOS);
    Work.print("cpu.main", Work.cpuNanos() - before);
    Work.print("stop", args[2].equals("outside") ? executeOutside("stop") : execute("stop"));
  }

  private static void runRound(String start) throws InterruptedException {
    arm(true);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(Work.start("starter-" + i, CallingAgent::startThreads));
    }
    execute(start);
    traced();
    execute("stop");
    Work.join(threads);
    arm(false);
  }

  private static void startThreads() {
    for (int i = 0; i < 3; i++) {
      Thread thread = Work.start("short", CallingAgent::loadClass);
      try {
        thread.join();
      } catch (InterruptedException exception) {
        throw new IllegalStateException(exception);
      }
    }
  }

  private static void loadClass() {
    try {
      FreshClass.define("MadeClass", FreshClass.bytesOf("MadeClass")).getMethods();
    } catch (Exception exception) {
      throw new IllegalStateException(exception);
    }
    traced();
  }

  private static void traced() {
    Work.spin(1000);
  }

  private static native String execute(String command);

  private static native String executeOutside(String command);

  private static native void arm(boolean isArmed);

  private static native void exitOnRecorder();

  private static native String counts();
}
