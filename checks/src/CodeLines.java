// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Prints how many lines of Java each module has, main code and tests: lines of code, which are
/// neither blank nor comments nor imports nor lone braces, and all lines.
///
/// `java checks/src/CodeLines.java [folder…]`, from the root of the project; folders instead of
/// modules are counted with all that is below them.
final class CodeLines {
  /// Literals first, as they may look like comments.
  private static final Pattern LITERAL_OR_COMMENT =
      Pattern.compile(
          "(\"\"\"(?:[^\"\\\\]++|\\\\.|\"(?!\"\"))*+\"\"\""
              + "|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\n]++|\\\\.)*+')"
              + "|/\\*.*?\\*/|//[^\n]*",
          Pattern.DOTALL);

  private static final Pattern NO_CODE =
      Pattern.compile("\\s*|\\s*(import|package)\\b.*|\\s*[{}]|\\s*}\\)?;");

  private CodeLines() {}

  public static void main(String[] arguments) throws IOException {
    List<Path> folders = Stream.of(arguments).map(Path::of).toList();
    if (folders.isEmpty()) {
      try (Stream<Path> modules = Files.list(Path.of(""))) {
        folders =
            modules
                .sorted()
                .flatMap(
                    module -> Stream.of(module.resolve("src/main"), module.resolve("src/test")))
                .filter(Files::isDirectory)
                .toList();
      }
    }
    System.out.printf("%8s %8s%n", "code", "all");
    long code = 0;
    long all = 0;
    for (Path folder : folders) {
      long codeHere = 0;
      long allHere = 0;
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String source = Files.readString(file);
          codeHere += code(source);
          allHere += source.lines().count();
        }
      }
      System.out.printf("%8d %8d  %s%n", codeHere, allHere, folder);
      code += codeHere;
      all += allHere;
    }
    System.out.printf("%8d %8d  total%n", code, all);
  }

  /// A literal counts on the line of its beginning, with the lines that it spans.
  private static long code(String source) {
    return LITERAL_OR_COMMENT
        .matcher(source)
        .replaceAll(match ->
            (match.group(1) == null ? "" : "x")
                + "\n".repeat((int) match.group().lines().count() - 1))
        .lines()
        .filter(line -> !NO_CODE.matcher(line).matches())
        .count();
  }
}
