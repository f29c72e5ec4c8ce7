package java.jprof;

import java.lang.ref.WeakReference;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Takes the commands of all copies of {@code jprof.Profiler} in this JVM. A copy can be in any
 * class loader, can be relocated, and can be older or newer than the library. The agent defines
 * this class in the boot loader and binds its native method. The class refers to no class of the
 * program. Every class loader finds it, because class loaders leave packages that begin with
 * {@code java.} to the boot loader.
 */
public final class Bridge {
    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final int OK = 0;

    /** The objects that want the bean to be registered. */
    private static final List<WeakReference<Object>> USERS = new ArrayList<WeakReference<Object>>();

    private Bridge() {}

    /**
     * Executes one command.
     *
     * @return the answer, for the user
     * @throws IllegalStateException if the command was refused or has failed; the message says why
     */
    public static String execute(String command) {
        byte[] answer = execute0(command.getBytes(UTF_8));
        String text = new String(answer, 1, answer.length - 1, UTF_8).trim();
        if (answer[0] != OK) throw new IllegalStateException(text);
        return text;
    }

    /** Adds a user of the bean, and registers the bean if the JVM can have one. */
    public static void open(Object user) {
        synchronized (USERS) {
            remove(user);
            USERS.add(new WeakReference<Object>(user));
        }
        update();
    }

    /** Removes a user of the bean, and unregisters the bean if there is no other user. */
    public static void close(Object user) {
        synchronized (USERS) {
            remove(user);
        }
        update();
    }

    /** Returns true if the native method is bound, which happens after the class is defined. */
    public static boolean isBound() {
        try {
            execute0(null);
            return true;
        } catch (UnsatisfiedLinkError error) {
            return false;
        }
    }

    // Registers the bean if USERS has an element, and otherwise unregisters the bean. Repeats this
    // if USERS has changed meanwhile. Holds no lock while the server works, because the server
    // calls listeners of the program.
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
                return;  // thrown by a security manager, a server or a listener of the program
            }
        } while (isWanted != isUsed());
    }

    private static boolean isUsed() {
        synchronized (USERS) {
            remove(null);
            return !USERS.isEmpty();
        }
    }

    // Also removes the users that have been collected, together with their class loaders.
    private static void remove(Object user) {
        for (Iterator<WeakReference<Object>> i = USERS.iterator(); i.hasNext();) {
            Object each = i.next().get();
            if (each == null || each == user) i.remove();
        }
    }

    private static native byte[] execute0(byte[] command);
}
