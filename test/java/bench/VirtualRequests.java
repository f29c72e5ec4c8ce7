import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A server with a virtual thread for each of 200 connections. An operation is a request on the
 * loopback interface. Needs JDK 21.
 */
final class VirtualRequests implements Workload {
  private static final int CONNECTIONS = 200;
  private static final int CLIENTS = 2;  // platform threads, each with its share of the connections

  private final Team clients = new Team(CLIENTS);
  private ServerSocket listener;

  @Override
  public void prepare() throws Exception {
    listener = new ServerSocket(0, CONNECTIONS, InetAddress.getLoopbackAddress());
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    Work.startDaemon(
        "acceptor",
        () -> {
          while (!listener.isClosed()) {
            accept(start);
          }
        });
  }

  private void accept(Method start) {
    try {
      Socket socket = listener.accept();
      socket.setTcpNoDelay(true);
      start.invoke(null, (Runnable) () -> serve(socket));
    } catch (IOException end) {
      return;  // the listener has been closed
    } catch (ReflectiveOperationException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static void serve(Socket socket) {
    try (Socket mine = socket) {
      InputStream in = new BufferedInputStream(mine.getInputStream());
      OutputStream out = mine.getOutputStream();
      for (int request = in.read(); request >= 0; request = in.read()) {
        out.write(answer(request).getBytes(StandardCharsets.US_ASCII));
      }
    } catch (IOException unexpected) {
      throw new UncheckedIOException(unexpected);
    }
  }

  private static String answer(int request) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 16; i++) {
      text.append(Integer.toHexString((request + i) * 0x9E3779B9 | 0x10000000));
    }
    return text.toString();
  }

  @Override
  public long run(long operations) throws Exception {
    return clients.run(operations, (member, part) -> ask(part));
  }

  // Opens a request on every connection before the first answer is read.
  private long ask(long operations) throws IOException {
    Socket[] sockets = new Socket[CONNECTIONS / CLIENTS];
    for (int i = 0; i < sockets.length; i++) {
      sockets[i] = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
      sockets[i].setTcpNoDelay(true);
    }
    long bytes = 0;
    for (long done = 0; done < operations; ) {
      int open = (int) Math.min(sockets.length, operations - done);
      for (int i = 0; i < open; i++) {
        sockets[i].getOutputStream().write((int) (done + i) & 0x7f);
      }
      for (int i = 0; i < open; i++) {
        bytes += sockets[i].getInputStream().readNBytes(128).length;
      }
      done += open;
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    clients.close();
    listener.close();
  }
}
