package dporacle.vectors;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;

/** Certified test vectors for differential-privacy noise; as an annotation, those of a function. */
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(Vectors.Provider.class)
public @interface Vectors {
  /** The function. */
  String value();

  /** Whether the cases are those that must be refused. */
  boolean refusals() default false;

  /** How good an answer is. */
  enum Grade { EXACT, ACCEPTABLE, CONSERVATIVE, VIOLATING, NO_ANSWER }

  /** An input that must be refused; a number is a Double, a name such as a relation a String. */
  record Refusal(String id, Map<String, Object> inputs, String argument) {
    public double number(String name) {
      return (Double) inputs.get(name);
    }

    @Override public String toString() {
      return id;
    }
  }

  /** An input with its proved answer. */
  record Vector(String id, Map<String, Object> inputs, double safe, double relative, String low,
      String high, List<String> flags, boolean roundsUp) {
    public double number(String name) {
      return (Double) inputs.get(name);
    }

    /** Grade an answer. */
    public Grade judge(double answer) {
      int sign = roundsUp ? 1 : -1;
      if (answer == safe) return Grade.EXACT;
      if (!Double.isFinite(answer)) return Grade.NO_ANSWER;
      if (sign * answer < sign * safe) return Grade.VIOLATING;
      double allowed = Math.max(4 * Math.ulp(safe), relative * Math.abs(safe));
      return Math.abs(answer - safe) <= allowed ? Grade.ACCEPTABLE : Grade.CONSERVATIVE;
    }

    @Override public String toString() {
      return id;
    }
  }

  /** The vectors of a function. */
  record VectorFile(String function, boolean roundsUp, String harm, List<Vector> vectors,
      List<Refusal> refusals) {}

  /** Reads the data that stands in the artefact. */
  final class Edition {
    private Edition() {}

    /** The data, a line for each function, vector and refusal. */
    public static List<String> lines() {
      var stream = Vectors.class.getResourceAsStream("edition.tsv");
      try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        return reader.lines().toList();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    static double fromBits(String digits) {
      return Double.longBitsToDouble(Long.parseUnsignedLong(digits, 16));
    }

    private static Map<String, Object> inputs(String text) {
      Map<String, Object> read = new LinkedHashMap<>();
      for (String each : text.split(",")) {
        String[] pair = each.split("=", 2);
        boolean number = pair[1].matches("[0-9a-f]{16}");
        read.put(pair[0], number ? (Object) fromBits(pair[1]) : pair[1]);
      }
      return read;
    }

    /** All functions by name. */
    public static Map<String, VectorFile> load() {
      Map<String, VectorFile> all = new LinkedHashMap<>();
      VectorFile file = null;
      for (String line : lines()) {
        String[] c = line.split("\t");
        switch (c[0]) {
          case "F" -> {
            file = new VectorFile(c[1], c[2].equals("up"), c[3], new ArrayList<>(), new ArrayList<>());
            all.put(c[1], file);
          }
          case "V" -> file.vectors().add(new Vector(c[1], inputs(c[2]), fromBits(c[3]),
              fromBits(c[4]), c[5], c[6], List.of(c[7].split(",")), file.roundsUp()));
          default -> file.refusals().add(new Refusal(c[1], inputs(c[2]), c[3]));
        }
      }
      return all;
    }
  }

  /** Gives the cases to a parameterized test of JUnit 5. */
  final class Provider implements ArgumentsProvider, AnnotationConsumer<Vectors> {
    private Vectors asked;

    @Override public void accept(Vectors annotation) {
      asked = annotation;
    }

    @Override public Stream<? extends Arguments> provideArguments(ExtensionContext context) {
      VectorFile file = Edition.load().get(asked.value());
      List<?> cases = asked.refusals() ? file.refusals() : file.vectors();
      return cases.stream().map(Arguments::of);
    }
  }
}
