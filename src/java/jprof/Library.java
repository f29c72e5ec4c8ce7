package jprof;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.CodeSource;

/** Finds and loads libprofiler.so. */
final class Library {
    private static final String NAME = "libprofiler.so";

    /**
     * An interned string, and so one object for the copies of this class in all class loaders. They
     * load one after another, and share one library.
     */
    private static final Object LOCK = "loads the library of jprof";

    // Starts with "/", because a relocation of this package would change a literal "jprof.library".
    private static final String PROPERTY = "/jprof.library".substring(1);

    private Library() {}

    /**
     * Returns the library that the JVM has loaded, or else finds one and loads it.
     *
     * @param given the path of the library to load; {@code null} if none was given
     */
    static BridgeCalls load(String given) {
        synchronized (LOCK) {
            BridgeCalls bridge = BridgeCalls.find();
            return bridge != null ? bridge : loadFirst(given);
        }
    }

    private static BridgeCalls loadFirst(String given) {
        try {
            String path = given != null ? given : System.getProperty(PROPERTY);
            if (path == null) path = besideJar();
            if (path == null) {
                path = loadFromJar();
            } else {
                System.load(path);
            }
            BridgeCalls bridge = BridgeCalls.find();
            if (bridge != null) return bridge;
            throw new ProfilerException(path
                    + " is not the profiler's library, is of another version, or the JVM has no"
                    + " memory for its class");
        } catch (UnsatisfiedLinkError error) {
            throw new ProfilerException(
                    "the profiler cannot be loaded: " + error.getMessage(), error);
        } catch (SecurityException exception) {
            throw new ProfilerException("the security manager forbids to load the profiler: "
                            + exception.getMessage(), exception);
        } catch (RuntimeException exception) {
            if (exception instanceof ProfilerException) throw exception;
            // From JDK 24 on, an option of the JVM can forbid all code to load libraries.
            throw new ProfilerException("the profiler cannot be loaded: " + exception.getMessage(),
                    exception);
        }
    }

    private static String besideJar() {
        try {
            CodeSource source = Library.class.getProtectionDomain().getCodeSource();
            if (source == null) return null;
            Path library = Paths.get(source.getLocation().toURI()).resolveSibling(NAME);
            return Files.isRegularFile(library) ? library.toAbsolutePath().toString() : null;
        } catch (SecurityException exception) {
            throw exception;
        } catch (URISyntaxException | RuntimeException exception) {
            return null;  // this jar is no file: it is inside another jar, or on the network
        }
    }

    // Copies the library from a jar to a private file, which no other user can change. Loads the
    // file and removes it.
    private static String loadFromJar() {
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        String resource = "linux-" + architecture + "/" + NAME;
        try (InputStream bytes = open(resource)) {
            if (bytes == null) {
                throw new ProfilerException("there is no " + NAME
                        + " beside jprof.jar, and none in it or in jprof-natives:"
                        + " name its path by -Djprof.library=PATH, or load it by -agentpath:PATH");
            }
            try (PrivateFolder folder = PrivateFolder.create()) {
                Path file = folder.path.resolve(NAME);
                try {
                    Files.copy(bytes, file);
                    load(file);
                } finally {
                    Files.deleteIfExists(file);
                }
            }
            return resource;
        } catch (IOException exception) {
            throw new ProfilerException(
                    "the library of jprof.jar cannot be written: " + exception, exception);
        }
    }

    private static void load(Path file) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError error) {
            // The words of glibc for a file system that is mounted noexec.
            if (!String.valueOf(error.getMessage()).contains("failed to map segment")) throw error;
            throw new ProfilerException("the library of jprof.jar cannot be loaded from "
                    + file.getParent().getParent() + ", which is mounted noexec:"
                    + " name another folder by -Djava.io.tmpdir=PATH", error);
        }
    }

    // Opens a resource of this package, which is in this jar or, if this class is in a named module,
    // in another module of the same class loader. Returns null if there is none.
    private static InputStream open(String resource) {
        InputStream own = Library.class.getResourceAsStream(resource);
        if (own != null) return own;
        String name = Library.class.getName();
        ClassLoader loader = Library.class.getClassLoader();
        String path = name.substring(0, name.lastIndexOf('.') + 1).replace('.', '/') + resource;
        return loader != null ? loader.getResourceAsStream(path)
                              : ClassLoader.getSystemResourceAsStream(path);
    }
}
