package java.jprof;

import java.lang.ref.WeakReference;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The profiler of this JVM for every copy of {@code jprof.Profiler}, whatever class loader that is
 * of, relocated or not, older or newer than the library. The agent defines the class in the boot
 * loader and binds its native method; it refers to no class of the program. Each class loader
 * leaves packages that begin with {@code java.} to the boot loader.
 */
public final class Bridge {
    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final int OK = 0;

    /** Those that want the bean. */
    private static final List<WeakReference<Object>> USERS = new ArrayList<WeakReference<Object>>();

    private Bridge() {}

    /**
     * One command.
     *
     * @return the answer, for the user
     * @throws IllegalStateException it was refused, or has failed; the message says why
     */
    public static String execute(String command) {
        byte[] answer = execute0(command.getBytes(UTF_8));
        String text = new String(answer, 1, answer.length - 1, UTF_8).trim();
        if (answer[0] != OK) throw new IllegalStateException(text);
        return text;
    }

    /** Registers the bean, where there can be one. */
    public static void open(Object user) {
        synchronized (USERS) {
            remove(user);
            USERS.add(new WeakReference<Object>(user));
        }
        update();
    }

    /** Takes the bean away with its last user. */
    public static void close(Object user) {
        synchronized (USERS) {
            remove(user);
        }
        update();
    }

    /** Whether the native method is there: the class is defined a moment before. */
    public static boolean isBound() {
        try {
            execute0(null);
            return true;
        } catch (UnsatisfiedLinkError error) {
            return false;
        }
    }

    // Listeners of the server are called by it: so nothing is locked, and who comes last is right.
    private static void update() {
        boolean isWanted;
        do {
            isWanted = isUsed();
            try {
                if (isWanted) {
                    BridgeBean.register();
                } else {
                    BridgeBean.unregister();
                }
            } catch (LinkageError error) {
                return;  // no module java.management
            } catch (RuntimeException exception) {
                return;  // a security manager, a server or a listener of the program
            }
        } while (isWanted != isUsed());
    }

    private static boolean isUsed() {
        synchronized (USERS) {
            remove(null);
            return !USERS.isEmpty();
        }
    }

    // And those whose class loader has gone.
    private static void remove(Object user) {
        for (Iterator<WeakReference<Object>> i = USERS.iterator(); i.hasNext();) {
            Object each = i.next().get();
            if (each == null || each == user) i.remove();
        }
    }

    private static native byte[] execute0(byte[] command);
}
