import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jprof.Profiler;

/**
 * Loads the profiler when the application starts. The first application starts the recording that
 * the system property {@code shop.recording} names. Every second application closes the profiler
 * when it ends; the others do not.
 */
public final class ShopListener implements ServletContextListener {
    private Profiler profiler;
    private boolean closes;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        int number = Integer.getInteger("shop.number");
        closes = number % 2 == 0;
        profiler = Profiler.load();
        if (number == 0)
            profiler.start("cpu=1ms,context,file=" + System.getProperty("shop.recording"));
        event.getServletContext().setAttribute("profiler", profiler);
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        if (closes) profiler.close();
    }
}
