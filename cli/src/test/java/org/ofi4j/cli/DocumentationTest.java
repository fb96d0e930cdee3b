// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles and runs every example of the README and the pages in docs: the blocks that begin with
 * {@code ```java run}.
 */
class DocumentationTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("^```java run\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  private static final Pattern JAVA =
      Pattern.compile("^```java[^\n]*\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  /** A wait for a completion or an event whose result may be a failure, or null. */
  private static final Pattern READ = Pattern.compile("\\.read\\((Duration|\\w+\\))");

  /** A wait for completions whose number may be 0. */
  private static final Pattern POLL = Pattern.compile("^\\s*(\\w+ \\+= )?\\w+\\.poll\\(.*Duration");

  /** A link within the project; what follows # is not looked at. */
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#\\s]+)[^)]*\\)");

  /** What the first lines of the guide promise that examples may use. */
  private static final String PROLOGUE =
      """
      import static java.nio.charset.StandardCharsets.UTF_8;
      import module java.base;
      import org.ofi4j.*;

      class Examples {
      """;

  private record Example(Path page, int number, String code) {
    String method() {
      return page.getFileName().toString().replaceAll("\\W", "_") + "_" + number;
    }
  }

  @Test
  void everyExampleCompilesAndRuns(@TempDir Path directory) throws Exception {
    List<Example> examples = examples();
    assertThat(examples).hasSizeGreaterThan(4);
    Path source = directory.resolve("Examples.java");
    Files.writeString(source, program(examples));

    Path output = directory.resolve("output.txt");
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--class-path",
                ClassPath.text(),
                source.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      java.waitFor();
    } finally {
      java.destroyForcibly();
    }
    assertThat(java.exitValue()).as("exit code:%n%s", Files.readString(output)).isZero();
  }

  /** A failure and a time-out must not look like a success. */
  @Test
  void everyExampleChecksWhatItHasWaitedFor() throws IOException {
    List<String> unchecked = new ArrayList<>();
    for (Path page : pages()) {
      Matcher example = JAVA.matcher(Files.readString(page, UTF_8));
      while (example.find()) {
        example
            .group(1)
            .lines()
            .filter(DocumentationTest::ignoresFailures)
            .forEach(line -> unchecked.add(page.getFileName() + ": " + line.strip()));
      }
    }
    assertThat(unchecked).isEmpty();
  }

  /** The example is compiled and run against installed jars. */
  @Test
  void everyExampleForProvidersIsInTheExampleProvider() throws IOException {
    List<String> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root().resolve("examples"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        sources.add(Files.readString(file, UTF_8));
      }
    }
    List<String> others = new ArrayList<>();
    Matcher example =
        JAVA.matcher(Files.readString(root().resolve("docs/writing-a-provider.md"), UTF_8));
    while (example.find()) {
      if (sources.stream().noneMatch(source -> source.contains(example.group(1)))) {
        others.add(example.group(1));
      }
    }
    assertThat(others).isEmpty();
  }

  private static boolean ignoresFailures(String line) {
    boolean reads = READ.matcher(line).find();
    return POLL.matcher(line).find()
        || (reads && !line.contains("switch (") && !line.contains(" instanceof "));
  }

  @Test
  void everyLinkLeadsToAPage() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page, UTF_8));
      while (link.find()) {
        if (!Files.exists(page.resolveSibling(link.group(1)))) {
          broken.add(page.getFileName() + ": " + link.group());
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyColumnOfATableHasContent() throws IOException {
    List<String> empty = new ArrayList<>();
    for (Path page : pages()) {
      List<List<String>> table = new ArrayList<>();
      for (String line : (Files.readString(page, UTF_8) + "\n").split("\n", -1)) {
        if (line.startsWith("|") && line.endsWith("|")) {
          // A bar within code is written with a backslash.
          table.add(List.of(line.substring(1, line.length() - 1).split("(?<!\\\\)\\|", -1)));
          continue;
        }
        for (int column = 0; !table.isEmpty() && column < table.getFirst().size(); column++) {
          int place = column;
          // The first two rows are the names of the columns and the line below.
          if (table.stream().skip(2).allMatch(row -> isEmpty(row, place))) {
            empty.add(page.getFileName() + ": column " + table.getFirst().get(column));
          }
        }
        table.clear();
      }
    }
    assertThat(empty).isEmpty();
  }

  private static boolean isEmpty(List<String> row, int column) {
    return column >= row.size() || row.get(column).isBlank();
  }

  private static String program(List<Example> examples) {
    StringBuilder program = new StringBuilder(PROLOGUE);
    program.append("  public static void main(String[] arguments) throws Exception {\n");
    examples.forEach(example -> {
      program.append("    System.out.println(\"= ").append(example.method()).append("\");\n");
      program.append("    ").append(example.method()).append("();\n");
    });
    program.append("  }\n");
    examples.forEach(example ->
        program
            .append("  static void ")
            .append(example.method())
            .append("() throws Exception {\n")
            .append(example.code())
            .append("  }\n"));
    return program.append("}\n").toString();
  }

  private static List<Path> pages() throws IOException {
    Path root = root();
    List<Path> pages =
        new ArrayList<>(List.of(root.resolve("README.md"), root.resolve("CONTRIBUTING.md")));
    try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  private static List<Example> examples() throws IOException {
    List<Example> examples = new ArrayList<>();
    for (Path page : pages()) {
      Matcher matcher = EXAMPLE.matcher(Files.readString(page, UTF_8));
      while (matcher.find()) {
        examples.add(new Example(page, examples.size(), matcher.group(1)));
      }
    }
    return examples;
  }

  /** Tests run in the directory of their module or in the root. */
  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve("README.md")) ? here : here.getParent();
  }
}
