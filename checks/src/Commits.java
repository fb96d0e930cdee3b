// SPDX-License-Identifier: Apache-2.0
import module java.base;

/// Checks the messages of the commits after the one that added this file: a subject of at most 72
/// characters that names its modules first, and a body in commits that change more than 50 lines.
/// Merges are not checked, and sources without Git have no commits.
///
/// Run by Maven from its source: `java Commits.java <root>`.
final class Commits {
  private static final int SUBJECT = 72;
  private static final int LINES = 50;

  /// Prefixes of subjects that are not names of modules.
  private static final Set<String> OTHERS = Set.of("all", "build", "ci", "docs");

  private final Path root;

  private Commits(Path root) {
    this.root = root;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var commits = new Commits(Path.of(arguments[0]).toRealPath());
    List<String> mistakes = commits.mistakes();
    if (!mistakes.isEmpty()) {
      System.err.println("Commit messages to change (CONTRIBUTING.md, Commits):");
      mistakes.forEach(mistake -> System.err.println("  " + mistake));
      System.exit(1);
    }
  }

  private List<String> mistakes() throws InterruptedException {
    var mistakes = new ArrayList<String>();
    String first =
        Git.output(root, "log", "--diff-filter=A", "--format=%H", "--", "checks/src/Commits.java")
            .strip();
    for (String commit :
        Git.output(root, "rev-list", "--no-merges", first + "..HEAD").lines().toList()) {
      String[] message = Git.output(root, "log", "-1", "--format=%s%n%b", commit).split("\n", 2);
      String subject = message[0];
      String name = "%.9s %s: ".formatted(commit, subject);
      if (subject.length() > SUBJECT) {
        mistakes.add(name + "the subject has " + subject.length() + " characters, not 72 at most");
      }
      int colon = subject.indexOf(": ");
      if (colon < 0
          || !Arrays.stream(subject.substring(0, colon).split(",")).allMatch(this::isModule)) {
        mistakes.add(name + "no module is in front, as in `core: ` or `api,core: `");
      }
      if (message[1].isBlank() && changedLines(commit) > LINES) {
        mistakes.add(name + "a change of more than 50 lines has a body with the reason");
      }
    }
    return mistakes;
  }

  private boolean isModule(String name) {
    return OTHERS.contains(name) || Files.exists(root.resolve(name).resolve("pom.xml"));
  }

  private int changedLines(String commit) throws InterruptedException {
    return Git.output(root, "show", "--numstat", "--format=", commit)
        .lines()
        .flatMap(line -> Stream.of(line.split("\t")).limit(2))
        .filter(number -> !number.equals("-"))
        .mapToInt(Integer::parseInt)
        .sum();
  }
}
