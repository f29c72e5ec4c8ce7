import jprof.ThreadContext;
import org.junit.Test;

public class OtherTest {
    @Test
    public void other() {
        ThreadContext.open(2, 2).close();
    }
}
