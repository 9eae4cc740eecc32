// A runner: put your function in the place of sigma. SAMPLE=faulty shows how a fault is found.
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dporacle.vectors.Vectors;
import dporacle.vectors.Vectors.Grade;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class SampleTest {
  static double sigma(double delta, double sensitivity) {
    if (!(delta > 0 && delta < 1)) throw new IllegalArgumentException("delta");
    if (!(sensitivity > 0 && Double.isFinite(sensitivity))) throw new IllegalArgumentException("sensitivity");
    double nearest = sensitivity / (2 * delta);
    return "faulty".equals(System.getenv("SAMPLE")) ? nearest : Math.nextUp(nearest);
  }

  @ParameterizedTest
  @Vectors("pinsker_sigma")
  void isOnTheSafeSide(Vectors.Vector vector) {
    Grade grade = vector.judge(sigma(vector.number("delta"), vector.number("sensitivity")));
    assertTrue(!Set.of(Grade.VIOLATING, Grade.NO_ANSWER).contains(grade), grade::toString);
  }

  @ParameterizedTest
  @Vectors(value = "pinsker_sigma", refusals = true)
  void isRefused(Vectors.Refusal refusal) {
    assertThrows(IllegalArgumentException.class,
        () -> sigma(refusal.number("delta"), refusal.number("sensitivity")));
  }

  @Test
  void noNumberIsRounded() {
    var lines = Set.copyOf(Vectors.Edition.lines().stream().map(x -> x.split("\t")).filter(x -> x[0].equals("V"))
        .map(x -> x[1] + x[3] + x[5] + x[6]).toList());
    int count = 0;
    for (var file : Vectors.Edition.load().values()) {
      for (var v : file.vectors()) {
        count++;
        String digits = String.format("%016x", Double.doubleToRawLongBits(v.safe()));
        assertTrue(lines.contains(v.id() + digits + v.low() + v.high()), v::id);
      }
    }
    assertEquals(count, Vectors.Edition.lines().stream().filter(x -> x.startsWith("V")).count());
  }
}
