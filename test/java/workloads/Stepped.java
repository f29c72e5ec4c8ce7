import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Calls code that the VM generates, through three methods, while the agent walk_probe steps through
 * it. Each task is called warmUp times before it is stepped through.
 *
 * <p>usage: Stepped warmUp [name...]
 */
public final class Stepped {
  interface Task {
    long run() throws Exception;
  }

  private static final Map<String, Task> TASKS = new LinkedHashMap<>();
  private static final byte[] BYTES = "0123456789abcdef0123456789abcdef0123456789".getBytes();
  private static final char[] CHARS = new char[40];
  private static volatile double x = 0.75;
  private static volatile double big = 1e9;
  private static volatile float single = 7.25f;
  private static volatile Object[] objects = {"a", "b", "c"};
  private static volatile int zero;
  private static volatile boolean isWanted;
  private static volatile Base base = new Base();
  private static volatile long divisor = 3;
  private static Task[] tasks;
  private static String[] names;
  private static int stepping;
  private static long sink;

  private Stepped() {}

  private static void add(String name, Task task) {
    TASKS.put(name, task);
  }

  private static void addMath() {
    add("sin", () -> (long) Math.sin(same(x)));
    add("sinBig", () -> (long) Math.sin(same(big)));
    add("cos", () -> (long) Math.cos(same(x)));
    add("tan", () -> (long) Math.tan(same(x)));
    add("tanBig", () -> (long) Math.tan(same(big)));
    add("exp", () -> (long) Math.exp(same(x)));
    add("log", () -> (long) Math.log(same(x)));
    add("log10", () -> (long) Math.log10(same(x)));
    add("pow", () -> (long) Math.pow(same(x), same(1.75)));
    add("powBig", () -> (long) Math.pow(same(big), same(3.5)));
    add("sqrt", () -> (long) Math.sqrt(same(x)));
    add("doubleRemainder", () -> (long) (same(big) % same(x)));
    add("floatRemainder", () -> (long) (single % (float) x));
    add("longDivision", () -> (long) big / divisor + (long) big % divisor);
    add("convert", () -> (long) (x * Double.MAX_VALUE) + (int) (single * Float.MAX_VALUE));
    BigInteger number = BigInteger.ONE.shiftLeft(2100).subtract(BigInteger.valueOf(5));
    add("multiply", () -> number.multiply(number).bitLength());
    BigInteger other = number.add(BigInteger.TEN);
    add("multiplyOther", () -> number.multiply(other).bitLength());
    BigInteger modulus = BigInteger.ONE.shiftLeft(512).subtract(BigInteger.valueOf(569));
    add("modPow", () -> other.modPow(BigInteger.valueOf(65537), modulus).bitLength());
  }

  private static void addBytes() throws Exception {
    for (String algorithm : new String[] {"MD5", "SHA-1", "SHA-256", "SHA-512", "SHA3-256"}) {
      try {
        MessageDigest digest = MessageDigest.getInstance(algorithm);
        byte[] data = new byte[600];
        add(algorithm, () -> digest.digest(data)[0]);
      } catch (java.security.NoSuchAlgorithmException e) {
        System.out.println("none=" + algorithm);
      }
    }
    Cipher ecb = Cipher.getInstance("AES/ECB/NoPadding");
    ecb.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
    add("aes", () -> ecb.update(new byte[64]).length);
    Cipher cbc = Cipher.getInstance("AES/CBC/NoPadding");
    cbc.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"));
    add("aesCbc", () -> cbc.update(new byte[64]).length);
    CRC32 crc = new CRC32();
    add(
        "crc32",
        () -> {
          crc.update(BYTES, 0, BYTES.length);
          return crc.getValue();
        });
    Adler32 adler = new Adler32();
    add(
        "adler32",
        () -> {
          adler.update(BYTES, 0, BYTES.length);
          return adler.getValue();
        });
    add("base64", () -> Base64.getEncoder().encode(BYTES).length);
    byte[] encoded = Base64.getEncoder().encode(new byte[120]);
    add("base64Decode", () -> Base64.getDecoder().decode(encoded).length);
  }

  private static void addTexts() {
    String text = "the quick brown fox jumps over the lazy dog";
    String same = new String(text.toCharArray());
    String wide = text + "\u4e2d\u6587";
    add("compress", () -> new String(CHARS).length());
    add("inflate", () -> text.toCharArray().length);
    add("equals", () -> text.equals(same) ? 1 : 0);
    add("compareTo", () -> text.compareTo(wide));
    add("indexOf", () -> text.indexOf("lazy") + text.indexOf('z'));
    add("hashCode", () -> new String(CHARS).hashCode());
    add("utf8", () -> wide.getBytes(StandardCharsets.UTF_8).length);
    add("decode", () -> new String(BYTES, StandardCharsets.UTF_8).length());
  }

  private static void addArrays() {
    byte[] bytes = new byte[200];
    long[] longs = new long[50];
    int[] ints = new int[60];
    short[] shorts = new short[70];
    String[] strings = new String[8];
    add(
        "arraycopy",
        () -> {
          System.arraycopy(bytes, 3, bytes, 50, 100);
          System.arraycopy(longs, 0, longs, 1, 40);
          System.arraycopy(ints, 2, ints, 1, 40);
          System.arraycopy(shorts, 2, shorts, 1, 40);
          return bytes[60];
        });
    add(
        "arraycopyChecked",
        () -> {
          System.arraycopy(objects, 0, strings, 2, 3);
          return strings.length;
        });
    add(
        "arraycopyObjects",
        () -> {
          System.arraycopy(objects, 0, objects, 1, 2);
          return objects.length;
        });
    add(
        "fill",
        () -> {
          Arrays.fill(bytes, (byte) zero);
          Arrays.fill(shorts, (short) zero);
          Arrays.fill(ints, zero);
          return bytes[5];
        });
    add("arraysEqual", () -> Arrays.equals(bytes, new byte[200]) ? 1 : 0);
    add("clone", () -> bytes.clone().length + objects.clone().length);
    add("allocate", () -> new long[100_000].length + new int[3][4].length);
  }

  private static void addCalls() {
    Function<Object, Object>[] functions = functions();
    add("interfaces", () -> callAll(functions));
    add("cast", () -> ((String) objects[0]).length() + (objects[1] instanceof Comparable ? 1 : 0));
    add(
        "wrongCast",
        () -> {
          try {
            return ((Integer) objects[0]).intValue();
          } catch (ClassCastException e) {
            return 1;
          }
        });
    add(
        "nullPointer",
        () -> {
          try {
            return nothing().length();
          } catch (NullPointerException e) {
            return 1;
          }
        });
    add(
        "divisionByZero",
        () -> {
          try {
            return 5 / zero;
          } catch (ArithmeticException e) {
            return 1;
          }
        });
    add(
        "bounds",
        () -> {
          try {
            return CHARS[100 + zero];
          } catch (ArrayIndexOutOfBoundsException e) {
            return 1;
          }
        });
    add(
        "thrown",
        () -> {
          try {
            return thrower(3);
          } catch (IllegalStateException e) {
            return 1;
          }
        });
    add("locked", () -> locked(TASKS));
    add("native", () -> Thread.currentThread().isInterrupted() ? 1 : System.identityHashCode(TASKS));
  }

  /** Adds tasks whose compiled code has to be abandoned, and tasks that it leaves to the VM. */
  private static void addSlowPaths() {
    Thread loader = new Thread(Stepped::loadWhenWanted);
    loader.setDaemon(true);
    loader.start();
    add("uncommonTrap", () -> stepping == 0 ? big() : Long.toHexString((long) big).length());
    add("deoptimised", () -> overridden(base));
    add("notify", () -> notified(new Object()));
    add("finalizer", () -> new Finalized().hashCode());
    add("dimensions", () -> dimensions(zero + 2));
    add("copyOf", () -> Arrays.copyOf(objects, 5, Object[].class).length);
  }

  private static long big() {
    return (long) big;
  }

  static class Base {
    long value() {
      return 1;
    }

    final long valueAfterLoading() {
      isWanted = stepping != 0;
      while (isWanted) zero = 0;
      return 1;
    }
  }

  static final class Derived extends Base {
    @Override
    long value() {
      return 2;
    }
  }

  /** Loads a class that overrides {@link Base#value} while the main thread steps. */
  private static void loadWhenWanted() {
    try {
      while (!isWanted) Thread.sleep(1);
      sink += new Derived().value();
      isWanted = false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static long overridden(Base base) {
    return base.valueAfterLoading() + base.value() + sink;
  }

  private static long notified(Object lock) {
    synchronized (lock) {
      lock.notify();
      lock.notifyAll();
      return 1;
    }
  }

  static final class Finalized {
    @Override
    @SuppressWarnings({"deprecation", "removal"})
    protected void finalize() {
      sink++;
    }
  }

  private static long dimensions(int n) {
    return new int[n][n].length
        + new int[n][n][n].length
        + new int[n][n][n][n].length
        + new int[n][n][n][n][n].length
        + new int[n][n][n][n][n][n].length;
  }

  private static String nothing() {
    return zero == 0 ? null : "";
  }

  private static long thrower(int depth) {
    if (depth == 0) throw new IllegalStateException();
    return thrower(depth - 1) + 1;
  }

  private static long locked(Object lock) {
    synchronized (lock) {
      synchronized (Stepped.class) {
        return lock.hashCode();
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static Function<Object, Object>[] functions() {
    return (Function<Object, Object>[]) new Function<?, ?>[] {
      (Function<Object, Object>) o -> o, (Function<Object, Object>) Object::toString,
      Function.identity(), (Function<Object, Object>) String::valueOf
    };
  }

  private static long callAll(Function<Object, Object>[] functions) {
    long sum = 0;
    for (Function<Object, Object> each : functions) sum += each.apply("text").hashCode();
    return sum;
  }

  public static void main(String[] args) throws Exception {
    addMath();
    addBytes();
    addTexts();
    addArrays();
    addCalls();
    addSlowPaths();
    int warmUp = Integer.parseInt(args[0]);
    if (args.length > 1) TASKS.keySet().retainAll(Arrays.asList(args).subList(1, args.length));
    tasks = TASKS.values().toArray(new Task[0]);
    names = TASKS.keySet().toArray(new String[0]);
    for (int number = 0; number < tasks.length; number++) {
      for (int i = 0; i < warmUp; i++) sink += steps(number);
      stepping = 1;
      sink += steps(number);
      stepping = 0;
    }
    System.out.println("tasks=" + tasks.length);
  }

  static long steps(int number) {
    return outer(number) + 1;
  }

  static long outer(int number) {
    return inner(number) + 1;
  }

  /** Runs a task, after leaving interpreted frames on the stack where its frames will be. */
  static long inner(int number) {
    if (stepping != 0) WalkProbe.step(names[number]);
    try {
      return stale(12) + tasks[number].run();
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      if (stepping != 0) WalkProbe.stop();
    }
  }

  /** Leaves interpreted frames on the stack where the code that is called next has its own. */
  static double same(double value) {
    return stale(3) == 0.5 ? 0 : value;
  }

  static long stale(int depth) {
    return depth == 0 ? sink : stale(depth - 1) + 1;
  }
}
