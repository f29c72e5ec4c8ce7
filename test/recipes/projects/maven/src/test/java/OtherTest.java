import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SpanPerTest.class)
class OtherTest {
    @Test
    void other() {}
}
