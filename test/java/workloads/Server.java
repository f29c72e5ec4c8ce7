import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A program to which tests attach.
 *
 * <p>usage: Server busyThreads sleepingThreads
 *
 * <p>Prints "ready=", then executes lines of standard input: "cpu" prints cpu.busy-N for each busy
 * thread and a line "done="; "quit" ends the program, as does the end of the input.
 */
public final class Server {
  private Server() {}

  public static void main(String[] args) throws IOException {
    Map<String, Thread> busy = new LinkedHashMap<>();
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      busy.put("busy-" + i, Work.startDaemon("busy-" + i, Work::burnForever));
    }
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      Work.startDaemon("sleeper-" + i, Server::sleepForever);
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Work.print("ready", "");
    String command;
    while ((command = in.readLine()) != null && !command.equals("quit")) {
      busy.forEach((name, thread) -> Work.print("cpu." + name, Work.cpuNanos(thread)));
      Work.print("done", "");
    }
  }

  private static void sleepForever() {
    try {
      Thread.currentThread().join();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }
}
