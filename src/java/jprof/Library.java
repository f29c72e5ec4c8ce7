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

    private Library() {}

    /**
     * @param given {@code null}: nobody says which
     */
    static void load(String given) {
        if (Profiler.isBound()) return;
        String path = given != null ? given : System.getProperty("jprof.library");
        try {
            if (path == null) path = besideJar();
            if (path == null) {
                loadFromJar();
            } else {
                System.load(path);
            }
        } catch (UnsatisfiedLinkError error) {
            throw new ProfilerException(
                    "the profiler cannot be loaded: " + error.getMessage(), error);
        }
        if (!Profiler.isBound())
            throw new ProfilerException(path + " is not the profiler's library");
    }

    private static String besideJar() {
        CodeSource source = Library.class.getProtectionDomain().getCodeSource();
        if (source == null) return null;
        try {
            Path library = Paths.get(source.getLocation().toURI()).resolveSibling(NAME);
            return Files.isRegularFile(library) ? library.toAbsolutePath().toString() : null;
        } catch (URISyntaxException | RuntimeException exception) {
            return null;  // no file: a jar inside of another, or one of the network
        }
    }

    // A file of its own, that nobody else may change, removed when it is loaded.
    private static void loadFromJar() {
        String architecture = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        String resource = "linux-" + architecture + "/" + NAME;
        try (InputStream bytes = Library.class.getResourceAsStream(resource)) {
            if (bytes == null) {
                throw new ProfilerException("there is no " + NAME
                        + " beside jprof.jar, and none in it:"
                        + " name its path by -Djprof.library=PATH, or load it by -agentpath:PATH");
            }
            Path folder = Files.createTempDirectory("jprof");
            Path file = folder.resolve(NAME);
            try {
                Files.copy(bytes, file);
                System.load(file.toString());
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            }
        } catch (IOException exception) {
            throw new ProfilerException(
                    "the library of jprof.jar cannot be written: " + exception, exception);
        }
    }
}
