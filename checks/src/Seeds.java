// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Names each place in the tests where something random cannot be repeated: a generator without a
/// seed, or a seed that `-Dofi4j.seed=N` does not set.
///
/// Run by Maven from its source: `java Seeds.java <directory>`.
final class Seeds {

  private static final Map<String, Pattern> MISTAKES =
      Map.of(
          "a generator without a seed",
          Pattern.compile(
              "\\bnew\\s+(java\\.util\\.)?(Splittable)?Random\\s*\\(\\s*\\)"
                  + "|\\bThreadLocalRandom\\b|\\bMath\\.random\\b"
                  + "|\\bRandomGenerator\\.(getDefault|of)\\b"
                  + "|\\bCollections\\.shuffle\\s*\\([^,;]*\\)\\s*;"),
          "a seed that cannot be given back",
          Pattern.compile("\\bseed\\s*=\\s*System\\.", Pattern.CASE_INSENSITIVE),
          "a seed of another name",
          Pattern.compile(
              "\\bgetLong\\s*\\(\\s*\"(?!ofi4j\\.seed\")[^\"]*seed\"", Pattern.CASE_INSENSITIVE));

  private Seeds() {}

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]).toRealPath();
    var found = new ArrayList<String>();
    for (Path file : tests(root)) {
      String source = Files.readString(file);
      MISTAKES.forEach((mistake, pattern) ->
          pattern
              .matcher(source)
              .results()
              .map(match -> source.substring(0, match.start()).lines().count())
              .map(line -> "  " + root.relativize(file) + ":" + line + ": " + mistake)
              .forEach(found::add));
    }
    if (!found.isEmpty()) {
      System.err.println(
          "Not to be repeated; take the seed from Long.getLong(\"ofi4j.seed\", System.nanoTime())"
              + " and print it with what fails:");
      found.stream().sorted().forEach(System.err::println);
      System.exit(1);
    }
  }

  /// The tests of all modules, and two modules that hold nothing else.
  private static List<Path> tests(Path root) throws IOException {
    try (Stream<Path> files =
        Files.find(
            root,
            Integer.MAX_VALUE,
            (path, _) ->
                root.relativize(path)
                    .toString()
                    .matches("([\\w-]+/src/test|(conformance|stress)/src/main)/.*\\.java"))) {
      return files.toList();
    }
  }
}
