import java.io.File;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Stacks of every kind, each kind on a thread of its own, for a given time: recursion, exceptions,
 * lambdas, megamorphic calls, stubs and intrinsics, reflection, monitors, class initialisers, and
 * javac.
 *
 * <p>usage: EveryFrame millis sourceFolder
 *
 * <p>Truth: checksum, the result of one round of all kinds, which is the same in every JVM; rounds,
 * how many rounds each thread ran; wrong, how many rounds had another result than the first.
 */
public final class EveryFrame {
  private static final Map<String, Long> FIRST = new ConcurrentHashMap<>();
  private static final Map<String, Integer> ROUNDS = new ConcurrentHashMap<>();
  private static final Map<String, Integer> WRONG = new ConcurrentHashMap<>();

  private interface Round {
    long run() throws Exception;
  }

  private EveryFrame() {}

  public static void main(String[] args) throws Exception {
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    File sources = new File(args[1]);
    List<Thread> threads = new ArrayList<>();
    threads.add(repeat("recursion", end, () -> descend(500, 1)));
    threads.add(repeat("exceptions", end, EveryFrame::throwAndCatch));
    threads.add(repeat("lambdas", end, EveryFrame::mapAndReduce));
    threads.add(repeat("shapes", end, EveryFrame::callShapes));
    threads.add(repeat("stubs", end, EveryFrame::callStubs));
    threads.add(repeat("reflection", end, EveryFrame::callByName));
    threads.add(repeat("monitor-0", end, EveryFrame::lockAndAdd));
    threads.add(repeat("monitor-1", end, EveryFrame::lockAndAdd));
    threads.add(repeat("loaders", end, EveryFrame::initialiseClasses));
    threads.add(repeat("javac", end, () -> compile(sources)));
    Work.join(threads);
    long checksum = 0;
    for (String name : new TreeMap<>(FIRST).keySet()) {
      checksum = checksum * 31 + FIRST.get(name);
    }
    Work.print("checksum", Long.toHexString(checksum));
    Work.print("rounds", new TreeMap<>(ROUNDS));
    Work.print("wrong", WRONG.values().stream().mapToInt(Integer::intValue).sum());
  }

  private static Thread repeat(String name, long end, Round round) {
    return Work.start(
        name,
        () -> {
          do {
            long result = runOnce(round);
            Long first = FIRST.putIfAbsent(name, result);
            WRONG.merge(name, first == null || first == result ? 0 : 1, Integer::sum);
            ROUNDS.merge(name, 1, Integer::sum);
          } while (System.nanoTime() < end);
        });
  }

  private static long runOnce(Round round) {
    try {
      return round.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static long descend(int left, long value) {
    return left == 0 ? value : descend(left - 1, value * 31 + left) ^ left;
  }

  private static final class Found extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int depth;

    Found(int depth) {
      this.depth = depth;
    }
  }

  private static long throwAndCatch() {
    long sum = 0;
    for (int i = 0; i < 100; i++) {
      try {
        throwFrom(i % 30, i);
      } catch (Found found) {
        sum = sum * 31 + found.depth;
      }
      int[] none = i % 3 == 0 ? null : new int[i % 7];
      try {
        sum += none[5];
      } catch (NullPointerException | ArrayIndexOutOfBoundsException implicit) {
        sum += implicit instanceof NullPointerException ? 3 : 5;
      }
    }
    return sum;
  }

  private static void throwFrom(int depth, int value) {
    if (depth == 0) {
      throw new Found(value);
    }
    try {
      throwFrom(depth - 1, value);
    } finally {
      Work.sink++;
    }
  }

  private static long mapAndReduce() {
    LongUnaryOperator twist = value -> value * 31 + 7;
    for (int i = 0; i < 5; i++) {
      int shift = i;
      twist = twist.andThen(value -> value ^ value << shift);
    }
    return LongStream.range(0, 1000).map(twist).filter(value -> (value & 3) != 0).sum();
  }

  private interface Shape {
    long area(long side);
  }

  private abstract static class Sized implements Shape {
    abstract long factor();

    @Override
    public long area(long side) {
      return side * side * factor();
    }
  }

  private static final class One extends Sized {
    @Override
    long factor() {
      return 1;
    }
  }

  private static final class Two extends Sized {
    @Override
    long factor() {
      return 2;
    }
  }

  private static final class Three extends Sized {
    @Override
    long factor() {
      return 3;
    }
  }

  private static final Shape[] SHAPES = {
    new One(), new Two(), new Three(), side -> side + 5, side -> side - 7,
  };

  private static long callShapes() {
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
      sum = sum * 31 + SHAPES[i % SHAPES.length].area(i);
    }
    return sum;
  }

  private static long callStubs() throws Exception {
    byte[] bytes = new byte[20_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 7 ^ i >> 5);
    }
    System.arraycopy(bytes, 1, bytes, 3, bytes.length - 3);
    CRC32 crc = new CRC32();
    crc.update(bytes, 0, bytes.length);
    Deflater deflater = new Deflater(1);
    deflater.setInput(bytes, 0, 4000);
    deflater.finish();
    int compressed = 0;
    byte[] buffer = new byte[512];
    while (!deflater.finished()) {
      compressed += deflater.deflate(buffer);
    }
    deflater.end();
    BigInteger number = new BigInteger(1, Arrays.copyOf(bytes, 300));
    BigInteger power = number.modPow(BigInteger.valueOf(65537), number.shiftRight(3).setBit(0));
    String text = new String(bytes, "ISO-8859-1");
    long sum = crc.getValue() + power.hashCode() + text.indexOf("\u0100") + text.hashCode();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
    double wave = Math.rint(1e6 * (Math.sin(sum % 100) + Math.pow(1.5, compressed > 0 ? 3 : 4)));
    return sum * 31 + Arrays.hashCode(digest) + (long) wave;
  }

  public static long twice(long value) {
    return value * 2 + 1;
  }

  private static long callByName() throws Exception {
    Method twice = EveryFrame.class.getMethod("twice", long.class);
    long value = 0;
    for (int i = 0; i < 200; i++) {
      value = (Long) twice.invoke(null, value ^ i);
    }
    return value;
  }

  private static final Object LOCK = new Object();
  private static long shared;

  private static long lockAndAdd() {
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
      synchronized (LOCK) {
        shared += i;
        sum = sum * 31 + i;
      }
    }
    return sum;
  }

  /**
   * A class that is loaded by a new loader again and again, so that its initialiser runs each time.
   */
  public static final class Initialised implements LongSupplier {
    private static final long VALUE = twice(LongStream.range(0, 100).sum());

    @Override
    public long getAsLong() {
      return VALUE;
    }
  }

  private static final class OwnLoader extends ClassLoader {
    private final byte[] code;

    OwnLoader(byte[] code) {
      super(EveryFrame.class.getClassLoader());
      this.code = code;
    }

    Class<?> define(String name) {
      return defineClass(name, code, 0, code.length);
    }
  }

  private static byte[] initialisedCode;

  private static long initialiseClasses() throws Exception {
    if (initialisedCode == null) {
      String file = Initialised.class.getName() + ".class";
      Path path = new File(System.getProperty("java.class.path"), file).toPath();
      initialisedCode = Files.readAllBytes(path);
    }
    Class<?> again = new OwnLoader(initialisedCode).define(Initialised.class.getName());
    Object made = again.getConstructor().newInstance();
    return ((LongSupplier) made).getAsLong();
  }

  /**
   * Lets javac analyse all sources of the folder and generate code. The output is not compared,
   * because it differs between JDKs.
   */
  private static long compile(File folder) throws Exception {
    File out = Files.createTempDirectory("classes").toFile();
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
        Writer nowhere = new StringWriter()) {
      File[] sources = folder.listFiles((parent, name) -> name.endsWith(".java"));
      List<String> options = Arrays.asList("-nowarn", "-d", out.getPath());
      boolean compiled =
          javac
              .getTask(nowhere, files, null, options, null, files.getJavaFileObjects(sources))
              .call();
      return (compiled ? 1 : 0) + 2L * sources.length;
    } finally {
      File[] written = out.listFiles();
      for (File file : written == null ? new File[0] : written) {
        Files.delete(file.toPath());
      }
      Files.delete(out.toPath());
    }
  }
}
