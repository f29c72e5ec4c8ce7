import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Uses copies of jprof.Profiler and jprof.ThreadContext in several class loaders.
 *
 * <p>usage: {@code java ProfilerCopies CASE JAR FILE}
 *
 * <p>Makes a recording to FILE. The case that relocates the jar writes it to FILE.jar.
 */
public final class ProfilerCopies {
    private static final int LOADERS = 16;
    private static final String PACKAGE = "org.shop.shaded.jprof";

    private static volatile long sink;

    private static File jar;
    private static String recording;

    private ProfilerCopies() {}

    /** A copy of Profiler, and the result of its load(). */
    private static final class Copy {
        final URLClassLoader loader;
        final String name;
        final Class<?> type;
        final Object profiler;

        Copy(File from, String name) throws Exception {
            loader = new URLClassLoader(new URL[] {from.toURI().toURL()}, null);
            this.name = name;
            type = Class.forName(name + ".Profiler", true, loader);
            profiler = call("load", null);
        }

        Object call(String method, Object on) throws Exception {
            try {
                return type.getMethod(method).invoke(on);
            } catch (InvocationTargetException exception) {
                throw new IllegalStateException(exception.getCause());
            }
        }

        String start(String options) throws Exception {
            return (String) type.getMethod("start", String.class).invoke(profiler, options);
        }

        boolean isIdle() throws Exception {
            return call("status", profiler).toString().contains("idle");
        }
    }

    public static void main(String[] arguments) throws Exception {
        jar = new File(arguments[1]);
        recording = arguments[2];
        switch (arguments[0]) {
            case "own": System.out.println(jprof.Profiler.load().status()); break;
            case "at-once": atOnce(); break;
            case "one-by-one": oneByOne(); break;
            case "unregistered": Bean.unregistered(); break;
            case "unloaded": unloaded(); break;
            case "relocated": relocated(); break;
            default: throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static Copy copy() throws Exception {
        return new Copy(jar, "jprof");
    }

    private static void atOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(LOADERS);
        CyclicBarrier together = new CyclicBarrier(LOADERS);
        List<Future<Boolean>> copies = new ArrayList<Future<Boolean>>();
        for (int i = 0; i < LOADERS; ++i) {
            copies.add(pool.submit(new Callable<Boolean>() {
                @Override
                public Boolean call() throws Exception {
                    together.await();
                    return copy().isIdle();
                }
            }));
        }
        int idle = 0;
        for (Future<Boolean> each : copies) {
            try {
                if (each.get()) ++idle;
            } catch (Exception exception) {
                System.out.println("wrong=" + exception.getCause());
            }
        }
        System.out.println("idle=" + idle);
        pool.shutdown();
    }

    private static void oneByOne() throws Exception {
        Copy first = copy();
        first.start("cpu=1ms,file=" + recording);
        burn();
        Copy second = copy();
        System.out.println("stop=" + second.call("stop", second.profiler));
    }

    /** A class of its own, so that the program can also run in JVMs without java.management. */
    private static final class Bean {
        private static final javax.management.MBeanServer SERVER =
                java.lang.management.ManagementFactory.getPlatformMBeanServer();

        private static javax.management.ObjectName name() throws Exception {
            return new javax.management.ObjectName("jprof:type=Profiler");
        }

        static boolean isRegistered() throws Exception {
            return SERVER.isRegistered(name());
        }

        static void unregistered() throws Exception {
            Copy first = copy();
            System.out.println("bean=" + SERVER.getAttribute(name(), "Status"));
            for (javax.management.MBeanOperationInfo each :
                    SERVER.getMBeanInfo(name()).getOperations()) {
                StringBuilder line = new StringBuilder("operation=" + each.getName() + "(");
                for (javax.management.MBeanParameterInfo parameter : each.getSignature())
                    line.append(parameter.getName());
                System.out.println(line.append(')'));
            }
            jprof.ProfilerMXBean proxy = javax.management.JMX.newMXBeanProxy(
                    SERVER, name(), jprof.ProfilerMXBean.class);
            try {
                proxy.start("cpu=never");
            } catch (IllegalStateException exception) {
                System.out.println("proxy=" + exception.getMessage());
            }
            SERVER.unregisterMBean(name());
            System.out.println("second=" + (copy().isIdle() ? 1 : 0));
            System.out.println("again=" + (isRegistered() ? 1 : 0));
            SERVER.unregisterMBean(name());
            first.call("close", first.profiler);
        }
    }

    private static void unloaded() throws Exception {
        WeakReference<Object> forgotten = loadAndForget(false);
        WeakReference<Object> closed = loadAndForget(true);
        collect(forgotten);
        collect(closed);
        System.out.println("forgotten=" + (forgotten.get() == null ? 1 : 0));
        System.out.println("closed=" + (closed.get() == null ? 1 : 0));
        Copy last = copy();
        System.out.println("bean=" + (Bean.isRegistered() ? 1 : 0));
        burn();
        System.out.println("stop=" + last.call("stop", last.profiler));
        last.call("close", last.profiler);
        try {
            last.call("status", last.profiler);
        } catch (IllegalStateException exception) {
            System.out.println("refused=" + exception.getCause().getMessage());
        }
        System.out.println("left=" + (Bean.isRegistered() ? 1 : 0));
        System.out.println("again=" + (new Copy(jar, "jprof").isIdle() ? 1 : 0));
        System.out.println("back=" + (Bean.isRegistered() ? 1 : 0));
    }

    // The first copy starts a recording, which continues after the copy is unloaded.
    private static WeakReference<Object> loadAndForget(boolean isClosed) throws Exception {
        Copy copy = copy();
        if (isClosed) {
            copy.call("close", copy.profiler);
        } else {
            copy.start("cpu=1ms,file=" + recording);
        }
        copy.loader.close();
        return new WeakReference<Object>(copy.loader);
    }

    private static void collect(WeakReference<Object> reference) throws Exception {
        for (int i = 0; i < 50 && reference.get() != null; ++i) {
            System.gc();
            Thread.sleep(20);
        }
    }

    private static void relocated() throws Exception {
        File shaded = new File(recording + ".jar");
        relocate(jar, shaded);
        Copy copy = new Copy(shaded, PACKAGE);
        copy.start("cpu=1ms,context,file=" + recording);
        Class<?> contexts = Class.forName(PACKAGE + ".ThreadContext", true, copy.loader);
        System.out.println("active=" + contexts.getMethod("isActive").invoke(null));
        contexts.getMethod("put", long.class, long.class).invoke(null, 1L, 2L);
        Method putTag = contexts.getMethod("putTag", String.class, String.class);
        System.out.println("tag=" + putTag.invoke(null, "name", "value"));
        span1();
        contexts.getMethod("clear").invoke(null);
        System.out.println("stop=" + copy.call("stop", copy.profiler));
    }

    // Relocates the classes as tools do that merge several jars: in classes and strings that start
    // with the package's name, the name is replaced; the manifest and META-INF/versions are lost.
    private static void relocate(File from, File to) throws IOException {
        try (ZipFile old = new ZipFile(from);
                ZipOutputStream fresh = new ZipOutputStream(new FileOutputStream(to))) {
            for (Enumeration<? extends ZipEntry> all = old.entries(); all.hasMoreElements();) {
                ZipEntry entry = all.nextElement();
                if (!entry.getName().endsWith(".class") || entry.getName().startsWith("META-INF"))
                    continue;
                fresh.putNextEntry(new ZipEntry(relocated(entry.getName())));
                fresh.write(relocatedClass(new DataInputStream(old.getInputStream(entry))));
                fresh.closeEntry();
            }
        }
    }

    private static byte[] relocatedClass(DataInputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        copy(in, out, 8);
        int constants = in.readUnsignedShort();
        out.writeShort(constants);
        for (int i = 1; i < constants; ++i) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == 1) {
                out.writeUTF(relocated(in.readUTF()));
            } else {
                boolean isShort = tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20;
                boolean isLong = tag == 5 || tag == 6;
                copy(in, out, isShort ? 2 : tag == 15 ? 3 : isLong ? 8 : 4);
                if (isLong) ++i;
            }
        }
        copy(in, out, Integer.MAX_VALUE);
        return bytes.toByteArray();
    }

    private static String relocated(String text) {
        String inside = text.replace("Ljprof/", "L" + PACKAGE.replace('.', '/') + "/");
        if (inside.startsWith("jprof/"))
            return PACKAGE.replace('.', '/') + inside.substring("jprof".length());
        return inside.startsWith("jprof") ? PACKAGE + inside.substring("jprof".length()) : inside;
    }

    private static void copy(DataInputStream in, DataOutputStream out, int most) throws IOException {
        for (int i = 0; i < most; ++i) {
            int value = in.read();
            if (value < 0) return;
            out.write(value);
        }
    }

    private static void span1() {
        burn();
    }

    /** Burns for 300 ms of elapsed time and about 300 ms of CPU time, whichever takes longer. */
    private static void burn() {
        long end = System.nanoTime() + 300_000_000;
        long value = sink;
        for (int turns = 0; turns < 15_000 || System.nanoTime() < end; ++turns) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
